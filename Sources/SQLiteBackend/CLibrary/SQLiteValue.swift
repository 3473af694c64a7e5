internal import CSQLite

/// The arguments of a call from SQL; valid during the call, never stored.
package struct SQLiteArguments {
  let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The number of arguments.
  package let count: Int

  init(values: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
    self.values = values
    self.count = count
  }

  /// One argument, counted from 0; it must exist.
  package subscript(index: Int) -> SQLiteValue {
    precondition(index >= 0 && index < count, "the function was called with fewer arguments")
    return SQLiteValue(pointer: values.unsafelyUnwrapped[index])
  }
}

/// One argument of a call from SQL; valid during the call, never stored.
///
/// The typed readers convert silently, as the library does.
package struct SQLiteValue {
  let pointer: OpaquePointer?

  /// Its storage class; ask before reading, as reading may convert it.
  package var kind: SQLiteKind { SQLiteKind(rawValue: sqlite3_value_type(pointer)) ?? .null }
  /// True if it is null; an object is.
  package var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }
  /// The integer.
  package var int64: Int64 { sqlite3_value_int64(pointer) }
  /// The double.
  package var double: Double { sqlite3_value_double(pointer) }

  /// The text; nil when it is null or its bytes are not valid UTF-8.
  package var text: String? {
    guard let start = sqlite3_value_text(pointer) else { return nil }
    let count = Int(sqlite3_value_bytes(pointer))
    return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The bytes of a text or blob without a copy, valid during the call; none for null.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = sqlite3_value_blob(pointer)
    let count = Int(sqlite3_value_bytes(pointer))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The object bound under the tag; nil for anything else.
  package func object<Object: AnyObject>(_ tag: SQLiteObjectTag<Object>) -> Object? {
    guard let object = sqlite3_value_pointer(pointer, tag.name) else { return nil }
    return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
  }
}

/// The name under which objects of one class pass through SQL.
///
/// One class has one tag, and one name one class, which makes taking the object safe.
package struct SQLiteObjectTag<Object: AnyObject>: Sendable {
  private let text: StaticString

  /// Makes a tag; the name ends in a class of this module.
  package init(_ text: StaticString) { self.text = text }

  /// The name as the library keeps it: for ever, without a copy.
  var name: UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

/// The result of a call from SQL; null if the function sets nothing.
///
/// Valid during the call.
package struct SQLiteOutput {
  let context: OpaquePointer

  /// Gives null.
  package func setNull() { sqlite3_result_null(context) }
  /// Gives an integer.
  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }
  /// Gives 1 or 0.
  package func set(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }
  /// Gives a double; NaN becomes null.
  package func set(_ value: Double) { sqlite3_result_double(context, value) }

  /// Gives a text.
  package func set(_ value: String) {
    var value = value
    value.withUTF8 { text in
      // An address is needed also for no bytes: none would give null.
      withUnsafePointer(to: 0 as CChar) { none in
        let start = text.baseAddress.map {
          UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)
        }
        sqlite3_result_text64(
          context, start ?? none, UInt64(text.count), SQLiteStatement.transient,
          UInt8(SQLITE_UTF8))
      }
    }
  }

  /// Gives bytes; none are not null.
  package func set(blob value: UnsafeRawBufferPointer) {
    guard let start = value.baseAddress, !value.isEmpty else {
      sqlite3_result_zeroblob(context, 0)
      return
    }
    sqlite3_result_blob64(context, start, UInt64(value.count), SQLiteStatement.transient)
  }

  /// Ends the statement with an error, which its step throws as it was.
  ///
  /// The first counts: an aggregate that is abandoned for it may fail at its end too.
  func fail(_ error: any Error, _ handle: SQLiteHandle) {
    if handle.functionFailure == nil { handle.functionFailure = error }
    let message = SQLiteHandle.functionFailureMessage
    sqlite3_result_error(context, message, Int32(message.utf8.count))
  }
}
