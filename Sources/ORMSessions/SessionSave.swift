internal import ORM
internal import ORMCore

/// One object as a session saves it.
final class ObjectSave<Model: PrimaryKeyed>: Sendable {
  enum Kind {
    case insert
    /// The store gives the key.
    case insertWithoutKey
    /// The session's soft delete hid the row; if it was deleted, the object is inserted.
    case restore
    case update
    case delete
  }

  let kind: Kind
  let base: Model
  let baseRow: SessionRow
  let value: Model
  /// The row of the value; nil if it is to be found out.
  let row: SessionRow?
  /// The key, temporary for an object without one.
  let key: [StoredValue]
  /// The relationships whose targets the session knew and changed.
  let loads: [String]

  init(
    _ kind: Kind, base: Model, baseRow: SessionRow, value: Model, row: SessionRow? = nil,
    key: [StoredValue], loads: [String] = []
  ) {
    self.kind = kind
    self.base = base
    self.baseRow = baseRow
    self.value = value
    self.row = row
    self.key = key
    self.loads = loads
  }
}

/// A save of one model's objects while it runs.
protocol TableRun: AnyObject {
  /// Compares the objects with their rows, and finds the writes and the conflicts.
  func resolve(
    in transaction: ReadTransaction, _ policy: ConflictPolicy, compared: [String: Set<String>]
  ) throws -> [SessionConflict]
  var hasWrites: Bool { get }
  var hasDeletes: Bool { get }
  /// True if the writes are of stored objects whose links stay as they are.
  var writesAttributesAlone: Bool { get }
  /// Writes such objects.
  func updateAttributes(in transaction: WriteTransaction) throws
  /// The requests for the rows to be restored.
  func restores(in transaction: WriteTransaction) throws -> [(StoredEntity, FetchRequest)]
  /// Lets the first round of writes begin.
  func beginRounds()
  /// Finds the objects of the next round of writes: one for each row.
  ///
  /// - Parameter written: the rows that have an object in this round: the entity, or the root of its
  ///   hierarchy, and the key.
  /// - Returns: false if there are none left.
  func nextRound(in transaction: WriteTransaction, _ written: inout Set<GroupKey>) throws -> Bool
  func addRoots(to graph: ObjectGraph, in transaction: WriteTransaction) throws
  func takeKeys(from graph: RowGraph)
  /// The keys of the rows to be deleted.
  func deletedKeys(in transaction: WriteTransaction) throws -> (StoredEntity, [[StoredValue]])
  /// The rules that the objects break by themselves.
  func brokenRules() -> [StoreError]
  /// Finds the rows that the save left.
  ///
  /// - Parameter areKnown: true if the rows hold nothing but the values that this save wrote.
  func outcome(in transaction: WriteTransaction, areKnown: Bool) throws -> any Sendable
}

/// The rows of one model's objects after a save, nil for deleted ones, and their keys.
struct SavedRows<Model: PrimaryKeyed>: Sendable {
  var rows: [Model?]
  var keys: [[StoredValue]]
}

/// The changes of a session, as values that any thread may have.
struct SessionChanges: Sendable {
  /// Functions that begin a save of one model's objects.
  let tables: [@Sendable () -> any TableRun]
  let policy: ConflictPolicy
  let compared: [String: Set<String>]
}

/// The result of a save: the rows of each table, and the newest commit before it.
struct SessionOutcome: Sendable {
  let tables: [any Sendable]
  let number: UInt64
}

extension WriteTransaction {
  /// Saves the changes of a session as one operation.
  func save(_ changes: SessionChanges) throws -> SessionOutcome {
    let number = store.runtime.transactions.notices.newest
    let runs = changes.tables.map { $0() }
    let conflicts = try runs.flatMap {
      try $0.resolve(in: self, changes.policy, compared: changes.compared)
    }
    if !conflicts.isEmpty { throw StoreError(conflicts: conflicts) }
    if runs.contains(where: { $0.hasWrites || $0.hasDeletes }) {
      do {
        try savepoint { transaction in
          try transaction.write(runs)
          try transaction.delete(runs)
        }
      } catch let error as StoreError
        where error.code == .duplicate && runs.contains(where: { $0.hasDeletes })
      {
        // A row that is deleted may hold the value that another takes.
        try savepoint { transaction in
          try transaction.delete(runs)
          try transaction.write(runs)
        }
      }
    }
    let areKnown =
      try runs.allSatisfy { $0.writesAttributesAlone && !$0.hasDeletes }
      && !store.interceptors().hasHooks
    return SessionOutcome(
      tables: try runs.map { try $0.outcome(in: self, areKnown: areKnown) }, number: number)
  }

  /// Deletes the rows that runs delete, all of them together.
  private func delete(_ runs: [any TableRun]) throws {
    let keys = try runs.filter(\.hasDeletes).map { try $0.deletedKeys(in: self) }
    if !keys.isEmpty { try delete(keys) }
  }

  private func write(_ runs: [any TableRun]) throws {
    guard runs.contains(where: { $0.hasWrites }), let entity = store.schema.entities.first else {
      return
    }
    if runs.allSatisfy(\.writesAttributesAlone) {
      // Without new objects and links, there is no order to find.
      return try reportingAll(runs) {
        for run in runs { try run.updateAttributes(in: self) }
      }
    }
    try restore(runs.flatMap { try $0.restores(in: self) })
    for run in runs { run.beginRounds() }
    while true {
      var written: Set<GroupKey> = []
      var isWriting = false
      for run in runs where try run.nextRound(in: self, &written) { isWriting = true }
      guard isWriting else { return }
      try writeRound(runs, entity)
    }
  }

  /// Writes one round: an object of each row.
  private func writeRound(_ runs: [any TableRun], _ entity: StoredEntity) throws {
    let graph = try ObjectGraph(in: store, policy: .replacing(entity))
    graph.rows.hasTemporaryKeys = true
    for run in runs { try run.addRoots(to: graph, in: self) }
    try graph.collect()
    try reportingAll(runs) { try GraphWriter(self, graph.rows).write() }
    try giveKeys(of: graph)
    for run in runs { run.takeKeys(from: graph.rows) }
  }

  /// Runs the body, and completes the failures of a validation that it throws.
  private func reportingAll(_ runs: [any TableRun], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as StoreError where error.code == .validationFailed {
      // A put reports the first object that breaks rules: the others are reported as well.
      let all = runs.flatMap { $0.brokenRules() }
      error.failures =
        all
        + error.failures.filter { fault in
          !all.contains { $0.isSameFault(as: fault) }
        }
      throw error
    }
  }
}

extension StoreError {
  /// Returns whether a fault of an object is one that its put reported, maybe without its key.
  fileprivate func isSameFault(as reported: StoreError) -> Bool {
    entity == reported.entity && attributes == reported.attributes && rule == reported.rule
      && (key == reported.key || reported.key.isEmpty || reported.key == [.int(0)])
  }
}
