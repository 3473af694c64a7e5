public import ORMValues

/// The name and the kind of the store that an instrument is told of.
public struct StoreFacts: Hashable, Sendable {
  /// The store's name in its errors: its file, or a few words where it has none.
  public let name: String
  /// The kind of store: `memory`, `sqlite`, `lmdb`, `postgresql`, `coordinator`, or `other`.
  ///
  /// For the databases these are the names of OpenTelemetry's `db.system.name`.
  public let system: String

  /// Names a store.
  package init(name: String, system: String) {
    self.name = name
    self.system = system
  }
}

/// A kind of request, named as programs name the operation that makes it.
public enum OperationKind: String, Hashable, Codable, Sendable {
  /// Looks one row up by its key.
  case find
  /// Reads rows or values.
  case fetch
  /// Computes aggregates, counts among them, over all rows that match.
  case aggregate
  /// Forms groups.
  case group
  /// Inserts rows.
  case insert
  /// Updates rows.
  case update
  /// Inserts rows, or updates those that exist.
  case save
  /// Deletes rows.
  case delete
  /// Runs a query or a statement that the program wrote in SQL.
  case sql
}

/// The facts of one request that a transaction sends to its store.
///
/// At its beginning, times and numbers are zero.
public struct OperationFacts: Sendable {
  /// The operation's number, by which its beginning and its end are matched; unique in the process.
  public let number: UInt64
  /// The number of its transaction.
  public let transaction: UInt64
  /// The store.
  public let store: StoreFacts
  /// The kind of request.
  public let operation: OperationKind
  /// The entity, by its name in the program; for SQL the first that the statement names, or an empty text.
  public let entity: String
  /// The shape of a request that reads or selects rows, without values; nil for rows that are put, and
  /// for SQL.
  public let shape: FetchShape?
  /// True if the library reads these rows for a save or a delete: for links, delete rules or checks.
  public let isInternal: Bool
  /// The wait of its transaction for a turn, if it is the transaction's first; zero for others.
  public package(set) var waited = Duration.zero
  /// The time from its beginning to its end; of a cursor, the time in which rows were read.
  public package(set) var ran = Duration.zero
  /// The number of rows that were returned or written.
  public package(set) var rows = 0
  /// The number of rows that the store looked at, or of a SQL store those that the library tested itself;
  /// nil if none were counted.
  public package(set) var rowsRead: Int?
  /// The number of trips to a server; nil for a store without one.
  public package(set) var trips: Int?
  /// The number of the transaction's run, 1 for the first.
  public package(set) var attempt = 1
  /// The code of the error that it threw; nil if it succeeded.
  ///
  /// `cancelled` stands for a cancellation. An error of another type has the name of its type.
  public package(set) var errorCode: StoreError.Code?
  /// The statement of a SQL store, with placeholders for values; nil where an instrument does not
  /// want it, or the store has none.
  public package(set) var statement: String?

  /// True if the request writes rows; a statement of SQL that is executed counts as one that does.
  package var isWrite: Bool

  package init(
    number: UInt64, transaction: UInt64, store: StoreFacts, operation: OperationKind,
    entity: String, shape: FetchShape?, isInternal: Bool
  ) {
    self.number = number
    self.transaction = transaction
    self.store = store
    self.operation = operation
    self.entity = entity
    self.shape = shape
    self.isInternal = isInternal
    isWrite = !operation.isReading
  }

  /// The request in a few words: operation, entity, condition and order, with `$0` for a value.
  ///
  /// It is formed at each call.
  public var summary: String {
    var text = entity.isEmpty ? operation.rawValue : "\(operation.rawValue) \(entity)"
    guard let shape else { return text }
    if shape.condition != .constant(true) { text += " where \(shape.condition)" }
    if !shape.sort.isEmpty, operation != .find {
      let terms = shape.sort.map { "\($0.operand)\($0.isDescending ? " descending" : "")" }
      text += " by " + terms.joined(separator: ", ")
    }
    return text
  }
}

extension OperationFacts: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    var text = "\(summary): \(rows) \(rows == 1 ? "row" : "rows") in \(ran.inMilliseconds)"
    if let rowsRead, rowsRead > rows { text += ", \(rowsRead) read" }
    if waited >= .microseconds(5) { text += ", waited \(waited.inMilliseconds)" }
    if let errorCode { text += ", \(errorCode)" }
    return text
  }
}

extension Duration {
  /// The duration in milliseconds with two decimals, for a person.
  package var inMilliseconds: String {
    let (seconds, attoseconds) = components
    let micros = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    let hundredths = micros / 10 % 100
    return "\(micros / 1000).\(hundredths < 10 ? "0" : "")\(hundredths) ms"
  }
}

extension StoreError.Code {
  /// A cancellation, in the facts of instruments.
  package static let cancelled = Self(rawValue: "cancelled")

  /// The code by which instruments know an error.
  package init(of error: any Error) {
    switch error {
    case let error as StoreError: self = error.code
    case is CancellationError: self = .cancelled
    default: self = Self(rawValue: "\(type(of: error))")
    }
  }
}
