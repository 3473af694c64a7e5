import LMDBBackend
import ORMCore
import ORMPlatform
import OrderedEngine

/// The commands by which tests have another process use LMDB files.
enum LMDBCommands {
  static func run(_ command: String, _ path: String, _ arguments: [String]) throws {
    let number = arguments.first.flatMap { Int($0) } ?? 0
    switch command {
    case "commit": try commit(path, count: number)
    case "create": try create(path)
    case "open": try hold(path) { _ in nil }
    case "read": try hold(path) { try $0.snapshot() }
    case "write":
      try hold(path) { map in
        let batch = try map.batch(wait: 5)
        try batch.put("held", "x", in: 1)
        return batch
      }
    case "put": try put(path, Keyspace(number))
    case "exercise": try exercise()
    case "limit-file": try limitFile(path, number)
    case "limit-memory": try limitMemory(path, number)
    case "grow": try grow(path, number)
    case "fork": try fork(path)
    case "forge": try CleanNote.forge(for: path)
    default: throw StoreError(.invalidCondition, "There is no command \(command).")
    }
  }

  /// Commits one numbered row after another, going on from those in the file, and reports each
  /// number when it is durable.
  ///
  /// `count` of them, or with 0 until the process is ended.
  ///
  /// Keyspace 1 holds the last fifty rows, keyspace 2 the last number, keyspace 3 is emptied now and then.
  private static func commit(_ path: String, count: Int) throws {
    let map = try LMDBMap(path: path)
    let first = 1 + (try map.read { try $0.text("last", in: 2) }.flatMap { Int($0) } ?? 0)
    for number in first..<(count == 0 ? Int.max : first + count) {
      let batch = try map.batch(wait: 5)
      let row = String(repeating: "\(number) ", count: number * 37 % 1_000)
      try batch.put("row \(number)", row, in: 1)
      try batch.put("last", "\(number)", in: 2)
      try batch.savepoint { try batch.put("note \(number)", row, in: 3) }
      _ = try "row \(number - 50)".withBytes { try batch.remove($0, in: 1) }
      if number % 20 == 0 { try batch.removeAll(in: 3) }
      try batch.commit()
      report(number)
    }
    try map.close()
  }

  /// Makes one file after another in a folder, and reports the number of each.
  private static func create(_ folder: String) throws {
    for number in 0..<Int.max {
      let map = try LMDBMap(path: "\(folder)/\(number).mdb")
      report(number)
      try map.close()
    }
  }

  /// Opens the file, holds something of it, and waits for a line before it closes.
  private static func hold(_ path: String, _ body: (LMDBMap) throws -> AnyObject?) throws {
    let map = try LMDBMap(path: path)
    let held = try body(map)
    report("ready")
    _ = readLine()
    try withExtendedLifetime(held) { try map.close() }
  }

  private static func put(_ path: String, _ keyspace: Keyspace) throws {
    let map = try LMDBMap(path: path)
    try map.write { try $0.put("k", "\(keyspace)", in: keyspace) }
    try map.close()
  }

  /// Opens every file named by a line, and reads and writes all it can; reports each one's outcome.
  private static func exercise() throws {
    while let path = readLine() {
      do {
        let map = try LMDBMap(path: path)
        try map.exercise()
        try map.close()
        report("ok")
      } catch let error as StoreError {
        report(error.code.rawValue)
      }
    }
  }

  /// Writes until no file of this process may become larger, and then, allowed more, goes on.
  private static func limitFile(_ path: String, _ size: Int) throws {
    signal(SIGXFSZ, SIG_IGN)
    let map = try LMDBMap(path: path)
    try map.write { try $0.put("before", "x", in: 1) }
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: .max)
    setrlimit(fileSizeLimit, &limit)
    do {
      try map.write { batch in
        for number in 0..<100_000 {
          try batch.put("key \(number)", String(repeating: "v", count: 500), in: 1)
        }
      }
    } catch let error as StoreError {
      report(error.code.rawValue)
    }
    limit.rlim_cur = .max
    setrlimit(fileSizeLimit, &limit)
    try map.write { try $0.put("after", "x", in: 1) }
    report(try map.read { try $0.count(of: 1) })
    try map.close()
  }

  /// Opens the file with little address space, and fills it beyond.
  private static func limitMemory(_ path: String, _ size: Int) throws {
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: .max)
    setrlimit(addressSpaceLimit, &limit)
    try put(path, 1)
  }

  /// Writes a file larger than the map of others who reserved little.
  private static func grow(_ path: String, _ size: Int) throws {
    let map = try LMDBMap(path: path)
    try map.write { batch in
      for number in 0..<size >> 10 {
        try batch.put("key \(number)", String(repeating: "v", count: 1_000), in: 1)
      }
    }
    try map.close()
  }

  /// Reports what a child that was forked may do with the map of its parent, and then its parent.
  private static func fork(_ path: String) throws {
    let map = try LMDBMap(path: path)
    try map.write { try $0.put("parent", "1", in: 1) }
    let snapshot = try map.snapshot()
    let batch = try map.batch(wait: 5)
    try batch.put("parent", "2", in: 1)
    guard let symbol = dlsym(nil, "fork") else { throw StoreError(.engine, "There is no fork.") }
    typealias Fork = @convention(c) () -> pid_t
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      do {
        report(
          "child:", StoreCommands.code { _ = try map.snapshot() },
          StoreCommands.code { _ = try map.batch(wait: 1) })
        // Letting go of what is the parent's leaves it alone.
        snapshot.end()
        batch.end()
        try map.close()
        let own = try LMDBMap(path: path)
        report("child reads", try own.read { try $0.text("parent", in: 1) } ?? "nothing")
        report("child writes:", StoreCommands.code { _ = try own.batch(wait: 0.1) })
        try own.close()
      } catch {
        report("child: \(error)")
      }
      _exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    report("parent reads", try snapshot.text("parent", in: 1) ?? "nothing")
    snapshot.end()
    try batch.commit()
    report("parent reads", try map.read { try $0.text("parent", in: 1) } ?? "nothing")
    try map.close()
  }

  #if canImport(Glibc)
    private static let fileSizeLimit = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    private static let addressSpaceLimit = __rlimit_resource_t(RLIMIT_AS.rawValue)
  #else
    private static let fileSizeLimit = RLIMIT_FSIZE
    private static let addressSpaceLimit = RLIMIT_AS
  #endif
}

extension String {
  fileprivate func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Array(utf8).withUnsafeBytes(body)
  }
}

extension OrderedSnapshot {
  fileprivate func text(_ key: String, in keyspace: Keyspace) throws -> String? {
    try key.withBytes { try get($0, in: keyspace) { String(decoding: $0, as: UTF8.self) } }
  }
}

extension OrderedBatch {
  fileprivate func put(_ key: String, _ value: String, in keyspace: Keyspace) throws {
    try key.withBytes { key in try value.withBytes { try put(key, $0, in: keyspace) } }
  }
}

extension LMDBMap {
  fileprivate func read<R>(_ body: (LMDBSnapshot) throws -> R) throws -> R {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    return try body(snapshot)
  }

  fileprivate func write(_ body: (LMDBBatch) throws -> Void) throws {
    let batch = try batch(wait: 5)
    defer { batch.end() }
    try body(batch)
    try batch.commit()
  }

  /// Reads everything, then changes a part of every keyspace, so that pages are split, merged, freed
  /// and taken from the list of free ones.
  fileprivate func exercise() throws {
    let keyspaces: [Keyspace] = [0, 1, 2, 3]
    var keys: [Keyspace: [[UInt8]]] = [:]
    try read { snapshot in
      for keyspace in keyspaces {
        let cursor = try snapshot.cursor(in: keyspace)
        var sum = 0
        var stands = try cursor.seekLast()
        while stands {
          keys[keyspace, default: []].append(Array(cursor.key))
          sum = cursor.value.reduce(sum) { $0 &+ Int($1) }
          stands = try cursor.previous()
        }
        stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
        while stands { stands = try cursor.next() }
        for key in keys[keyspace, default: []] {
          _ = try key.withUnsafeBytes { try snapshot.get($0, in: keyspace) { $0.count } }
        }
        _ = try snapshot.count(of: keyspace)
      }
    }
    for round in 0..<4 {
      try write { batch in
        for keyspace in keyspaces {
          for (index, key) in keys[keyspace, default: []].enumerated() where index % 4 == round {
            _ = try key.withUnsafeBytes { try batch.remove($0, in: keyspace) }
            try batch.put(
              "new \(index)", String(repeating: "n", count: index % 3_000), in: keyspace)
          }
        }
      }
    }
    try write { batch in
      for keyspace in keyspaces { try batch.removeAll(in: keyspace) }
    }
  }
}
