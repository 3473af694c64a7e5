public import ORMValues

/// The facts of one transaction: a block, a single operation on a store, or a stream.
///
/// At its beginning, times and numbers are zero.
public struct TransactionFacts: Sendable {
  /// The transaction's number, by which its beginning and its end are matched; unique in the process.
  public let number: UInt64
  /// The store.
  public let store: StoreFacts
  /// The kind of access.
  public let access: Access
  /// True if it is one operation, and not a block of the program; known at its end.
  ///
  /// An async operation that reads counts as a block of one request.
  public package(set) var isOperation = false
  /// The kind of its first request, by which a single operation is named; nil without any.
  public package(set) var operation: OperationKind?
  /// The entity of its first request; nil without any.
  public package(set) var entity: String?
  /// The time from the request for a turn to the turn.
  public package(set) var waited = Duration.zero
  /// The time from the turn to the end, its commit included.
  public package(set) var ran = Duration.zero
  /// The number of its runs; more than 1 if it conflicted with others, 0 if it had no turn.
  public package(set) var attempts = 0
  /// The number of requests that it sent.
  public package(set) var operations = 0
  /// The number of rows that its requests returned.
  public package(set) var rowsReturned = 0
  /// The number of rows that its requests wrote.
  public package(set) var rowsWritten = 0
  /// The number of trips to a server, its commit included; nil for a store without one.
  ///
  /// The trips of a group commit are those of the transaction that led it.
  public package(set) var trips: Int?
  /// The code of the error that it threw; nil if it succeeded.
  ///
  /// `cancelled` stands for a cancellation. An error of another type has the name of its type.
  public package(set) var errorCode: StoreError.Code?

  package init(number: UInt64, store: StoreFacts, access: Access) {
    self.number = number
    self.store = store
    self.access = access
  }

  /// A kind of access to a store.
  public enum Access: String, Hashable, Codable, Sendable {
    /// Reads one snapshot.
    case read
    /// Changes the store.
    case write
    /// Reads one snapshot batch by batch.
    case stream
  }
}

extension TransactionFacts: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    var text = access.rawValue
    if isOperation, let operation {
      text += ", \(operation.rawValue)"
      if let entity, !entity.isEmpty { text += " \(entity)" }
    }
    text += ": \(operations) \(operations == 1 ? "request" : "requests") in \(ran.inMilliseconds)"
    if waited >= .microseconds(5) { text += ", waited \(waited.inMilliseconds)" }
    if attempts > 1 { text += ", \(attempts) runs" }
    if let errorCode { text += ", \(errorCode)" }
    return text
  }
}
