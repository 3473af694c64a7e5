internal import ORMStorage

/// The change of the schemas of a coordinator's members, in transactions that are open at once.
///
/// Each member is opened inside the transaction of the one before. In the innermost, the whole is
/// migrated as one store is. Then the members commit, the innermost first. The outermost durable member
/// that was changed decides: if the process ends before its commit, the others are put back from copies.
final class MemberMigrations {
  private let opening: MemberOpening
  private let emptied: Set<Int>
  private var transactions: [Int: any SchemaTransaction] = [:]
  private var files: [Int: any StoreFile] = [:]
  private var stores: [Int: any Store] = [:]
  private var undo: MigrationUndo?
  private let begun = Begun()
  /// The members that had nothing before.
  private var new: Set<Int> = []

  private var layout: MemberLayout { opening.layout }

  /// True once a migration has begun, as the opening reports.
  private final class Begun: Sendable {
    let isSet = Lock(false)
  }

  /// - Parameter emptied: members whose content is from a migration that was not finished, and that had
  ///   nothing before.
  init(_ opening: MemberOpening, emptying emptied: Set<Int>) {
    self.opening = opening
    self.emptied = emptied
  }

  /// Opens the members, but for those that are open.
  ///
  /// - Parameter open: the members that are open; those that are opened are added.
  func run(_ open: inout [Int: any Store]) throws {
    let fresh = Set(open.keys)
    var options = opening.options
    options.migration.mode = .atomic
    let report = options.onSchemaEvent
    options.onSchemaEvent = { [begun] event in
      switch event {
      case .willMigrate, .willRecreate: begun.isSet.withLock { $0 = true }
      default: break
      }
      report?(event)
    }
    let changes = SchemaOpening(options)
    do {
      try changes.write { () -> Void? in
        try nest(order(but: fresh)[...], changes, fresh)
        return ()
      }
    } catch {
      for store in stores.values { try? store.close(CloseTurn()) }
      throw error
    }
    open.merge(stores) { $1 }
    undo?.finish()
  }

  /// The members in the order in which they are opened: those that cannot be put back first, then the
  /// journal's, and those that forget last.
  private func order(but fresh: Set<Int>) -> [Int] {
    func rank(_ member: Int) -> Int {
      if !layout.isDurable[member] { return 3 }
      if opening.configurations[member].location?.kind.restore == nil { return 0 }
      return member == layout.journal ? 1 : 2
    }
    return opening.configurations.indices.filter { !fresh.contains($0) }
      .sorted { (rank($0), $0) < (rank($1), $1) }
  }

  private func nest(
    _ order: ArraySlice<Int>, _ changes: SchemaOpening, _ fresh: Set<Int>
  ) throws {
    guard let member = order.first else { return try migrate(changes, fresh) }
    let migration = NestedMigration { transaction, file in
      self.transactions[member] = transaction
      self.files[member] = file
      try self.nest(order.dropFirst(), changes, fresh)
    }
    let store = try opening.open(member, migration)
    stores[member] = store
    if !migration.hasRun {
      throw StoreError(
        .cannotOpen, "the file was removed while the coordinator was opened",
        store: store.runtime.name)
    }
  }

  /// Migrates the whole, inside the transactions of all members.
  private func migrate(_ changes: SchemaOpening, _ fresh: Set<Int>) throws {
    let states = try prepare()
    let combined = CombinedTransaction(layout, transactions, opening.options)
    var declared = layout.schema.keepingHistory(opening.options, of: combined.schema)
    // A store in memory that is new has the declared entities.
    declared.entities.removeAll { layout.memberIndexes[$0.name].map(fresh.contains) ?? false }
    let before = combined.schema
    if !before.entities.isEmpty {
      // A plan that the options do not admit is refused, though one transaction runs it.
      _ = try SchemaOpening(opening.options).needsMigration(from: before, to: declared)
    }
    let additions = try changes.changes(
      in: combined, to: declared, isNew: before.entities.isEmpty)
    do { try combined.change(additions) } catch let error as StoreError
      where error.code == .duplicate
    {
      let broken = StoreError(
        .schemaMismatch,
        "the program adds a unique rule, but stored rows have equal values; change them first",
        entity: error.entity, attributes: error.attributes)
      throw StoreError.rowsBreaking(error.failures.isEmpty ? [broken] : error.failures) ?? error
    }
    // The writer answers by the columns as the stores have them.
    let fillings = try additions.derivedFillings(combined.schema)
    if !fillings.isEmpty {
      let writer = try combined.writer()
      for filling in fillings { _ = try writer.apply(filling) }
    }
    let hasMoved = try combined.moveLinks()
    try combined.checkMembers()
    let isMigrated = begun.isSet.withLock { $0 }
    guard isMigrated || hasMoved else { return }
    let undo = MigrationUndo(opening, files, states, new: new)
    try undo.prepare(combined, from: before, to: declared)
    self.undo = undo
  }

  /// Reads the states of the members, applies the entries of the journal that they lack, and empties new
  /// ones.
  private func prepare() throws -> [Int: MemberState] {
    var states: [Int: MemberState] = [:]
    for (member, transaction) in transactions
    where transaction.schema.entities.contains(where: CoordinatorEntity.isEntity) {
      if let state = try MemberRows.state(in: transaction.writer()), !emptied.contains(member) {
        states[member] = state
      } else {
        // Made by an opening that has not come to its end: nothing was written to it.
        new.insert(member)
        var empty = SchemaChanges(
          union: StoredSchema(entities: [CoordinatorEntity.entity]))
        empty.droppedEntities = transaction.schema.entities.map(\.name)
          .filter { $0 != CoordinatorEntity.name }
        try transaction.change(empty)
      }
    }
    if let unfinished = UnfinishedMigration(states, layout, but: emptied) { throw unfinished }
    try layout.check(states, missing: new.subtracting(emptied).sorted())
    try settle(&states)
    return states
  }

  private func settle(_ states: inout [Int: MemberState]) throws {
    guard layout.isJournaled, let state = states[layout.journal],
      let journal = transactions[layout.journal]
    else { return }
    let view = try journal.writer()
    for (member, transaction) in transactions
    where member != layout.journal && layout.isDurable[member] {
      guard var own = states[member] else { continue }
      _ = try Settlement(state, layout.names[member], opening.options)
        .run(&own, view, transaction.writer(), transaction.schema)
      states[member] = own
    }
  }
}
