internal import ORMStorage

/// Decodes a model from a row by the names of its coding keys.
///
/// Each row gets a decoder of its own. It reads the row where the store has it, column by column as
/// the model asks. A container or decoder that the model keeps finds no row afterwards, and throws
/// `decoding`.
final class RowDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// The row, of the type `reader`; nil after the model has been decoded.
  // It lies where `decode` was given it, and is valid until `decode` returns, which sets this to nil.
  private var row: UnsafeRawPointer?
  private let reader: any (RowReader & ~Copyable).Type
  /// The names of the columns; nil where keys take the columns as they are first asked for.
  private let coding: RowCoding?
  private let order: RowCoding.Order?
  /// The step of `order` that is expected next.
  private var next = 0
  /// The steps so far, where there is no order yet.
  private var asked: [RowCoding.Step] = []
  /// The columns of the names so far, where the columns have none.
  private var positions: [String: Int] = [:]
  /// The number of columns that names took so far, where the columns have none.
  private var taken = 0

  private init<R: RowReader & ~Copyable>(_ row: UnsafePointer<R>, _ coding: RowCoding?) {
    self.row = UnsafeRawPointer(row)
    reader = R.self
    self.coding = coding
    order = coding?.order.object
  }

  /// Decodes a model from a row whose columns are the attributes of its entity.
  static func decode<Model: Decodable, R: RowReader & ~Copyable>(
    _ type: Model.Type, from row: UnsafePointer<R>, by coding: RowCoding
  ) throws -> Model {
    let decoder = RowDecoder(row, coding)
    defer { decoder.row = nil }
    let model = try Model(from: decoder)
    if decoder.order == nil { _ = coding.order.keep(RowCoding.Order(decoder.asked)) }
    return model
  }

  /// Decodes a composite key from its values, in the order in which it asks for its properties.
  static func key<Key: Decodable>(_ type: Key.Type, from values: [StoredValue]) throws -> Key {
    try withUnsafePointer(to: BufferedRow(values)) { row in
      let decoder = RowDecoder(row, nil)
      defer { decoder.row = nil }
      return try Key(from: decoder)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.refusal }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Self.refusal }

  static var refusal: StoreError {
    StoreError(.decoding, "a model must decode itself from a keyed container")
  }
}

// The row.
extension RowDecoder {
  /// The row as the type that it has.
  @inline(__always)
  private func row<R: RowReader & ~Copyable>(_ type: R.Type) throws -> UnsafePointer<R> {
    guard let row else {
      throw StoreError(
        .decoding, "a decoder or container of a row was used after the model had been decoded")
    }
    return row.assumingMemoryBound(to: R.self)
  }

  @inline(__always)
  private func isNull(at column: Int) throws -> Bool {
    func isNull<R: RowReader & ~Copyable>(_ type: R.Type) throws -> Bool {
      try row(type).pointee.isNull(at: column)
    }
    return try isNull(reader)
  }

  @inline(__always)
  private func read<Value: AttributeValue>(_ type: Value.Type, at column: Int) throws -> Value {
    func read<R: RowReader & ~Copyable>(_ type: R.Type) throws -> Value {
      try Value.read(from: row(type).pointee, at: column)
    }
    return try read(reader)
  }

  private func value(at column: Int) throws -> StoredValue {
    func value<R: RowReader & ~Copyable>(_ type: R.Type) throws -> StoredValue {
      try row(type).pointee.value(at: column)
    }
    return try value(reader)
  }

  private func embedded(_ part: EmbeddedStruct) throws -> (any Persistable)? {
    func embedded<R: RowReader & ~Copyable>(_ type: R.Type) throws -> (any Persistable)? {
      try EmbeddedMapping.value(of: part, from: row(type))
    }
    return try embedded(reader)
  }

  private var columnCount: Int {
    get throws {
      func count<R: RowReader & ~Copyable>(_ type: R.Type) throws -> Int {
        try row(type).pointee.columnCount
      }
      return try count(reader)
    }
  }
}

// The properties that a model asks for.
extension RowDecoder {
  /// Returns true if there is a property of the name.
  func has(_ name: String) throws -> Bool {
    try coding?.has(name) ?? (position(of: name) != nil)
  }

  /// Returns true if a property is nil.
  func isNil(_ name: String) throws -> Bool {
    guard let coding else { return try isNull(at: known(name)) }
    guard coding.has(name) else { throw Self.unknown(name) }
    return try coding.nullColumn(named: name).map(isNull) ?? false
  }

  /// Decodes an attribute of a type that reads itself.
  @inline(__always)
  func decode<Value: AttributeValue & Decodable>(plain type: Value.Type, _ name: String) throws
    -> Value
  {
    guard let column = nextPlainColumn(type, name) else { return try decode(type, name) }
    do {
      return try read(type, at: column)
    } catch {
      throw Self.filled(error, name)
    }
  }

  /// Decodes an attribute of a type that reads itself; nil where it has no value.
  @inline(__always)
  func decodeIfPresent<Value: AttributeValue & Decodable>(plain type: Value.Type, _ name: String)
    throws -> Value?
  {
    guard let column = nextPlainColumn(type, name) else { return try decodeIfPresent(type, name) }
    do {
      return try isNull(at: column) ? nil : read(type, at: column)
    } catch {
      throw Self.filled(error, name)
    }
  }

  // The first row of a model, and properties that are no plain attributes, come here: one code for all
  // types.

  /// Decodes a property.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func decode<T: Decodable>(_ type: T.Type, _ name: String) throws -> T {
    try decode(type, name, by: knownStep(type, name) ?? newStep(type, name))
  }

  /// Decodes a property; nil where there is none of the name, and where it has no value.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func decodeIfPresent<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
    // The parts of a key inside a key take columns, and the key none of its own.
    if coding == nil, type is any CompositeKey.Type { return try innerKey(type) }
    let known = knownStep(type, name)
    if known == nil, try !has(name) { return nil }
    let step = try known ?? newStep(type, name)
    do {
      if try isNil(name, by: step) { return nil }
    } catch {
      throw Self.filled(error, name)
    }
    return try decode(type, name, by: step)
  }

  /// The column of the attribute that is expected next, if it is this one.
  @inline(__always)
  private func nextPlainColumn(_ type: Any.Type, _ name: String) -> Int? {
    guard let order, next < order.steps.count, order.steps[next].name == name,
      order.steps[next].type == ObjectIdentifier(type), let column = order.steps[next].plainColumn
    else { return nil }
    next += 1
    return column
  }

  /// The step for a property that was read in an earlier row.
  private func knownStep(_ type: Any.Type, _ name: String) -> RowCoding.Step? {
    guard let order else { return nil }
    let isExpected = next < order.steps.count && order.steps[next].name == name
    guard let position = isExpected ? next : order.positions[name],
      order.steps[position].type == ObjectIdentifier(type)
    else { return nil }
    next = position + 1
    return order.steps[position]
  }

  /// The step for a property, computed now.
  private func newStep(_ type: Any.Type, _ name: String) throws -> RowCoding.Step {
    guard let reading = try reading(type, name) else { throw Self.unknown(name) }
    var plainColumn: Int?
    if case .attribute(_, let column) = reading { plainColumn = column }
    let step = RowCoding.Step(
      name: name, type: ObjectIdentifier(type), plainColumn: plainColumn, reading: reading)
    if coding != nil, order == nil { asked.append(step) }
    return step
  }

  private func isNil(_ name: String, by step: RowCoding.Step) throws -> Bool {
    switch step.reading {
    case .attribute(_, let column), .value(let column): try isNull(at: column)
    case .link: false
    case .embedded(let part): try part.isOptional && isNull(at: part.columns.lowerBound)
    case .compositeKey: try !has(name) || isNil(name)
    }
  }

  private func reading(_ type: Any.Type, _ name: String) throws -> RowCoding.Reading? {
    if let coding { return coding.reading(type, named: name) }
    if type is any CompositeKey.Type { return .compositeKey }
    return try position(of: name).map { column in
      (type as? any AttributeValue.Type).map { .attribute($0, column) } ?? .value(column)
    }
  }

  private func decode<T: Decodable>(
    _ type: T.Type, _ name: String, by step: RowCoding.Step
  ) throws -> T {
    switch step.reading {
    case .attribute(let attribute, let column):
      func open<Value: AttributeValue>(_ attribute: Value.Type) throws -> T {
        // The step was made for `type`, and `attribute` is that type.
        unsafeBitCast(try read(attribute, at: column), to: type)
      }
      do {
        return try open(attribute)
      } catch {
        throw Self.filled(error, name)
      }
    case .value(let column):
      do {
        return try decode(type, column)
      } catch {
        throw Self.filled(error, name)
      }
    case .link(let link, let columns):
      let key = columns.isEmpty ? nil : try columns.map(value)
      return try Self.cast(try link.decoded(fromKey: key), to: type)
    case .embedded(let part): return try Self.cast(try embedded(part), to: type)
    case .compositeKey: return try innerKey(type)
    }
  }

  /// Decodes a key inside of the decoded model; its names are its own where the columns have none.
  private func innerKey<T: Decodable>(_ type: T.Type) throws -> T {
    let outer = positions
    if coding == nil { positions = [:] }
    defer { positions = outer }
    return try T(from: self)
  }

  /// Decodes an attribute from the value of its column.
  private func decode<T: Decodable>(_ type: T.Type, _ column: Int) throws -> T {
    let stored = try value(at: column)
    let attribute = type as? any AttributeValue.Type
    if case .json(let text) = stored, attribute?.attributeType != .json {
      return try JSONCoding.decode(type, from: text)
    }
    guard let attribute else { throw StoredValue.unexpected("JSON") }
    return try Self.cast(
      try attribute.init(stored, orFallback: coding?.fallback(at: column)), to: type)
  }

  private static func cast<T>(_ value: Any?, to type: T.Type) throws -> T {
    guard let value = value as? T else { throw StoredValue.unexpected("a \(type)") }
    return value
  }

  /// The column of a name where the columns have none: the next, if the name is new.
  private func position(of name: String) throws -> Int? {
    if let known = positions[name] { return known }
    let position = taken
    guard try position < columnCount else { return nil }
    taken += 1
    positions[name] = position
    return position
  }

  private func known(_ name: String) throws -> Int {
    guard let position = try position(of: name) else { throw Self.unknown(name) }
    return position
  }

  private static func unknown(_ name: String) -> StoreError {
    StoreError(
      .decoding, "the model decodes a property that is not an attribute of its entity",
      attributes: [name])
  }

  @inline(never)
  private static func filled(_ error: any Error, _ name: String) -> any Error {
    (error as? StoreError)?.filling(attributes: [name]) ?? error
  }
}
