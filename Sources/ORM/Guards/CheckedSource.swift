internal import FoundationEssentials
internal import ORMCore

/// Rows that are checked on their way to a put: the columns that rules read are kept beside, the
/// others pass through as they are.
struct CheckedSource<Base: RowSource>: RowSource {
  private(set) var base: Base
  private let entityGuard: EntityGuard
  private let rules: [BoundRule]
  /// Whether a column is read by a rule, or part of the key.
  private let isKept: [Bool]
  private let keepsNil: Bool
  private var values: [StoredValue]
  private let nothing: [StoredValue]

  init(_ base: Base, _ entityGuard: EntityGuard, _ request: PutRequest) throws {
    self.base = base
    self.entityGuard = entityGuard
    let entity = entityGuard.entity
    rules = try entityGuard.boundRules(on: request.columns.map { Set($0) })
    var isKept = Array(repeating: false, count: entity.columns.count)
    for column in entity.key { isKept[column] = true }
    for rule in entityGuard.rules { for column in rule.columns { isKept[column] = true } }
    self.isKept = isKept
    keepsNil = request.nilKeeps
    nothing = Array(repeating: .null, count: entity.columns.count)
    values = nothing
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    values = nothing
    let found = try withUnsafeMutablePointer(to: &row) { row in
      var writer = KeepingWriter(row: row, isKept: isKept, values: values)
      values = []
      let found = try base.next(into: &writer)
      values = writer.values
      return found
    }
    guard found else { return false }
    if !rules.isEmpty { try check() }
    return true
  }

  private func check() throws {
    let row = BufferedRow(values)
    // With a nil that keeps what is stored nothing is written that could break a rule.
    let failures = try rules.filter { rule in
      !keepsNil
        || rule.rule.attributes.allSatisfy { name in
          entityGuard.entity.column(ofAttribute: name).map { !values[$0].isNull } ?? true
        }
    }.compactMap { try $0.failure(of: row, entity: entityGuard.entity) }
    if let error = StoreError.broken(
      failures, entity: entityGuard.entity, key: entityGuard.entity.givenKey(of: row))
    {
      throw error
    }
  }

  mutating func rewind() { base.rewind() }
}

/// Hands columns on to a row, and keeps those that are asked for.
private struct KeepingWriter<Row: RowWriter & ~Copyable>: RowWriter {
  let row: UnsafeMutablePointer<Row>
  let isKept: [Bool]
  var values: [StoredValue]

  private mutating func keep(_ value: @autoclosure () -> StoredValue, _ column: Int) {
    if column < isKept.count, isKept[column] { values[column] = value() }
  }

  mutating func setNull(at column: Int) throws { try row.pointee.setNull(at: column) }
  mutating func set(_ value: Bool, at column: Int) throws {
    keep(.bool(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: Int64, at column: Int) throws {
    keep(.int(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: UInt64, at column: Int) throws {
    keep(.unsigned(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: Double, at column: Int) throws {
    keep(.double(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: String, at column: Int) throws {
    keep(.string(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: Data, at column: Int) throws {
    keep(.data(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: Date, at column: Int) throws {
    keep(.date(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: UUID, at column: Int) throws {
    keep(.uuid(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(_ value: Decimal, at column: Int) throws {
    keep(.decimal(value), column)
    try row.pointee.set(value, at: column)
  }
  mutating func set(array value: [StoredValue], at column: Int) throws {
    keep(.array(value), column)
    try row.pointee.set(array: value, at: column)
  }
  mutating func set(json value: String, at column: Int) throws {
    keep(.json(value), column)
    try row.pointee.set(json: value, at: column)
  }
}
