#if Observability
  /// The names of OpenTelemetry's semantic conventions for databases, and those that Strata adds.
  ///
  /// Names that begin with `strata.` are for facts that the conventions have no name for.
  package enum ConventionName {
    // Attributes of spans, dimensions of metrics and metadata of log entries.
    package static let system = "db.system.name"
    package static let collection = "db.collection.name"
    package static let operation = "db.operation.name"
    package static let querySummary = "db.query.summary"
    package static let queryText = "db.query.text"
    package static let returnedRows = "db.response.returned_rows"
    package static let poolName = "db.client.connection.pool.name"
    package static let connectionState = "db.client.connection.state"
    package static let errorType = "error.type"
    package static let store = "strata.store"
    package static let transaction = "strata.transaction"
    package static let rowsRead = "strata.rows_read"
    package static let rowsWritten = "strata.rows_written"
    package static let requests = "strata.requests"
    package static let attempts = "strata.attempts"
    package static let wait = "strata.wait"
    package static let notice = "strata.notice"
    package static let plan = "strata.plan"
    package static let remedy = "strata.remedy"

    // Metrics.
    package static let operationDuration = "db.client.operation.duration"
    package static let responseRows = "db.client.response.returned_rows"
    package static let connectionCount = "db.client.connection.count"
    package static let connectionMaximum = "db.client.connection.max"
    package static let connectionPendingRequests = "db.client.connection.pending_requests"
    package static let connectionWaitTime = "db.client.connection.wait_time"
    package static let connectionUseTime = "db.client.connection.use_time"
    package static let connectionTimeouts = "db.client.connection.timeouts"
    package static let writerWait = "strata.writer.wait"
    package static let retries = "strata.retries"
    package static let residueRows = "strata.residue.rows"
  }
#endif
