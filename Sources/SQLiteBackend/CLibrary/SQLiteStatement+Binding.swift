public import CSQLite

/// Values for the parameters, which count from 1.
///
/// Texts and bytes are copied into memory of the statement's own, which is reused for the next row.
/// NaN is bound as null by the library; it never gets here (clause 1.3).
extension SQLiteStatement {
  /// The size from which the library copies a value and frees it with the row, so that one large value does
  /// not make the statement large for ever.
  private static let largestCopy = 64 << 10

  /// Binds null.
  @inlinable
  package func bindNull(at parameter: Int) throws {
    try checkBinding(sqlite3_bind_null(pointer, Int32(truncatingIfNeeded: parameter)))
  }

  /// Binds an integer.
  @inlinable
  package func bind(_ value: Int64, at parameter: Int) throws {
    try checkBinding(sqlite3_bind_int64(pointer, Int32(truncatingIfNeeded: parameter), value))
  }

  /// Binds a double.
  @inlinable
  package func bind(_ value: Double, at parameter: Int) throws {
    try checkBinding(sqlite3_bind_double(pointer, Int32(truncatingIfNeeded: parameter), value))
  }

  /// Binds a text; an embedded NUL stays.
  @usableFromInline
  package func bind(_ value: String, at parameter: Int) throws {
    if let result = value.utf8.withContiguousStorageIfAvailable({
      bindText(UnsafeRawBufferPointer($0), at: parameter)
    }) {
      try checkBinding(result)
    } else {
      var copy = value
      try checkBinding(copy.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: parameter) })
    }
  }

  /// Binds a text given as UTF-8, which the caller knows to be valid.
  @usableFromInline
  package func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try checkBinding(bindText(value, at: parameter))
  }

  /// Binds bytes; none are not null.
  @usableFromInline
  package func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws {
    let count = value.count
    let source: UnsafeRawPointer
    var disposal: sqlite3_destructor_type?
    if let base = value.baseAddress, count > Self.largestCopy {
      source = base
      disposal = Self.transient
    } else {
      source = copied(value)
    }
    try checkBinding(
      sqlite3_bind_blob64(
        pointer, Int32(truncatingIfNeeded: parameter), source, UInt64(count), disposal))
  }

  /// Binds an object for a Swift function to take, as `value.object(tag)`; to SQL it is null.
  ///
  /// It is retained until another value is bound or the statement ends.
  package func bind<Object: AnyObject>(
    _ object: Object, as tag: SQLiteObjectTag<Object>, at parameter: Int
  ) throws {
    try checkBinding(
      sqlite3_bind_pointer(
        pointer, Int32(truncatingIfNeeded: parameter),
        Unmanaged.passRetained(object).toOpaque(), tag.name,
        { object in
          guard let object else { return }
          Unmanaged<AnyObject>.fromOpaque(object).release()
        }))
  }

  /// The value that has the library copy a binding (`SQLITE_TRANSIENT`, a cast Swift does not import).
  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func bindText(_ value: UnsafeRawBufferPointer, at parameter: Int) -> Int32 {
    let count = value.count
    let source: UnsafeRawPointer
    var disposal: sqlite3_destructor_type?
    if let base = value.baseAddress, count > Self.largestCopy {
      source = base
      disposal = Self.transient
    } else {
      source = copied(value)
    }
    return sqlite3_bind_text64(
      pointer, Int32(truncatingIfNeeded: parameter),
      source.assumingMemoryBound(to: CChar.self), UInt64(count), disposal, UInt8(SQLITE_UTF8))
  }

  /// A copy in the statement's own memory; its address is never null, which would bind null.
  private func copied(_ value: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    let target = arena.reserve(value.count)
    if let base = value.baseAddress { target.copyMemory(from: base, byteCount: value.count) }
    return UnsafeRawPointer(target)
  }

  @inlinable
  func checkBinding(_ result: Int32) throws {
    if result != SQLITE_OK { throw failure(result) }
  }
}
