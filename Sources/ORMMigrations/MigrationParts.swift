internal import ORMRows
internal import ORMStorage

/// The progress of a migration of many transactions: the work that is done, and the end of this
/// transaction.
///
/// Each transaction goes through the whole plan again. Changes of the schema, operations and passes over
/// rows are counted, and those that the progress counts as done are left out. The work between them reads
/// no rows and has the same outcome every time.
final class MigrationParts {
  /// The progress as the store keeps it.
  struct State: Codable {
    /// The digest of the plan and of the schema that it leads to.
    var digest: String
    /// The stored names of the entities that are copied.
    var copied: [String]
    /// The number of changes of the schema that were made.
    var changes = 0
    /// The number of operations that were finished.
    var operations = 0
    /// The number of passes over rows that the operation after them has finished.
    var passes = 0
    /// The position after the last row that the next pass has read; nil before its first.
    var position: [StoredValue]?
    /// The rows that were read.
    var rowsDone = 0
    /// The estimated number of rows at the end.
    var rowsAbout: Int
    /// The number of transactions that may still catch up before one takes the rest; nil before the first.
    var roundsLeft: Int?

    /// True if the numbers are such as a migration writes.
    fileprivate var isSound: Bool {
      [changes, operations, passes, rowsDone, rowsAbout, roundsLeft ?? 0]
        .allSatisfy { (0..<1 << 60).contains($0) }
    }
  }

  /// Thrown out of a pass or after an operation when the transaction is to end.
  struct Pause: Error {}

  private(set) var state: State
  let schema: CopiedSchema
  /// The most rows that are read at once.
  let batchRows: Int
  /// The version and the step that run.
  var version = 0
  var step = 0
  /// False while an operation cannot go on in another transaction.
  var mayPause = true
  /// True once no other transaction is to follow.
  var isLast = false
  private let transaction: any SchemaTransaction
  private let deadline: ContinuousClock.Instant
  private var changes = 0
  private var operations = 0
  private var passes = 0
  /// The schema inside as of the last change of the store.
  private(set) var current: StoredSchema
  /// True once the copies have the names of their originals.
  private(set) var isInside = false

  init(
    _ transaction: any SchemaTransaction, _ state: State, _ options: MigrationOptions,
    isOnline: Bool
  ) {
    self.transaction = transaction
    self.state = state
    schema = CopiedSchema(transaction.schema, copying: Set(state.copied), isOnline: isOnline)
    current = schema.base
    batchRows = max(1, options.batchRows)
    deadline = .now + options.partDuration
  }

  /// Makes a change of the schema, unless it was made.
  ///
  /// - Parameter new: the schema inside afterwards.
  func change(to new: StoredSchema, _ body: () throws -> Void) throws {
    changes += 1
    if changes > state.changes {
      if changes == 1 { isInside = true } else { try enter() }
      try body()
      state.changes = changes
    }
    current = new
  }

  /// Runs an operation from where the last transaction left it; does nothing if it was finished.
  func operation(_ body: () throws -> Void) throws {
    operations += 1
    if operations <= state.operations { return }
    try enter()
    passes = 0
    mayPause = true
    try body()
    state.operations = operations
    state.passes = 0
    state.position = nil
    state.roundsLeft = nil
    mayPause = true
    try pauseIfDue()
  }

  /// Begins a pass over rows; returns false if it was finished, else the position after which it goes
  /// on.
  func beginPass() -> (isNeeded: Bool, position: [StoredValue]?) {
    passes += 1
    if passes <= state.passes { return (false, nil) }
    if passes > state.passes + 1 {
      state.passes = passes - 1
      state.position = nil
    }
    return (true, state.position)
  }

  /// Notes that a batch of rows was read and written.
  func didRead(_ rows: Int, upTo position: [StoredValue]) throws {
    state.rowsDone += rows
    state.position = position
    try pauseIfDue()
  }

  /// Ends the transaction if its time is over.
  func pauseIfDue() throws {
    if mayPause, !isLast, .now >= deadline { throw Pause() }
  }

  /// Begins to take rows that others have changed; returns the most rows to be taken, nil for all.
  ///
  /// All are taken if they are few, and after as many rounds as usually suffice: others may write as fast as
  /// the rounds take rows.
  ///
  /// - Parameter count: the number of rows that were changed.
  func beginRound(of count: Int) -> Int? {
    let left = state.roundsLeft ?? count / batchRows * 2 + 8
    if count <= batchRows || left == 0 { return nil }
    state.roundsLeft = left - 1
    return batchRows
  }

  /// Lets the next round take all rows.
  func endRounds() { state.roundsLeft = 0 }

  /// Notes that rows were taken which others have changed.
  func didTake(_ rows: Int) { state.rowsDone += rows }

  /// Gives the copies the names of their originals.
  func enter() throws {
    if isInside { return }
    isInside = true
    try transaction.change(schema.entering(current))
  }

  /// Ends the transaction's part: gives the originals their names back, and writes the progress.
  func leave() throws -> MigrationProgress {
    if isInside { try transaction.change(schema.leaving(current)) }
    let json = try JSONCoding.encode(state)
    let store = MigrationStore(
      try transaction.writer(), transaction.schema, isFlat: true)
    try store.operation { tx in
      _ = try tx.save([
        DynamicRow(
          MigrationEntity.name,
          [MigrationEntity.key: .int(1), MigrationEntity.state: .string(json)])
      ])
    }
    return MigrationProgress(
      version: version, step: step, rowsDone: state.rowsDone,
      rowsAbout: max(state.rowsDone, state.rowsAbout))
  }

  /// Reads the progress that a store keeps; nil without one, or for one that cannot be read.
  static func state(in transaction: any SchemaTransaction) throws -> State? {
    guard transaction.schema.isBeingMigrated else { return nil }
    let store = MigrationStore(
      try transaction.writer(), transaction.schema, isFlat: true)
    var text: StoredValue?
    try store.operation { tx in
      text = try tx.fetch(DynamicQuery(MigrationEntity.name)).first?[MigrationEntity.state]
    }
    guard case .string(let json)? = text else { return nil }
    let state = try? JSONCoding.decode(State.self, from: json)
    return state?.isSound == true ? state : nil
  }
}
