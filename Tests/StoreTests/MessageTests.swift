import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// What errors about a whole store say: the store by its path, and what to do next.
@Suite struct MessageTests {
  private let folder = TestFolder(inMemory: true)
  private var path: String { folder.file("store") }

  private func expect(
    _ code: StoreError.Code, _ step: String, _ note: String, _ body: () throws -> Void
  ) {
    let error = #expect(throws: StoreError.self, "\(note)") { try body() }
    #expect(error?.code == code, "\(note): \(String(describing: error))")
    #expect(error?.localizedDescription.contains(path) == true, "\(note)")
    #expect(error?.recoverySuggestion?.contains(step) == true, "\(note)")
    // What a program prints has both.
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(path) && text.contains(step), "\(note): \(text)")
  }

  @Test(
    "A file of another program, a damaged one and other declarations are named with the next step",
    arguments: FileStore.allCases)
  func openings(_ kind: FileStore) throws {
    func open() throws { try kind.open(path) { $0.verification = .always }.close() }
    try folder.write(Data("no store at all, but a text of some length".utf8), "store")
    expect(.notADatabase, "Check the path", "\(kind), a text", open)
    try FileManager.default.removeItem(atPath: path)
    let whole = try kind.makeSamples(60, at: path)
    try folder.write(whole.prefix(whole.count / 2), "store")
    expect(.corrupt, "restore the file from a backup", "\(kind), half a file", open)
    try folder.write(whole, "store")
    var other = DynamicSchema.entry
    other.attributes[1].type = .double
    expect(.schemaMismatch, "migrate the store", "\(kind), another type") {
      try StoreLocation(kind: kind.kind, path: path).open(schema: Schema(entities: [other])).close()
    }
    try open()
  }

  @Test(
    "A lock that is held and a store that is closed are named with the next step",
    arguments: FileStore.inPlace)
  func uses(_ kind: FileStore) throws {
    let holder = try HelperProcess.store(["hold", kind.location(path)])
    #expect(holder.line() == "ready")
    let store = try kind.open(path) { $0.writerWait = .milliseconds(50) }
    expect(.busy, "Try again", "\(kind), held") { try store.insert(Entry(1, 1)) }
    try holder.finish()
    #expect(holder.lines().last == "ok")
    try store.close()
    expect(.closed, "Open the store again", "\(kind), closed") { try store.insert(Entry(1, 1)) }
  }
}

private enum DynamicSchema {
  /// ``Entry``, as its model declares it.
  static let entry = EntityDescription(
    name: "Entry",
    attributes: [
      AttributeDescription("id", .int64), AttributeDescription("group", .int64),
      AttributeDescription("number", .int64), AttributeDescription("text", .string),
    ], key: ["id"])
}
