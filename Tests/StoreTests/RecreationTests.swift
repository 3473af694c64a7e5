import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Files of stores that are recreated because their schema does not fit: clause 10.12.
@Suite struct RecreationTests {
  private let folder = TestFolder(inMemory: true)

  private static let sideFiles = ["-wal", "-shm", "-journal", "-lock", "-guard"]

  /// Opens a store with the key of `Reel` as a UUID, which no store of reels fits.
  private func recreate(
    _ kind: FileStore, _ path: String, hasFilm: Bool = false, policy: Bool = true
  ) throws -> any Store {
    var attributes = [AttributeDescription("id", .uuid)]
    if hasFilm { attributes.append(AttributeDescription("film", .data, externalThreshold: 1_000)) }
    let schema = try Schema(
      entities: [EntityDescription(name: "Reel", attributes: attributes, key: ["id"])], version: 1)
    var options = StoreOptions()
    if policy { options.schemaPolicy = .recreate(when: .always) }
    return try StoreLocation(kind: kind.kind, path: path).open(schema: schema, options: options)
  }

  private func clear() throws {
    for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
  }

  @Test(
    "10.12: recreation leaves a damaged file and a file of another kind as they are",
    arguments: FileStore.allCases)
  func damaged(_ kind: FileStore) throws {
    let path = folder.file("store")
    let whole = try kind.makeSamples(200, at: path)
    try clear()
    for content in [whole.prefix(whole.count / 2), Data(repeating: 65, count: 16_384)] {
      try folder.write(Data(content), "store")
      let error = #expect(throws: StoreError.self) { try recreate(kind, path) }
      #expect([.corrupt, .notADatabase].contains(error?.code), "\(error?.description ?? "")")
      #expect(try bytes(path) == Data(content))
      try clear()
    }
    try folder.write(whole, "store")
    let store = try recreate(kind, path)
    #expect(try store.read { try $0.count(DynamicQuery("Reel")) } == 0, "the schema alone")
    #expect(throws: StoreError.self) { try store.read { try $0.count(DynamicQuery("Entry")) } }
    try store.close()
  }

  @Test(
    "10.12: recreation leaves the files beside a file of another kind as they are",
    arguments: FileStore.allCases)
  func foreign(_ kind: FileStore) throws {
    let path = try folder.write(Data(repeating: 65, count: 16_384), "store")
    let text = Data("of somebody else".utf8)
    for suffix in Self.sideFiles { try folder.write(text, "store" + suffix) }
    let names = try folder.names()
    let error = #expect(throws: StoreError.self) { try recreate(kind, path) }
    #expect(error?.code == .notADatabase)
    #expect(try folder.names() == names)
    for suffix in Self.sideFiles { #expect(try bytes(path + suffix) == text, "\(suffix)") }
  }

  /// Makes a store of reels at a path, as a process leaves it that was killed: with its logs and locks
  /// and the contents beside it.
  private func makeKilled(_ kind: FileStore, at path: String) throws {
    let other = TestFolder(inMemory: true)
    let store = try StoreLocation(kind: kind.kind, path: other.file("store"))
      .open(schema: Reel.schema())
    try store.save((1...4).map { Reel($0, film: $0) })
    for name in try other.names() {
      try FileManager.default.copyItem(
        atPath: other.file(name), toPath: path + name.dropFirst("store".count))
    }
    try store.close()
  }

  private func contents(_ path: String) -> Int {
    let names = try? FileManager.default.subpathsOfDirectory(atPath: path + ".external")
    return (names ?? []).count { $0.utf8.count == 65 }
  }

  @Test(
    "10.12: of a store that is recreated no file beside it is left",
    arguments: FileStore.inPlace + [.checksums])
  func beside(_ kind: FileStore) throws {
    let new = folder.file("new")
    try recreate(kind, new).close()
    let expected = try folder.names().map { "store" + $0.dropFirst("new".count) }
    try clear()
    let path = folder.file("store")
    try makeKilled(kind, at: path)
    #expect(contents(path) == 4)
    // Without the policy, the files stay.
    let error = #expect(throws: StoreError.self) { try recreate(kind, path, policy: false) }
    #expect(error?.code == .schemaMismatch)
    #expect(contents(path) == 4)
    try recreate(kind, path).close()
    #expect(try folder.names() == expected)
    let store = try recreate(kind, path, policy: false)
    #expect(try store.read { try $0.count(DynamicQuery("Reel")) } == 0)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "10.12: files of others among the contents of a store that is recreated stay",
    arguments: FileStore.inPlace)
  func foreignContents(_ kind: FileStore) throws {
    let path = folder.file("store")
    try makeKilled(kind, at: path)
    let outside = TestFolder(inMemory: true)
    let digest = String(repeating: "a", count: 62)
    let text = Data("of somebody else".utf8)
    try outside.write(text, digest)
    let external = path + ".external"
    let parts = try FileManager.default.contentsOfDirectory(atPath: external)
    let part = try #require(parts.sorted().first { $0.utf8.count == 2 })
    let link = try #require(["ab", "cd", "ef", "01", "23"].first { !parts.contains($0) })
    let foreign = ["notes", "\(part)/notes", "pictures/one"]
    for name in foreign {
      let file = URL(fileURLWithPath: "\(external)/\(name)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file)
    }
    try FileManager.default.createSymbolicLink(
      atPath: external + "/" + link, withDestinationPath: outside.file(""))
    try recreate(kind, path).close()
    #expect(contents(path) == 0)
    for name in foreign { #expect(try bytes("\(external)/\(name)") == text, "\(name)") }
    #expect(try bytes(outside.file(digest)) == text)
    let left = try FileManager.default.contentsOfDirectory(atPath: external)
    #expect(left.sorted() == ["notes", "pictures", link, part].sorted())
  }

  @Test(
    "10.12: the contents of a store that is recreated go with the next write",
    arguments: FileStore.inPlace)
  func contents(_ kind: FileStore) throws {
    let path = folder.file("store")
    try makeKilled(kind, at: path)
    let store = try recreate(kind, path, hasFilm: true)
    // The second and the fourth are of the former store as well.
    for number in [2, 4, 7] {
      let row = DynamicRow("Reel", ["id": .uuid(UUID()), "film": .data(Reel.film(number))])
      try store.write { try $0.insert([row]) }
    }
    try store.sweepExternalData()
    #expect(contents(path) == 3)
    let report = try store.check()
    #expect(report.isSound && report.unusedContents == 0, "\(report)")
    try store.close()
  }
}
