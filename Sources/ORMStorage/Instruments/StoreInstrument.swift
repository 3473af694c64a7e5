/// An observer of a store's transactions, operations and warnings.
///
/// Instruments make logs, metrics and traces. They are installed when a store is opened:
///
/// ```swift
/// var options = StoreOptions()
/// options.instruments = [.standardError]
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema, options: options)
/// ```
///
/// Every function has a default that does nothing, so an instrument implements those that it needs:
///
/// ```swift
/// struct SlowRequests: StoreInstrument {
///   func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
///     if operation.ran > .milliseconds(50) { print(operation) }
///   }
/// }
/// ```
///
/// ## Calls
/// Each beginning has one end, also if the operation throws or is cancelled (clause 13.5). Calls come from
/// any thread, and for several operations at once; no lock is held meanwhile. An instrument that is slow
/// delays the operation that it is called for.
///
/// An instrument may use the store while a transaction begins or has ended. Those calls are not reported.
/// While an operation begins or has ended, and in ``noticed(_:)``, a block may be open on the thread. Calls
/// that would join it throw `reentrancy`. A block with a completion handler runs after it.
///
/// No fact holds a value of a row (clause 13.6).
public protocol StoreInstrument: Sendable {
  /// Reports that a transaction was asked for, before it waits for its turn.
  ///
  /// - Returns: a state of the instrument, which its other calls for the transaction receive.
  func began(_ transaction: TransactionFacts) -> (any Sendable)?
  /// Reports that a transaction has ended and has given up its turn.
  ///
  /// - Parameters:
  ///   - transaction: the facts of the transaction, complete now.
  ///   - state: the state that ``began(_:)`` returned.
  func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?)
  /// Reports that a transaction sends a request to the store.
  ///
  /// - Parameters:
  ///   - operation: the facts that are known before the request.
  ///   - state: the state that ``began(_:)`` returned for the transaction.
  /// - Returns: a state of the instrument for the operation.
  func began(_ operation: OperationFacts, in state: (any Sendable)?) -> (any Sendable)?
  /// Reports that a request was answered, or has failed.
  ///
  /// - Parameters:
  ///   - operation: the facts of the request, complete now.
  ///   - state: the state that ``began(_:in:)`` returned.
  func ended(_ operation: OperationFacts, _ state: (any Sendable)?)
  /// Reports an event that a person may want to know, such as a warning.
  func noticed(_ notice: StoreNotice)
  /// True if operations are to have their ``OperationFacts/statement``; false by default.
  ///
  /// It is asked once, when the store is opened.
  var wantsStatements: Bool { get }
}

extension StoreInstrument {
  /// Returns nil.
  public func began(_ transaction: TransactionFacts) -> (any Sendable)? { nil }
  /// Does nothing.
  public func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {}
  /// Returns nil.
  public func began(_ operation: OperationFacts, in state: (any Sendable)?) -> (any Sendable)? {
    nil
  }
  /// Does nothing.
  public func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {}
  /// Does nothing.
  public func noticed(_ notice: StoreNotice) {}
  /// Always false.
  public var wantsStatements: Bool { false }
}

/// The limits beyond which a store warns its instruments.
///
/// ```swift
/// options.instrumentLimits.slowOperation = .milliseconds(20)
/// ```
public struct InstrumentLimits: Hashable, Sendable {
  /// The time after which an operation is slow.
  public var slowOperation = Duration.milliseconds(100)
  /// The number of requests of one shape in a block that are taken for one query a row.
  public var queriesPerBlock = 20
  /// The number of saves of a single row of one entity in a block that are taken for one save a row.
  public var savesPerBlock = 50
  /// The number of rows that an operation may read beyond those that it returns.
  public var droppedRows = 10_000
  /// The time for which a blocking call may hold the main thread.
  public var mainThread = Duration.milliseconds(100)
  /// The time for which a stream may hold its snapshot.
  public var heldSnapshot = Duration.seconds(30)

  /// The defaults.
  public init() {}
}
