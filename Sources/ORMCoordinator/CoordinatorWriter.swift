internal import ORMRows
internal import ORMStorage

/// The write transaction of a coordinator.
///
/// The journal's member is begun before any other durable one, so that writers of several processes
/// wait for each other there.
final class CoordinatorWriter: CombinedWriter {
  private let stores: CoordinatorMembers
  /// The writers of members whose changes go into the journal.
  private var recorders: [Int: ChangeRecorder] = [:]
  private var raised: Set<String> = []
  /// The members in which statements of the program's own were run, of which the journal has nothing.
  private var stated: Set<Int> = []
  private var isEnded = false

  init(_ stores: CoordinatorMembers) {
    self.stores = stores
    super.init(
      stores.routing, largestValue: stores.options.maximumValueSize,
      isCounted: !stores.options.instruments.isEmpty)
  }

  deinit { end() }

  private var layout: MemberLayout { stores.layout }

  override func begin(_ member: Int) throws -> any StoreWriter {
    if isEnded { throw StoreError(.transactionEnded, "the transaction has ended") }
    let isJournaled = layout.isJournaled && layout.isDurable[member]
    if isJournaled, member != layout.journal { _ = try writer(of: layout.journal) }
    let store = stores.stores[member]
    return try StoreError.naming(store.runtime.name) {
      let writer = try store.writer(WriteTurn())
      guard isJournaled else { return writer }
      if member == layout.journal {
        do {
          try stores.settle(writer)
          try stores.checkIsSettled()
        } catch {
          writer.end()
          throw error
        }
        return writer
      }
      let recorder = ChangeRecorder(
        writer, engine: writer, stores.recorded, ChangeLevels([(names: nil, level: .keys)]),
        limit: .max)
      recorders[member] = recorder
      return recorder
    }
  }

  override func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try super.raiseGreatestKey(of: entity, to: key)
    raised.insert(entity)
  }

  override func execute(sql statement: SQLRequest) throws -> Int {
    let count = try super.execute(sql: statement)
    stated.insert(try routing.member(of: statement))
    return count
  }

  override func end() {
    isEnded = true
    recorders = [:]
    super.end()
  }

  // MARK: - Commit

  override func commit() throws {
    if isEnded { throw StoreError(.transactionEnded, "the transaction has ended") }
    defer { end() }
    let changed = members.filter { $0.value.changes != 0 }.keys.sorted()
    // The member whose commit decides comes first; those that forget come last.
    let order = changed.sorted { rank($0) < rank($1) }
    let durable = order.filter { layout.isDurable[$0] }
    var entry: UInt64?
    var isJournalChanged = durable.contains(layout.journal)
    if durable.count > 1 {
      entry = try writeEntry(durable.filter { $0 != layout.journal })
      isJournalChanged = true
    } else if isJournalChanged, layout.isJournaled, stores.hasEntries {
      try MemberRows.removeEntries(by: try writer(of: layout.journal))
    }
    let committed =
      entry == nil || order.first == layout.journal ? order : [layout.journal] + order
    if committed.count > 1 {
      try stores.commits.several { try commit(committed) }
    } else {
      try stores.commits.single { try commit(committed) }
    }
    if isJournalChanged, layout.isJournaled { stores.didCommit(entry: entry) }
  }

  private func rank(_ member: Int) -> Int {
    if member == layout.journal { return 0 }
    return (layout.isDurable[member] ? 1 : 1 + layout.names.count) + member
  }

  /// Commits members; the commit of the first is that of the transaction.
  ///
  /// Nothing ends early any more: a member that is not committed would be degraded.
  private func commit(_ order: [Int]) throws {
    let operation = RunningOperation.exchange(nil)
    defer { _ = RunningOperation.exchange(operation) }
    for (position, member) in order.enumerated() {
      do {
        try writer(of: member).commit()
        isDecided = true
      } catch {
        if position == 0 { throw error }
        stores.degrade(member, error)
      }
    }
  }

  /// Writes an entry with the changes of members to the journal, and its number to each of them.
  ///
  /// - Throws: `unsupported` if a statement of SQL has changed one of the members.
  private func writeEntry(_ changed: [Int]) throws -> UInt64 {
    if let member = changed.first(where: stated.contains) {
      throw StoreError(
        .unsupported,
        "a statement of SQL was run in the configuration \(stores.name(member)), and the transaction has "
          + "changed others too; run it in a transaction of its own",
        store: stores.stores[member].runtime.name)
    }
    let journal = try writer(of: layout.journal)
    guard var state = try MemberRows.state(in: journal) else {
      throw StoreError(.corrupt, "the journal of the coordinator has no state")
    }
    if stores.hasEntries { try MemberRows.removeEntries(by: journal) }
    state.number += 1
    var entry = RedoJournal(state.number, by: journal)
    for member in changed {
      guard let recorder = recorders[member] else { continue }
      let name = stores.name(member)
      let here = raised.filter { layout.memberIndexes[$0] == member }
      try entry.write(name, recorder, raised: here, layout.schema)
      state.entries[name] = MemberState.Entries(
        last: state.number, before: state.entries[name]?.last ?? 0)
      guard var own = try MemberRows.state(in: recorder) else {
        throw StoreError(.corrupt, "the configuration \(name) has no state of the coordinator")
      }
      own.applied = state.number
      try MemberRows.put(own, by: recorder)
    }
    try MemberRows.put(state, by: journal)
    return state.number
  }
}
