internal import ORMStorage

/// A statement that the server has prepared.
final class PostgresPrepared {
  /// The text.
  let sql: String
  /// The name; empty if the text is sent with each run.
  let name: String
  let parameterTypes: [PostgresType]
  /// True if a column of its rows holds data, which may be large.
  var givesData = false
  /// The bytes of a row, as far as is known from runs with many rows; nil if the last run had few.
  var rowSize: Int?
  /// The server's process that has prepared it.
  let backend: Int32
  let generation: Int
  /// True until the server has prepared it, which it does with the first run.
  var isNew = false
  /// True if the server knows it by its name.
  var isKnown: Bool { !name.isEmpty && !isNew }
  /// The names of the columns of its rows; empty unless the program wrote the statement.
  let columnNames: [String]

  init(
    _ sql: String, name: String, parameterTypes: [PostgresType], backend: Int32, generation: Int,
    columnNames: [String] = []
  ) {
    self.sql = sql
    self.name = name
    self.parameterTypes = parameterTypes
    self.backend = backend
    self.generation = generation
    self.columnNames = columnNames
  }
}

/// Counts of a store over all its connections.
final class PostgresCounters: Sendable {
  /// The commits of the store by one writer at a time, from which those of others are distinguished.
  let commits = Lock<UInt64>(0)
  /// The commits of writers that run together.
  let concurrentCommits = PostgresCommits()
  /// The trips to the server and back.
  let trips = Lock(0)
  /// The sessions whose connections were lost.
  let lostSessions = PostgresLostSessions()
  /// True once a pooler was noticed.
  let isPooled = Lock(false)
  /// The positions in the log that reads of replicas are measured by.
  let positions: PostgresPositions

  init(_ positions: PostgresPositions = PostgresPositions()) { self.positions = positions }
}
