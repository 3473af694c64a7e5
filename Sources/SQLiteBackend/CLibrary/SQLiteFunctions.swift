internal import CSQLite
internal import ORMStorage

/// A Swift function the engine calls for each row.
package typealias SQLiteFunction = (SQLiteArguments, SQLiteOutput) throws -> Void

/// One running aggregate of a group: made at the group's first row, asked once at its end.
///
/// A class to be subclassed rather than a protocol, so that the engine can hold it as one pointer.
/// Over no rows at all `finish` is asked of a new one.
package class SQLiteAggregate {
  /// Makes an aggregate of nothing.
  package init() {}
  /// Takes one row's arguments.
  package func step(_ arguments: SQLiteArguments) throws {}
  /// Gives the result; null unless overridden.
  package func finish(_ output: SQLiteOutput) throws {}
}

/// The contexts in which a function may be called.
package enum SQLiteFunctionUse: Sendable {
  /// Use in statements alone, never from a view, trigger or index that a file brings along.
  case statements
  /// Use in the schema too, in an index on an expression; it must do nothing but compute. A program without
  /// the function can then not write such a table.
  case schema
}

extension SQLiteConnection {
  /// Makes a Swift function callable from SQL: deterministic, so that the same arguments must give
  /// the same result.
  ///
  /// The step that calls it throws its errors.
  ///
  /// - Parameter argumentCount: how many arguments it takes; -1 for any number.
  package func register(
    function name: String, argumentCount: Int, use: SQLiteFunctionUse = .statements,
    _ body: @escaping SQLiteFunction
  ) throws {
    try handle.check()
    let function = ScalarFunction(body, handle)
    // The library releases the function, also when it refuses it.
    try handle.check(
      sqlite3_create_function_v2(
        handle.database, name, Int32(clamping: argumentCount), use.flags,
        Unmanaged.passRetained(function).toOpaque(),
        { context, count, values in
          guard let context, let user = sqlite3_user_data(context) else { return }
          let output = SQLiteOutput(context: context)
          let function = Unmanaged<ScalarFunction>.fromOpaque(user).takeUnretainedValue()
          do {
            try function.body(SQLiteArguments(values: values, count: Int(count)), output)
          } catch {
            output.fail(error, function.handle)
          }
        }, nil, nil,
        { user in
          guard let user else { return }
          Unmanaged<ScalarFunction>.fromOpaque(user).release()
        }))
  }

  /// Makes a Swift aggregate callable from SQL; `make` gives one for each group.
  package func register(
    aggregate name: String, argumentCount: Int, use: SQLiteFunctionUse = .statements,
    _ make: @escaping () -> SQLiteAggregate
  ) throws {
    try handle.check()
    let function = AggregateFunction(make, handle)
    try handle.check(
      sqlite3_create_function_v2(
        handle.database, name, Int32(clamping: argumentCount), use.flags,
        Unmanaged.passRetained(function).toOpaque(), nil,
        { context, count, values in
          guard let context, let user = sqlite3_user_data(context) else { return }
          let function = Unmanaged<AggregateFunction>.fromOpaque(user).takeUnretainedValue()
          do {
            try function.step(SQLiteArguments(values: values, count: Int(count)), context)
          } catch {
            SQLiteOutput(context: context).fail(error, function.handle)
          }
        },
        { context in
          guard let context, let user = sqlite3_user_data(context) else { return }
          let function = Unmanaged<AggregateFunction>.fromOpaque(user).takeUnretainedValue()
          let output = SQLiteOutput(context: context)
          do {
            try function.finish(output)
          } catch {
            output.fail(error, function.handle)
          }
        },
        { user in
          guard let user else { return }
          Unmanaged<AggregateFunction>.fromOpaque(user).release()
        }))
  }
}

extension SQLiteFunctionUse {
  fileprivate var flags: Int32 {
    let use = self == .schema ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
    return SQLITE_UTF8 | SQLITE_DETERMINISTIC | use
  }
}

/// A registered function; the library owns it.
///
/// The handle outlives it, as closing releases it.
private final class ScalarFunction {
  let body: SQLiteFunction
  unowned(unsafe) let handle: SQLiteHandle

  init(_ body: @escaping SQLiteFunction, _ handle: SQLiteHandle) {
    self.body = body
    self.handle = handle
  }
}

/// A registered aggregate; the library owns it, and one slot of memory for each group, which it
/// gives zeroed.
private final class AggregateFunction {
  let make: () -> SQLiteAggregate
  unowned(unsafe) let handle: SQLiteHandle

  struct Slot {
    var running: Unmanaged<SQLiteAggregate>?
    var hasFailed: Bool
  }

  init(_ make: @escaping () -> SQLiteAggregate, _ handle: SQLiteHandle) {
    self.make = make
    self.handle = handle
  }

  func step(_ arguments: SQLiteArguments, _ context: OpaquePointer) throws {
    guard let slot = slot(context, size: Int32(MemoryLayout<Slot>.size)) else {
      throw StoreError(sqlite: SQLITE_NOMEM, String(cString: sqlite3_errstr(SQLITE_NOMEM)))
    }
    let running = slot.pointee.running ?? Unmanaged.passRetained(make())
    slot.pointee.running = running
    do {
      try running.takeUnretainedValue().step(arguments)
    } catch {
      slot.pointee.hasFailed = true
      throw error
    }
  }

  /// Called once for each group, also for one that is abandoned.
  func finish(_ output: SQLiteOutput) throws {
    guard let slot = slot(output.context, size: 0), let running = slot.pointee.running else {
      return try make().finish(output)
    }
    slot.pointee.running = nil
    let aggregate = running.takeRetainedValue()
    if !slot.pointee.hasFailed { try aggregate.finish(output) }
  }

  private func slot(_ context: OpaquePointer, size: Int32) -> UnsafeMutablePointer<Slot>? {
    sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: Slot.self)
  }
}
