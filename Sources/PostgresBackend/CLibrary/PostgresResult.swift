internal import CPostgres
internal import ORMStorage

/// Owns a result of the library, and clears it when the last reference is released.
final class PostgresResult {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQclear(pointer) }

  /// The library's status of the result.
  var status: StrataExecStatus { PQresultStatus(pointer) }

  /// True for the result of a statement that failed, or of one after it in a pipeline.
  var isFailure: Bool {
    switch status {
    case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR, PGRES_PIPELINE_ABORTED: true
    default: false
    }
  }

  /// The number of rows.
  var rowCount: Int { Int(PQntuples(pointer)) }

  /// The word of the command that gave the result, such as `COMMIT`.
  var command: String { String(cString: PQcmdStatus(pointer)) }

  /// The number of rows that an insert, update or delete has written.
  var changes: Int {
    switch command.prefix(6) {
    case "INSERT", "UPDATE", "DELETE", "MERGE ": Int(String(cString: PQcmdTuples(pointer))) ?? 0
    default: 0
    }
  }

  /// The types of a described statement's parameters, or those of an array that a query gave.
  var parameterTypes: [PostgresType] {
    if status == PGRES_TUPLES_OK, let array = text(0, 0) {
      return array.dropFirst().dropLast().split(separator: ",").map {
        PostgresType(rawValue: UInt32($0) ?? 0)
      }
    }
    return (0..<PQnparams(pointer)).map { PostgresType(rawValue: PQparamtype(pointer, $0)) }
  }

  /// True if a column holds data, or arrays of them.
  var givesData: Bool {
    (0..<PQnfields(pointer)).contains { column in
      let type = PostgresType(rawValue: PQftype(pointer, column))
      return (type.element ?? type) == .bytea
    }
  }

  /// The names of the columns.
  var columnNames: [String] {
    (0..<PQnfields(pointer)).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" }
  }

  /// The text in a row's column of a result in text form; nil for null.
  func text(_ row: Int, _ column: Int) -> String? {
    guard row < rowCount, PQgetisnull(pointer, Int32(row), Int32(column)) == 0 else { return nil }
    return PQgetvalue(pointer, Int32(row), Int32(column)).map { String(cString: $0) }
  }

  /// The integer of 32 bits in a row's column of a result in binary form; 0 for any other value.
  func int4(_ row: Int32, _ column: Int32) -> Int32 {
    guard PQgetlength(pointer, row, column) == 4, let bytes = PQgetvalue(pointer, row, column)
    else { return 0 }
    return Int32(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int32.self))
  }

  /// The integer of 64 bits in a row's column of a result in binary form; 0 for any other value.
  func int8(_ row: Int32, _ column: Int32) -> Int64 {
    guard PQgetlength(pointer, row, column) == 8, let bytes = PQgetvalue(pointer, row, column)
    else { return 0 }
    return Int64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: Int64.self))
  }

  /// A result with the columns of this one and without rows.
  func emptyCopy() throws -> PostgresResult {
    guard let copy = PQcopyResult(pointer, PG_COPYRES_ATTRS) else { throw Self.noMemory }
    return PostgresResult(copy)
  }

  /// Adds the first row of another result with the same columns.
  func append(rowOf other: PostgresResult) throws {
    let row = Int32(rowCount)
    for column in 0..<PQnfields(pointer) {
      let isNull = PQgetisnull(other.pointer, 0, column) != 0
      guard
        PQsetvalue(
          pointer, row, column, isNull ? nil : PQgetvalue(other.pointer, 0, column),
          isNull ? -1 : PQgetlength(other.pointer, 0, column)) != 0
      else { throw Self.noMemory }
    }
  }

  private static var noMemory: StoreError {
    StoreError(.engine, "there is no memory for the rows of a statement")
  }
}
