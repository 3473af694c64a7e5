import Foundation
import ORM
import ORMConformance
import OrderedEngine
import RocksStore
import Synchronization
import Testing

/// Opens stores in folders of RocksDB.
struct RocksProvider: StoreProvider {
  let name = "RocksStore"
  private let files = Files()

  /// The paths of the stores that are open or were.
  private final class Files: Sendable {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("rocks-\(UUID().uuidString)")
    let paths = Mutex<[ObjectIdentifier: String]>([:])
  }

  func newPath() -> String { files.folder.appendingPathComponent(UUID().uuidString).path }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try open(newPath(), schema, options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    let path = files.paths.withLock { $0[ObjectIdentifier(store.runtime)] }
    guard let path else { throw StoreError(.cannotOpen, "this folder holds no such store") }
    // To close twice is allowed.
    try store.close()
    return try open(path, schema, options)
  }

  private func open(_ path: String, _ schema: Schema, _ options: StoreOptions) throws -> RocksStore
  {
    let store = try RocksStore(path: path, schema: schema, options: options)
    files.paths.withLock { $0[ObjectIdentifier(store.runtime)] = path }
    return store
  }

  func cleanUp() throws {
    if FileManager.default.fileExists(atPath: files.folder.path) {
      try FileManager.default.removeItem(at: files.folder)
    }
  }
}

@Suite("RocksStore conforms", .serialized)
struct RocksConformanceTests {
  @Test("every case of its share holds", arguments: ConformanceSuite.cases(ofStore: 1))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: RocksProvider())
  }

  @Test("random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws { try await run.agree(on: RocksProvider()) }

  static func seed(_ test: String = #function) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 0..<1_000_000_000)
    print("RocksStore \(test): STRATA_SEED=\(seed)")
    return seed
  }
}

@Suite("RocksStore opens what is its own, and refuses the rest")
struct RocksOpeningTests {
  let provider = RocksProvider()
  let path: String
  let schema: Schema

  init() throws {
    path = provider.newPath()
    schema = try Schema(entities: [
      EntityDescription(
        name: "Plant",
        attributes: [
          AttributeDescription("id", .int64), AttributeDescription("height", .int64),
        ], key: ["id"])
    ])
  }

  /// Makes a store of one row.
  private func fill() throws {
    let store = try RocksStore(path: path, schema: schema)
    try store.write {
      _ = try $0.save([DynamicRow("Plant", ["id": .int(1), "height": .int(2)])])
    }
    try store.close()
  }

  private func code(_ schema: Schema?, isReadOnly: Bool = false) -> StoreError.Code? {
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    do {
      try RocksStore(path: path, schema: schema, options: options).close()
      return nil
    } catch let error as StoreError {
      #expect("\(error)".contains(path), "\(error)")
      return error.code
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }

  @Test("a missing folder without a schema, or for reading alone, is cannotOpen and not created")
  func missing() throws {
    defer { try? provider.cleanUp() }
    #expect(code(nil) == .cannotOpen)
    #expect(code(schema, isReadOnly: true) == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("without a schema a store has the schema of its folder")
  func withoutSchema() throws {
    defer { try? provider.cleanUp() }
    try fill()
    let store = try RocksStore(path: path, schema: nil)
    #expect(store.schema.entities.map(\.name) == ["Plant"])
    let rows = try store.read { try $0.fetch(DynamicQuery("Plant")) }
    #expect(rows.count == 1)
    try store.close()
  }

  @Test("a file, and a folder of others, are notADatabase and left as they were")
  func foreign() throws {
    defer { try? provider.cleanUp() }
    let files = FileManager.default
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data("text".utf8).write(to: URL(fileURLWithPath: path + "/CURRENT"))
    #expect(code(schema) == .notADatabase)
    #expect(try names() == ["CURRENT"])
    try files.removeItem(atPath: path)
    try Data("text".utf8).write(to: URL(fileURLWithPath: path))
    #expect(code(schema) == .notADatabase)
    #expect(files.contents(atPath: path) == Data("text".utf8))
  }

  @Test("lost and damaged files are corrupt")
  func damaged() throws {
    defer { try? provider.cleanUp() }
    for damage in ["CURRENT", "MANIFEST", "contents of MANIFEST"] {
      try fill()
      let name = try #require(
        try names().first {
          damage.hasSuffix("CURRENT") ? $0 == "CURRENT" : $0.hasPrefix("MANIFEST")
        })
      let file = URL(fileURLWithPath: path + "/" + name)
      if damage.hasPrefix("contents") {
        var bytes = try Data(contentsOf: file)
        bytes[bytes.startIndex + 9] ^= 0x55
        try bytes.write(to: file)
      } else {
        try FileManager.default.removeItem(at: file)
      }
      #expect(code(schema) == .corrupt, "\(damage)")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("a folder is open for writing once in a process; readers of the folder do not count")
  func openTwice() throws {
    defer { try? provider.cleanUp() }
    let store = try RocksStore(path: path, schema: schema)
    #expect(code(schema) == .alreadyOpen)
    #expect(code(schema, isReadOnly: true) == nil)
    try store.close()
    #expect(code(schema) == nil)
  }

  @Test("a folder that another process has open is busy")
  func otherProcess() throws {
    defer { try? provider.cleanUp() }
    try fill()
    // The lock of RocksDB is a POSIX lock of the whole file.
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    holder.arguments = [
      "python3", "-c",
      "import fcntl,sys; f=open(sys.argv[1],'r+'); fcntl.lockf(f,fcntl.LOCK_EX); print('held',flush=True); sys.stdin.read()",
      path + "/LOCK",
    ]
    let (input, output) = (Pipe(), Pipe())
    (holder.standardInput, holder.standardOutput) = (input, output)
    try holder.run()
    #expect(output.fileHandleForReading.availableData.starts(with: Data("held".utf8)))
    #expect(code(schema) == .busy)
    try input.fileHandleForWriting.close()
    holder.waitUntilExit()
    #expect(code(schema) == nil)
  }
}

@Suite("RocksMap keeps the contract of ordered maps", .serialized)
struct RocksMapTests {
  /// Maps without a sync at each commit, in a folder that goes with the test.
  private func withContract(_ body: (OrderedStoreContract<RocksMap>) throws -> Void) throws {
    let provider = RocksProvider()
    defer { try? provider.cleanUp() }
    try body(
      OrderedStoreContract { try RocksMap(path: provider.newPath(), isSynced: false) })
  }

  @Test("every clause holds", arguments: OrderedStoreContract<RocksMap>.cases)
  func holds(_ item: OrderedStoreContract<RocksMap>.Case) throws {
    try withContract { try $0.run(item, seed: RocksConformanceTests.seed(item.name)) }
  }

  @Test("random batches leave what sorted arrays have")
  func agreesWithTheModel() throws {
    try withContract { try $0.compareWithModel(seed: RocksConformanceTests.seed()) }
  }
}
