import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCoordinator
import ORMCore
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Coordinators whose configurations or stores do not fit: each is refused by a typed error, and what is
/// there stays as it is.
@Suite struct CoordinatorTests {
  private let folder = TestFolder()

  private var sqlite: StoreLocation { .sqlite(path: folder.file("a.sqlite")) }
  private var lmdb: StoreLocation { .lmdb(path: folder.file("b.lmdb")) }

  private func open(
    _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> StoreCoordinator {
    var options = StoreOptions()
    set(&options)
    return try StoreCoordinator(
      StoreModels.schema(), options: options,
      configurations: [
        .configuration("main", Journal.self, at: sqlite),
        .configuration("bulk", Entry.self, at: lmdb),
        .configuration("cache", Counter.self, at: .memory),
      ])
  }

  /// Makes the stores, with a transaction over all of them.
  private func make(_ transactions: Int = 1) throws {
    let store = try open()
    for _ in 0..<transactions { _ = try Numbered.next(in: store) }
    try store.save(Counter(1, value: 7))
    try store.close()
  }

  // MARK: Configurations

  @Test("12.10: configurations that do not fit the schema are refused, each fault by name")
  func configurations() throws {
    func messages(_ configurations: [StoreConfiguration]) throws -> [String] {
      let error = storeError {
        _ = try StoreCoordinator(StoreModels.schema(), configurations: configurations)
      }
      #expect(error?.code == .invalidSchema)
      return try #require(error).failures.map { "\($0.entity ?? ""): \($0.message)" }
    }
    let entry = StoreConfiguration.configuration("a", Entry.self, at: .memory)
    let rest = StoreConfiguration.configuration("b", entities: [], at: .memory)
    #expect(try messages([]).count == 1 + 3)
    #expect(try messages([entry]).count == 2)
    #expect(try messages([entry, rest, .configuration("c", at: .memory)]).count == 1)
    #expect(
      try messages([entry, .configuration("a", at: .memory)]) == [
        ": two configurations have the name a"
      ])
    #expect(
      try messages([entry, rest, .configuration("c", Entry.self, at: .memory)]) == [
        "Entry: it is in the configurations a and c"
      ])
    #expect(
      try messages([entry, rest, .configuration("c", entities: ["Film"], at: .memory)]) == [
        "Film: a configuration names it, and the schema lacks it"
      ])
  }

  @Test("12.10: a store in memory that is called durable is refused")
  func memoryIsNotDurable() throws {
    let error = storeError {
      _ = try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          .configuration("main", Journal.self, Entry.self, at: sqlite),
          .configuration("cache", Counter.self) { MemoryStore(schema: $0, options: $1) },
        ])
    }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message.contains("cache") == true)
  }

  @Test("12.10: an entity stays in its configuration, and the journal in its own")
  func moved() throws {
    try make()
    let moved = storeError {
      _ = try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          .configuration("main", Journal.self, Entry.self, at: sqlite),
          .configuration("bulk", Counter.self, at: lmdb),
        ])
    }
    #expect(moved?.code == .schemaMismatch)
    #expect(moved?.failures.map(\.entity) == ["Entry"])
    let turned = storeError {
      _ = try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          .configuration("bulk", Entry.self, at: lmdb),
          .configuration("main", Journal.self, at: sqlite),
          .configuration("cache", Counter.self, at: .memory),
        ])
    }
    #expect(turned?.code == .schemaMismatch)
    #expect(turned?.message.contains("main") == true)
    let store = try open()
    #expect(try store.count(Entry.self) == Numbered.count(1))
    try store.close()
  }

  @Test("12.10: a configuration cannot be left out", arguments: [false, true])
  func leftOut(isReadOnly: Bool) throws {
    try make()
    let before = try [sqlite, lmdb].map { try bytes($0.path ?? "") }
    for entities in [["Journal", "Entry"], ["Journal"]] {
      var options = StoreOptions()
      options.isReadOnly = isReadOnly
      let error = storeError {
        _ = try StoreCoordinator(
          StoreModels.schema(), options: options,
          configurations: [
            .configuration("main", entities: entities, at: sqlite),
            .configuration("cache", at: .memory),
          ])
      }
      #expect(error?.code == .schemaMismatch, "\(error?.description ?? "opened")")
      // A store that is only read says first what it lacks.
      if !isReadOnly || entities.count == 1 {
        #expect(error?.message.contains("bulk") == true, "\(error?.description ?? "")")
      }
    }
    #expect(try [sqlite, lmdb].map { try bytes($0.path ?? "") } == before || !isReadOnly)
    let store = try open()
    #expect(try store.count(Entry.self) == Numbered.count(1))
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("12.10: two configurations cannot have one file")
  func oneFile() throws {
    let error = storeError {
      _ = try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          .configuration("main", Journal.self, at: sqlite),
          .configuration("bulk", Entry.self, Counter.self, at: sqlite),
        ])
    }
    #expect(error?.code == .alreadyOpen || error?.code == .busy, "\(error?.description ?? "")")
  }

  // MARK: Stores

  @Test(
    "12.11: a store that is missing is cannotOpen, and names its configuration", arguments: [0, 1])
  func missing(_ member: Int) throws {
    try make()
    let path = try #require([sqlite, lmdb][member].path)
    for name in try folder.names() where folder.file(name).hasPrefix(path) {
      try FileManager.default.moveItem(atPath: folder.file(name), toPath: folder.file("x" + name))
    }
    for isReadOnly in [false, true] {
      let error = storeError { _ = try open { $0.isReadOnly = isReadOnly } }
      #expect(error?.code == .cannotOpen, "\(error?.description ?? "")")
      #expect(error?.message.contains(["main", "bulk"][member]) == true)
      #expect(error?.store == path)
      // Neither the file nor one beside it: a log, a lock, an unfinished copy.
      #expect(try folder.names().filter { folder.file($0).hasPrefix(path) } == [])
    }
    for name in try folder.names() where name.hasPrefix("x") {
      try FileManager.default.moveItem(
        atPath: folder.file(name), toPath: folder.file(String(name.dropFirst())))
    }
    let store = try open()
    #expect(try store.count(Entry.self) == Numbered.count(1))
    #expect(try store.count(Journal.self) == 1)
    #expect(try store.count(Counter.self) == 0)
    try store.close()
  }

  @Test("12.11: a store that is older or newer than the others is wrongStore", arguments: [0, 1])
  func older(_ member: Int) throws {
    try make(2)
    let path = try #require([sqlite, lmdb][member].path)
    let copy = folder.file("copy")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let store = try open()
    for _ in 0..<3 { _ = try Numbered.next(in: store) }
    // A transaction of the journal's store alone removes the last entry.
    try store.insert(Journal(1_000, greatest: 0))
    try store.delete(Journal.self, id: 1_000)
    try store.close()
    let newest = try bytes(path)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: copy, toPath: path)
    let error = storeError { _ = try open() }
    #expect(error?.code == .wrongStore, "\(error?.description ?? "")")
    #expect(error?.message.contains("bulk") == true)
    #expect(error?.message.contains(member == 0 ? "newer" : "older") == true)
    try newest.write(to: URL(fileURLWithPath: path))
    let again = try open()
    #expect(try again.count(Journal.self) == 5)
    #expect(try Numbered.next(in: again) == 6)
    try again.close()
  }

  @Test("12.11: a store of another coordinator is wrongStore, and is left as it was")
  func otherCoordinator() throws {
    try make()
    let other = CoordinatorTests()
    try other.make(2)
    let path = try #require(other.lmdb.path)
    let error = storeError {
      _ = try StoreCoordinator(
        StoreModels.schema(),
        configurations: [
          .configuration("main", Journal.self, at: sqlite),
          .configuration("bulk", Entry.self, at: other.lmdb),
          .configuration("cache", Counter.self, at: .memory),
        ])
    }
    #expect(error?.code == .wrongStore)
    #expect(error?.store == path)
    let store = try other.open()
    #expect(try Numbered.next(in: store) == 3)
    try store.close()
  }

  @Test(
    "12.11: a state or a journal that is damaged is corrupt, one of a newer form too new",
    .enabled(if: SQLiteCommand.isPossible, "needs the sqlite3 command"))
  func damagedState() throws {
    try make()
    let path = try #require(sqlite.path)
    let whole = try bytes(path)
    let table = try SQLiteCommand.run(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%coordinator%'", path)
    for (content, code) in [
      ("x''", StoreError.Code.corrupt), ("x'01ff'", .corrupt), ("x'02'", .schemaTooNew),
    ] {
      try SQLiteCommand.run(
        "UPDATE \"\(table)\" SET content = \(content) WHERE number = 0", path)
      #expect(storeError { _ = try open() }?.code == code, "\(content)")
      try whole.write(to: URL(fileURLWithPath: path))
    }
    let store = try open()
    #expect(try Numbered.next(in: store) == 2)
    try store.close()
  }

  @Test("12.10: a coordinator that only reads changes nothing, and makes no store")
  func readOnly() throws {
    #expect(storeError { _ = try open { $0.isReadOnly = true } } != nil)
    try make()
    let before = try [sqlite, lmdb].map { try bytes($0.path ?? "") }
    let store = try open { $0.isReadOnly = true }
    #expect(try store.count(Entry.self) == Numbered.count(1))
    #expect(storeError { _ = try Numbered.next(in: store) }?.code == .readOnly)
    try store.close()
    #expect(try [sqlite, lmdb].map { try bytes($0.path ?? "") } == before)
  }

  // MARK: Full stores

  @Test(
    "12.11: a store that cannot take a commit degrades the coordinator, and catches up with room",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"))
  func full() throws {
    let disk = try TinyDisk(size: "1m")
    let reported = SharedList<StoreError.Code>()
    func open() throws -> StoreCoordinator {
      var options = StoreOptions()
      options.onError = { if let error = $0 as? StoreError { reported.add(error.code) } }
      return try StoreCoordinator(
        StoreModels.schema(), options: options,
        configurations: [
          .configuration("main", Journal.self, at: sqlite),
          .configuration("bulk", Entry.self, at: .lmdb(path: disk.folder.file("b.lmdb"))),
          .configuration("cache", Counter.self, at: .memory),
        ])
    }
    let store = try open()
    #expect(try Numbered.next(in: store) == 1)
    try store.save(Counter(1, value: 7))
    disk.fillUp()
    // LMDB writes when it commits: the journal's store has committed by then.
    try store.write { tx in
      try tx.insert((0..<40).map { Entry(2, $0) })
      try tx.insert(Journal(2, greatest: 0))
    }
    #expect(reported.all == [.degraded])
    #expect(try store.count(Journal.self) == 2)
    #expect(try store.find(Counter.self, 1)?.value == 7)
    let reading = storeError { _ = try store.count(Entry.self) }
    #expect(reading?.code == .degraded)
    #expect(reading?.message.contains("bulk") == true)
    #expect(reading?.failures.map(\.code) == [.full])
    #expect(storeError { try store.save(Counter(1, value: 8)) }?.code == .degraded)
    #expect(try store.find(Counter.self, 1)?.value == 7)
    try store.close()

    let again = try open()
    #expect(try again.count(Journal.self) == 2)
    #expect(storeError { _ = try again.count(Entry.self) }?.code == .degraded)
    try disk.makeRoom()
    try again.save(Counter(2, value: 1))
    #expect(try again.count(Entry.self) == Numbered.count(1) + 40)
    #expect(try again.check().isSound)
    try again.close()
  }

  // MARK: Transactions

  @Test("12.10: a statement of SQL and changes of other stores are not one transaction")
  func statements() throws {
    let second = StoreLocation.sqlite(path: folder.file("c.sqlite"))
    let store = try StoreCoordinator(
      StoreModels.schema(),
      configurations: [
        .configuration("main", Journal.self, Counter.self, at: sqlite),
        .configuration("bulk", Entry.self, at: second),
      ])
    #expect(storeError { try store.execute(sql: "CREATE TABLE mine (a)") }?.code == .unsupported)
    let error = storeError {
      try store.write { tx in
        try tx.execute(sql: "CREATE TABLE mine AS SELECT * FROM \(Entry.self)")
        try tx.insert(Journal(1, greatest: 0))
      }
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("bulk") == true)
    #expect(try store.count(Journal.self) == 0)
    try store.execute(sql: "CREATE TABLE mine AS SELECT * FROM \(Entry.self)")
    try store.close()
  }

  @Test("12.10: an explanation names the configuration of each part")
  func explanations() throws {
    let store = try open()
    let text = "\(try store.explain(Entry.all.where { $0.group == 1 }))"
    #expect(text.contains("bulk"), "\(text)")
    try store.close()
  }

  @Test("12.10: a read sees one moment of all stores while others commit")
  func moments() async throws {
    let store = try open()
    let done = SharedList<Bool>()
    let writer = Task.detached {
      defer { done.add(true) }
      for number in 1...300 {
        try await store.write { tx in
          // Transactions of one store and of several, in turn; the sum of both is the number.
          if number % 3 != 0 { try tx.save(Counter(1, value: number)) }
          if number % 3 != 1 { try tx.save(Journal(1, greatest: Int64(number))) }
        }
      }
    }
    var reads = 0
    while done.all.isEmpty {
      try await store.read { tx in
        let counter = try tx.find(Counter.self, 1)?.value ?? 0
        let journal = Int(try tx.find(Journal.self, 1)?.greatest ?? 0)
        // After 3k + 1 the counter leads by 1, after 3k + 2 both are equal, after 3k + 3 the journal leads.
        let isOne =
          switch max(counter, journal) % 3 {
          case 1: counter == journal + 1 || counter <= 1
          case 2: counter == journal
          default: journal == counter + 1 || journal == 0
          }
        #expect(isOne, "\(counter) and \(journal)")
      }
      reads += 1
    }
    try await writer.value
    #expect(reads > 0)
    try await store.close()
  }
}
