internal import Foundation

/// An instrument that writes to standard error, for programs without a logger.
///
/// ```swift
/// options.instruments = [.standardError]
/// ```
///
/// | Level | Line |
/// |---|---|
/// | trace | each request, with the statement of a SQL store |
/// | debug | each transaction |
/// | info to error | each notice of the store, by its level |
///
/// Each line has its level and the store's name, and no value of a row.
public struct StandardErrorInstrument: StoreInstrument {
  /// The lowest level that is written.
  public var level: StoreNotice.Level

  /// Makes the instrument.
  ///
  /// - Parameter level: the lowest level that is written.
  public init(level: StoreNotice.Level = .warning) { self.level = level }

  /// Writes a transaction if its level is `debug` or lower.
  public func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
    if level <= .debug { write(.debug, of: transaction.store, "\(transaction)") }
  }

  /// Writes a request and its statement if its level is `trace`.
  public func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
    guard level <= .trace else { return }
    let statement = operation.statement.map { "; \($0)" } ?? ""
    write(.trace, of: operation.store, "\(operation)\(statement)")
  }

  /// Writes a notice of its level or a higher one.
  ///
  /// Failures that no caller receives go to `StoreOptions.onError`, which writes them too unless it is set.
  public func noticed(_ notice: StoreNotice) {
    if notice.kind == .failed || notice.level < level { return }
    write(notice.level, of: notice.store, "\(notice)")
  }

  /// True if its level is `trace`.
  public var wantsStatements: Bool { level <= .trace }

  private func write(_ level: StoreNotice.Level, of store: StoreFacts, _ text: String) {
    let line = "strata: \(level.rawValue): \(store.name): \(text)\n"
    // A program does not end because nothing takes its log.
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }
}

extension StoreInstrument where Self == StandardErrorInstrument {
  /// Writes warnings to standard error.
  ///
  /// ```swift
  /// options.instruments = [.standardError]
  /// ```
  public static var standardError: StandardErrorInstrument { StandardErrorInstrument() }

  /// Writes entries of a level and of higher ones to standard error.
  ///
  /// ```swift
  /// options.instruments = [.standardError(.trace)]
  /// ```
  public static func standardError(_ level: StoreNotice.Level) -> StandardErrorInstrument {
    StandardErrorInstrument(level: level)
  }
}
