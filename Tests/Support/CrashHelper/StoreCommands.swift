import Dispatch
import LMDBBackend
import MemoryBackend
import ORM
import ORMPlatform
import PostgresBackend
import SQLiteBackend
import StoreModels

/// What tests have another process do with stores, through the public API alone: any of them, named
/// by its location.
enum StoreCommands {
  static func run(_ command: String, _ location: String, _ arguments: [String]) throws {
    let amount = arguments.first.flatMap { Int($0) } ?? 0
    switch command {
    case "number": try number(location, count: amount, arguments.dropFirst().first ?? "full")
    case "crowd": try crowd(location, from: amount)
    case "make": try make(location)
    case "sync": try sync(location, count: amount, arguments.dropFirst().first ?? "full")
    case "hold": try hold(location)
    case "count": try count(location, times: amount)
    case "probe": try StoreProbe(scheme: location, arguments).run()
    case "damage":
      var damage = try StoreDamage(arguments)
      try damage.run()
    case "fill": try fill(location)
    case "named": try named(location, arguments.first)
    case "foreign": try makeForeignLMDB(location)
    case "reels": try reels(location)
    case "watch": try watch(location)
    case "consume": try HistoryCommands.consume(location)
    case "follow":
      let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
      try HistoryCommands.follow(location, arguments.first ?? "", count: count)
    case "migrate": try migrate(location, .atomic)
    case "migrate-parts": try migrate(location, .resumable)
    case "migrate-online": try migrateOnline(location, isStepped: arguments.first == "stepped")
    case "index": try index(location)
    case "restore":
      try StoreLocation(location, among: [.sqlite, .lmdb, .memory])
        .restore(from: arguments.first ?? "")
    case "golden": try golden(location)
    case "fork": try ForkCommands.run(location)
    case "faulty": try faulty(location, count: amount, arguments.dropFirst().first ?? "")
    default: throw StoreError(.invalidCondition, "There is no command \(command).")
    }
  }

  static func open(
    _ location: String, _ options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    try StoreLocation(
      location, among: [.sqlite, .sqliteWithChecksums, .lmdb, .memory, .postgres] + coordinators
    )
    .open(schema: StoreModels.schema(), options: options)
  }

  private static let coordinators = CoordinatedStore.allCases.map(\.kind)

  /// Opens a store of a kind by its name, or by none, saves a row in it, and reports where it lies.
  private static func named(_ scheme: String, _ name: String?) throws {
    let kinds = [StoreKind.sqlite, .sqliteWithChecksums, .lmdb, .memory]
    guard let kind = kinds.first(where: { $0.scheme == scheme }) else {
      throw StoreError(.invalidLocation, scheme)
    }
    let location = name.map { StoreLocation(kind: kind, named: $0) } ?? StoreLocation(kind: kind)
    let store = try location.open(schema: StoreModels.schema())
    try store.save(Counter(1, value: 1))
    try (store as? any ImageStore)?.write(to: location.path ?? "")
    try store.close()
    report(location.path ?? "none")
  }

  private static func openReels(
    _ location: String, _ options: StoreOptions = StoreOptions()
  ) throws -> any Store {
    try StoreLocation(location, among: [.sqlite, .lmdb, .memory])
      .open(schema: Reel.schema(), options: options)
  }

  /// Opens a store of members as a program of version 3, and reports both ends of the opening.
  private static func migrate(
    _ location: String, _ mode: MigrationOptions.Mode
  ) throws {
    let location = try StoreLocation(location, among: [.sqlite, .lmdb] + coordinators)
    let (schema, options) = (try Membership.newSchema(), Membership.options(mode))
    report("opening")
    let store = try location.open(schema: schema, options: options)
    report("opened")
    try store.close()
  }

  /// Opens a store of albums as a program of version 2, beside which others write.
  ///
  /// - Parameter isStepped: true to report each transaction, and wait for a line after it.
  private static func migrateOnline(_ location: String, isStepped: Bool) throws {
    let location = try StoreLocation(
      location, among: [.sqlite, .sqliteWithChecksums, .lmdb, .postgres])
    var options = Albums.options
    if isStepped {
      options.onSchemaEvent = { event in
        guard case .progress = event else { return }
        report("progress")
        _ = readLine()
      }
    }
    report("opening")
    let store = try location.open(schema: Albums.schema(version: 2), options: options)
    report("opened")
    try store.close()
  }

  /// Opens a store by a schema with indexes that it lacks.
  private static func index(_ location: String) throws {
    let location = try StoreLocation(location, among: [.sqlite, .lmdb, .postgres])
    report("opening")
    try Cups.build { try location.open(schema: $0, options: $1) }
    report("opened")
  }

  /// Makes the store of `Tests/Golden` of a kind.
  private static func golden(_ location: String) throws {
    let location = try StoreLocation(location, among: [.sqlite, .lmdb, .memory])
    guard let path = location.path else { throw StoreError(.invalidLocation, "\(location)") }
    let isImage = location.kind.scheme == StoreKind.memory.scheme
    let store =
      try isImage
      ? MemoryStore(schema: GoldenStore.schema()) : location.open(schema: GoldenStore.schema())
    try GoldenStore.fill(store)
    try (store as? any ImageStore)?.write(to: path)
    try store.close()
  }

  private struct Undone: Error {}

  /// Tries `count` numbered transactions of reels while calls of the system fail, and reports the
  /// number of each or its code; no wait is longer than a tenth of a second.
  ///
  /// After a failure a write block is undone. With `stop` the process then ends, as if killed; with
  /// `run` it goes on, and ends so after the last; with `close` the store is closed.
  private static func faulty(_ location: String, count: Int, _ end: String) throws {
    var options = StoreOptions()
    options.writerWait = .milliseconds(100)
    options.readerWait = .milliseconds(100)
    let store = try openReels(location, options)
    for _ in 0..<count {
      do {
        report(try Reels.next(in: store))
      } catch let error as StoreError {
        report(error.code.rawValue)
        try? store.write { transaction in
          try transaction.save(Reel(1_000, film: 3))
          throw Undone()
        }
        if end == "stop" { _exit(0) }
      }
    }
    if end != "close" { _exit(0) }
    try store.close()
  }

  /// Writes reels, one numbered transaction after another, and reports each number.
  private static func reels(_ location: String) throws {
    let store = try openReels(location)
    while true { report(try Reels.next(in: store)) }
  }

  /// Begins to read, waits inside the block for a line, and reports the sizes of all films.
  private static func watch(_ location: String) throws {
    let store = try openReels(location)
    try store.read { transaction in
      report(try transaction.count(Reel.self))
      _ = readLine()
      report(try transaction.fetch(Reel.all).map(\.film.count))
    }
    try store.close()
  }

  /// Runs one numbered transaction after another, and reports each number when its write returned.
  ///
  /// `count` of them, or with 0 until the process is ended.
  private static func number(_ location: String, count: Int, _ durability: String) throws {
    var options = StoreOptions()
    options.durability = try StoreOptions.Durability(named: durability)
    let store = try open(location, options)
    for _ in 0..<(count == 0 ? .max : count) { report(try Numbered.next(in: store)) }
    try store.close()
  }

  /// Saves counters from a number on, 64 of them at a time, so that they share commits, and reports
  /// the number of each when its save was reported.
  private static func crowd(_ location: String, from first: Int) throws {
    let store = try open(location)
    let places = DispatchSemaphore(value: 64)
    let queue = DispatchQueue(label: "crowd")
    for number in first..<Int.max {
      places.wait()
      store.write(rows: 1, on: queue) { tx in
        try tx.save(Counter(number, value: number * 7))
      } completion: { result in
        if case .success(let counter) = result { report(counter.id) }
        places.signal()
      }
    }
  }

  /// Makes one file after another in a folder, and reports the number of each that holds a row.
  private static func make(_ folder: String) throws {
    for number in 0..<Int.max {
      let store = try open("\(folder)/\(number)")
      try store.insert(Entry(number, 0))
      report(number)
      try store.close()
    }
  }

  /// Commits with a durability, and writes "returned" after each to the log of the syncs.
  private static func sync(_ location: String, count: Int, _ durability: String) throws {
    guard let path = getenv("SYNC_LOG").map({ String(cString: $0) }) else {
      throw StoreError(.invalidCondition, "There is no log.")
    }
    guard let log = fopen(path, "a") else { throw StoreError(.cannotOpen, path) }
    defer { fclose(log) }
    func note(_ line: String) {
      fputs(line, log)
      fflush(log)
    }
    var options = StoreOptions()
    options.durability = try StoreOptions.Durability(named: durability)
    let store = try open(location, options)
    note("opened\n")
    for number in 0..<count {
      try store.insert(Entry(number, 0))
      note("returned\n")
    }
    try store.close()
  }

  /// Adds one to the counter in a write block, and waits inside it for a line.
  private static func hold(_ location: String) throws {
    let store = try open(location)
    try store.write { transaction in
      try increment(in: transaction)
      report("ready")
      _ = readLine()
    }
    try store.close()
  }

  /// Adds one to the counter, again and again.
  private static func count(_ location: String, times: Int) throws {
    let store = try open(location)
    for _ in 0..<times { try store.write { try increment(in: $0) } }
    try store.close()
  }

  private static func increment(in transaction: WriteTransaction) throws {
    let counter = try transaction.find(Counter.self, 1) ?? Counter(1)
    try transaction.save(Counter(1, value: counter.value + 1))
  }

  /// Fills the disk with transactions of fifty rows, reports how that ended, and then what still
  /// goes: the large transaction again, a deletion, and a row.
  private static func fill(_ location: String) throws {
    let store = try open(location)
    var groups = 0
    func addGroup() throws {
      try store.write { transaction in
        for number in 0..<50 {
          var entry = Entry(groups, number)
          entry.text = String(repeating: "v", count: 1_000)
          try transaction.insert(entry)
        }
      }
      groups += 1
    }
    func reportRows() throws {
      let rows = try store.fetch(Entry.all)
      let isWhole = rows.count == groups * 50 && rows.allSatisfy { $0.group < groups }
      report(isWhole ? "whole" : "torn: \(rows.count) rows of \(groups) groups")
    }
    report(code { while true { try addGroup() } })
    try reportRows()
    report(code { try addGroup() })
    try reportRows()
    report(code { _ = try store.delete(Entry.all.where { $0.group == 0 && $0.number == 0 }) })
    report(code { _ = try store.insert(Entry(1_000, 0)) })
    report(try store.count(Entry.self) == groups * 50 ? "whole" : "torn")
    report(groups)
    try store.close()
  }

  static func code(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "allowed"
    } catch {
      return (error as? StoreError)?.code.rawValue ?? "\(error)"
    }
  }
}

extension StoreOptions.Durability {
  /// The durability of a name on the command line.
  fileprivate init(named name: String) throws {
    guard let durability = Self(rawValue: name) else {
      throw StoreError(.invalidCondition, "There is no durability \(name).")
    }
    self = durability
  }
}
