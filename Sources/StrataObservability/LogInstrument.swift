#if Observability
  public import Logging
  public import ORMStorage

  /// An instrument that writes a store's warnings, transactions and requests to a log of swift-log.
  ///
  /// ```swift
  /// options.instruments = [.log(Logger(label: "app"))]
  /// ```
  ///
  /// | Level | Entry |
  /// |---|---|
  /// | trace | each request, with the statement of a SQL store |
  /// | debug | each transaction |
  /// | info to error | each notice of the store, by its level |
  ///
  /// Entries have metadata by the names of OpenTelemetry's conventions, and no values of rows. Statements
  /// have placeholders for values. A level that the logger leaves out costs one comparison.
  public struct LogInstrument: StoreInstrument {
    private let logger: Logger

    /// Makes an instrument that writes to a logger.
    ///
    /// ```swift
    /// let instrument = LogInstrument(Logger(label: "app"))
    /// ```
    public init(_ logger: Logger) { self.logger = logger }

    /// True if the logger has the level trace when the store is opened.
    public var wantsStatements: Bool { logger.logLevel <= .trace }

    /// Writes an entry of the level debug.
    public func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
      guard logger.logLevel <= .debug else { return }
      var metadata: Logger.Metadata = [
        ConventionName.system: "\(transaction.store.system)",
        ConventionName.store: "\(transaction.store.name)",
        ConventionName.transaction: "\(transaction.number)",
        ConventionName.requests: "\(transaction.operations)",
        ConventionName.returnedRows: "\(transaction.rowsReturned)",
        ConventionName.rowsWritten: "\(transaction.rowsWritten)",
      ]
      if let code = transaction.errorCode {
        metadata[ConventionName.errorType] = "\(code.rawValue)"
      }
      logger.debug("\(transaction)", metadata: metadata)
    }

    /// Writes an entry of the level trace.
    public func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
      guard logger.logLevel <= .trace else { return }
      var metadata: Logger.Metadata = [
        ConventionName.system: "\(operation.store.system)",
        ConventionName.store: "\(operation.store.name)",
        ConventionName.transaction: "\(operation.transaction)",
        ConventionName.operation: "\(operation.operation.rawValue)",
        ConventionName.returnedRows: "\(operation.rows)",
      ]
      if !operation.entity.isEmpty { metadata[ConventionName.collection] = "\(operation.entity)" }
      if let rows = operation.rowsRead { metadata[ConventionName.rowsRead] = "\(rows)" }
      if let text = operation.statement { metadata[ConventionName.queryText] = "\(text)" }
      if let code = operation.errorCode { metadata[ConventionName.errorType] = "\(code.rawValue)" }
      logger.trace("\(operation)", metadata: metadata)
    }

    /// Writes an entry of the notice's level.
    public func noticed(_ notice: StoreNotice) {
      // The levels have the same names.
      let level = Logger.Level(rawValue: notice.level.rawValue) ?? .warning
      guard logger.logLevel <= level else { return }
      var metadata: Logger.Metadata = [
        ConventionName.system: "\(notice.store.system)",
        ConventionName.store: "\(notice.store.name)",
        ConventionName.notice: "\(notice.kind.rawValue)",
      ]
      if let entity = notice.entity { metadata[ConventionName.collection] = "\(entity)" }
      if let plan = notice.plan { metadata[ConventionName.plan] = "\(plan)" }
      if let remedy = notice.remedy { metadata[ConventionName.remedy] = "\(remedy)" }
      logger.log(level: level, "\(notice)", metadata: metadata)
    }
  }

  extension StoreInstrument where Self == LogInstrument {
    /// Writes warnings, transactions and requests to a log.
    ///
    /// ```swift
    /// options.instruments = [.log(Logger(label: "app"))]
    /// ```
    ///
    /// - Parameter logger: the logger; one with the label `strata` unless given.
    public static func log(_ logger: Logger = Logger(label: "strata")) -> LogInstrument {
      LogInstrument(logger)
    }
  }
#endif
