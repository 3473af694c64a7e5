import ORM
import ORMObservation
import ORMPlatform
import StoreModels

/// Forks of a process that has a store open, at each point of an operation: clause 6.9.
enum ForkCommands {
  /// A point of an operation.
  private enum Point: String, CaseIterable {
    case open, read, afterFind, chunk, write, afterSave, afterSecondStore, inSavepoint,
      afterSavepoint
    case beforeCommit, rollback, noticed, afterCommit

    /// True if the transaction around the point is committed by the parent.
    var commits: Bool {
      switch self {
      case .open, .read, .afterFind, .chunk, .rollback, .noticed, .afterCommit: false
      default: true
      }
    }
  }

  /// The two processes after a fork, and the codes that the child got.
  private final class Processes {
    private var child: pid_t?
    var codes: [String] = []
    var isChild: Bool { child == 0 }

    func fork() throws {
      // The importer hides it: a program in C that carries a Swift library may fork.
      guard let symbol = dlsym(nil, "fork") else { throw StoreError(.engine, "There is no fork.") }
      typealias Fork = @convention(c) () -> pid_t
      child = unsafeBitCast(symbol, to: Fork.self)()
      if isChild { alarm(30) }
    }

    /// Notes what the child gets from a body.
    func note(_ body: () throws -> Void) { codes.append(StoreCommands.code(body)) }

    /// Tries everything that reads in the child.
    func read(in transaction: ReadTransaction) {
      guard isChild else { return }
      note { _ = try transaction.find(Counter.self, 1) }
      note { _ = try transaction.fetch(Counter.all) }
      note { _ = try transaction.count(Entry.self) }
    }

    /// Tries everything that reads and writes in the child.
    func write(in transaction: WriteTransaction) {
      guard isChild else { return }
      read(in: transaction)
      note { try transaction.save(Counter(1, value: 1_000)) }
      note { try transaction.insert(Entry(100, 1)) }
      note { _ = try transaction.update(Counter.all) { $0[\.value] += 1_000 } }
      note { _ = try transaction.delete(Counter.all) }
      note { try transaction.savepoint { _ in } }
    }

    /// Ends the child, or waits for its end and returns its status.
    func end(_ point: Point, _ store: any Store) -> Int32 {
      if isChild {
        note { _ = try store.find(Counter.self, 1) }
        note { try store.save(Counter(1, value: 1_000)) }
        note { try store.write { try $0.save(Counter(1, value: 1_000)) } }
        note { try store.close() }
        let all = Set(codes).sorted().joined(separator: " ")
        report(point.rawValue, all)
        _exit(all == StoreError.Code.forked.rawValue ? 0 : 1)
      }
      var status: Int32 = 0
      if let child { waitpid(child, &status, 0) }
      return status
    }
  }

  private struct Undone: Error {}

  /// Forks at each point, and reports what each child got and what is left.
  static func run(_ location: String) throws {
    let store = try StoreCommands.open(location)
    try store.save((1...50).map { Counter($0) })
    try store.save((0..<50).map { Entry($0, 0) })
    var value = 0
    for point in Point.allCases {
      let processes = Processes()
      let end = StoreCommands.code { try pass(point, store, processes) }
      if processes.isChild, point.commits { processes.codes.append(end) }
      let status = processes.end(point, store)
      if status != 0 || end != "allowed" { report(point.rawValue, "parent:", end, status) }
      if point.commits { value += 1 }
      let found = try store.find(Counter.self, 1)?.value ?? -1
      if found != value { report(point.rawValue, "parent:", found, "in place of", value) }
    }
    report("parent:", value, try store.count(Counter.self), try store.count(Entry.self))
    report(try store.check().isSound ? "sound" : "unsound")
    try store.close()
  }

  /// Passes a point, at which the process is forked.
  private static func pass(_ point: Point, _ store: any Store, _ processes: Processes) throws {
    switch point {
    case .open, .afterCommit:
      if point == .afterCommit { try store.save(Counter(2, value: 1)) }
      try processes.fork()
    case .noticed:
      let observation = try store.observe(Counter.all).follow()
      try processes.fork()
      if processes.isChild {
        processes.note { _ = try store.observe(Counter.all).follow() }
      }
      withExtendedLifetime(observation) {}
    case .read, .afterFind:
      try store.read { transaction in
        if point == .afterFind { _ = try transaction.find(Counter.self, 7) }
        try processes.fork()
        processes.read(in: transaction)
      }
    case .chunk:
      var count = 0
      do {
        try store.read { transaction in
          try transaction.chunks(Counter.all, size: 5) { rows in
            count += rows.count
            if count == 10 { try processes.fork() }
            if processes.isChild, count > 10 { processes.codes.append("rows") }
            processes.read(in: transaction)
          }
        }
      } catch  where processes.isChild {
        processes.note { throw error }
      }
      if !processes.isChild, count != 50 { throw StoreError(.engine, "\(count) rows") }
    case .rollback:
      do {
        try store.write { transaction in
          try increment(in: transaction)
          try processes.fork()
          processes.write(in: transaction)
          throw Undone()
        }
      } catch is Undone {}
    case .write, .afterSave, .afterSecondStore, .inSavepoint, .afterSavepoint, .beforeCommit:
      try store.write { transaction in
        if point == .write { try processes.fork() }
        processes.write(in: transaction)
        if processes.isChild { return }
        if point == .inSavepoint || point == .afterSavepoint {
          try transaction.savepoint {
            try increment(in: $0)
            if point == .inSavepoint { try processes.fork() }
            processes.write(in: $0)
          }
        } else {
          try increment(in: transaction)
        }
        if point == .afterSave || point == .afterSavepoint { try processes.fork() }
        processes.write(in: transaction)
        if processes.isChild { return }
        // A coordinator begins its other store here, and without it that store has no transaction.
        var entry = Entry.sample(1)
        entry.text = point.rawValue
        try transaction.save(entry)
        if point == .afterSecondStore { try processes.fork() }
        processes.write(in: transaction)
        if processes.isChild { return }
        _ = try transaction.fetch(Entry.all)
        if point == .beforeCommit { try processes.fork() }
      }
    }
  }

  private static func increment(in transaction: WriteTransaction) throws {
    let counter = try transaction.find(Counter.self, 1) ?? Counter(1)
    try transaction.save(Counter(1, value: counter.value + 1))
  }
}
