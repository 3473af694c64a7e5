import COwnSQLite
import ORMCore
import SQLEngine

/// A function of the engine, registered on one connection.
final class TableFunction {
  let function: SQLFunction
  /// The connection, which outlives its functions: closing it releases them.
  unowned let connection: TableConnection

  private init(_ function: SQLFunction, _ connection: TableConnection) {
    self.function = function
    self.connection = connection
  }

  /// The name of the type of evaluators among the library's pointers.
  static var evaluatorType: UnsafePointer<CChar> {
    let name: StaticString = "TableStore.SQLEvaluator"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Registers every function that a store without checksums and counts needs.
  static func registerAll(on connection: TableConnection) throws {
    for function in SQLFunction.allCases {
      switch function {
      case .test, .value, .query, .more, .differs, .fold:
        try TableFunction(function, connection).register(
          call: { TableFunction.call($0, $1, $2) }, step: nil, finish: nil)
      case .total, .aggregate:
        try TableFunction(function, connection).register(
          call: nil, step: { TableFunction.step($0, $1, $2) }, finish: { TableFunction.finish($0) })
      case .rowCounter, .checksum, .intact: break
      }
    }
  }

  private typealias Call =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private func register(
    call: Call?, step: Call?, finish: (@convention(c) (OpaquePointer?) -> Void)?
  ) throws {
    // The library owns the object, and releases it with the connection.
    try TableFailure.check(
      sqlite3_create_function_v2(
        connection.database, function.rawValue, -1,
        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
        Unmanaged.passRetained(self).toOpaque(), call, step, finish,
        { object in
          if let object { Unmanaged<TableFunction>.fromOpaque(object).release() }
        }), connection.database)
  }

  /// Runs a body for a call of the library's; what it throws becomes the statement's error.
  private static func handle(
    _ context: OpaquePointer?, _ body: (TableFunction) throws -> Void
  ) {
    guard let context, let object = sqlite3_user_data(context) else { return }
    let function = Unmanaged<TableFunction>.fromOpaque(object).takeUnretainedValue()
    do {
      try body(function)
    } catch {
      function.connection.functionError = error
      sqlite3_result_error(context, "a function of the store failed", -1)
    }
  }

  // MARK: Values

  private static func call(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    handle(context) { function in
      // The library passes `count` values, which are valid during the call.
      let values = UnsafeBufferPointer(start: values, count: Int(count))
      set(try function.result(Array(values)), context)
    }
  }

  private func result(_ values: [OpaquePointer?]) throws -> SQLValue {
    switch function {
    case .test:
      let row = try TableArguments(values)
      return .integer(try row.evaluator.test(row) ? 1 : 0)
    case .value, .query:
      let row = try TableArguments(values)
      return try row.evaluator.value(row)
    case .more:
      guard values.count > 1 else { throw Self.misuse }
      let start = Int(sqlite3_value_int64(values[1]))
      let row = try TableArguments(values, from: start)
      try row.evaluator.take(row, first: start, count: values.count - 2)
      return .null
    case .differs:
      guard values.count == 2 else { throw Self.misuse }
      let bits = values.map { sqlite3_value_double($0).bitPattern }
      return .integer(bits[0] == bits[1] ? 0 : 1)
    case .fold:
      guard values.count == 1 else { throw Self.misuse }
      guard let start = sqlite3_value_text(values[0]) else { return .null }
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[0])))
      return .text(TextFolding.fold(String(decoding: bytes, as: UTF8.self), .caseInsensitive))
    case .total, .aggregate, .rowCounter, .checksum, .intact: throw Self.misuse
    }
  }

  private static func set(_ value: SQLValue, _ context: OpaquePointer?) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let value):
      value.withCString {
        sqlite3_result_text64(
          context, $0, UInt64(value.utf8.count), TableStatement.copied, UInt8(SQLITE_UTF8))
      }
    case .blob(let value):
      if value.isEmpty { return sqlite3_result_zeroblob(context, 0) }
      sqlite3_result_blob64(context, value, UInt64(value.count), TableStatement.copied)
    }
  }

  static var misuse: StoreError {
    StoreError(.engine, "a function of the store was called with other arguments")
  }

  // MARK: Aggregates

  /// One group on its way.
  private final class Group {
    let evaluator: SQLEvaluator
    var total: SQLEvaluator.Total

    init(_ evaluator: SQLEvaluator) throws {
      self.evaluator = evaluator
      total = try evaluator.newTotal()
    }
  }

  private static func step(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    handle(context) { function in
      let row = try TableArguments(Array(UnsafeBufferPointer(start: values, count: Int(count))))
      if function.function == .aggregate { return try row.evaluator.add(row) }
      // The library gives each group room for one reference, zeroed at first, which `finish` takes.
      guard
        let place = sqlite3_aggregate_context(
          context, Int32(MemoryLayout<Unmanaged<Group>?>.size))?
          .assumingMemoryBound(to: Unmanaged<Group>?.self)
      else { throw StoreError(.engine, "there is no memory for a group") }
      let group = try place.pointee ?? Unmanaged.passRetained(Group(row.evaluator))
      place.pointee = group
      let object = group.takeUnretainedValue()
      try object.evaluator.add(row, to: &object.total)
    }
  }

  private static func finish(_ context: OpaquePointer?) {
    handle(context) { function in
      guard
        let place = sqlite3_aggregate_context(context, 0)?
          .assumingMemoryBound(to: Unmanaged<Group>?.self),
        let group = place.pointee?.takeRetainedValue()
      else { return sqlite3_result_null(context) }
      place.pointee = nil
      set(try group.evaluator.result(of: group.total), context)
    }
  }
}

/// The arguments of a function as a row of its evaluator; valid during the call.
struct TableArguments: SQLRow {
  let evaluator: SQLEvaluator
  private let values: [OpaquePointer?]
  /// The number of arguments before the columns.
  private let first: Int
  /// The first of the columns.
  private let start: Int

  /// Takes the evaluator from the first argument.
  ///
  /// - Parameter start: the first column, which the second argument says; nil for all columns.
  init(_ values: [OpaquePointer?], from start: Int? = nil) throws {
    guard let argument = values.first,
      let object = sqlite3_value_pointer(argument, TableFunction.evaluatorType)
    else { throw TableFunction.misuse }
    // Only evaluators are bound by that type, and the statement holds them during its run.
    evaluator = Unmanaged<SQLEvaluator>.fromOpaque(object).takeUnretainedValue()
    self.values = values
    first = start == nil ? 1 : 2
    self.start = start ?? 0
  }

  var layout: SQLRowLayout { evaluator.layout }

  /// The argument of a column; nil, which the library reads as null, for any other.
  private func value(_ column: Int) -> OpaquePointer? {
    let position = column - start + first
    return position >= first && position < values.count ? values[position] : nil
  }

  func rawKind(at column: Int) -> SQLValue.Kind {
    value(column).map { SQLValue.Kind(sqlite3_value_type($0)) } ?? .null
  }

  func rawInt64(at column: Int) -> Int64 { value(column).map { sqlite3_value_int64($0) } ?? 0 }

  func rawDouble(at column: Int) -> Double { value(column).map { sqlite3_value_double($0) } ?? 0 }

  func rawText(at column: Int) -> UnsafeRawBufferPointer {
    bytes(column) { UnsafeRawPointer(sqlite3_value_text($0)) }
  }

  func rawBlob(at column: Int) -> UnsafeRawBufferPointer {
    bytes(column) { sqlite3_value_blob($0) }
  }

  private func bytes(
    _ column: Int, _ read: (OpaquePointer) -> UnsafeRawPointer?
  ) -> UnsafeRawBufferPointer {
    guard let value = value(column), let start = read(value) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}
