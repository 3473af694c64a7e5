@_spi(Records) internal import ORMStorage

/// A source whose rows are checked as a put reads them.
///
/// A record is checked in its own form of bytes. Of a row that goes elsewhere, the columns that rules read
/// are copied, and the others pass through as they are.
struct CheckedSource<Base: RowSource>: RowSource {
  private(set) var base: Base
  private let interceptor: EntityInterceptor
  private let rules: [BoundRule]
  /// The position of a column that is read by a rule, or part of the key.
  private let positions: [Int?]
  private let keepsNil: Bool
  /// The values of the row; null in columns that are not copied.
  private var values: [StoredValue]
  private let more: RowFailures?
  private var position = 0

  init(
    _ base: Base, _ interceptor: EntityInterceptor, _ request: PutRequest, more: RowFailures?
  ) throws {
    self.base = base
    self.more = more
    self.interceptor = interceptor
    let entity = interceptor.entity
    rules = try interceptor.boundRules(on: request.columns.map { Set($0) })
    let copied = interceptor.rules.reduce(into: Set(entity.key)) { $0.formUnion($1.columns) }
    positions = entity.columns.indices.map { copied.contains($0) ? $0 : nil }
    keepsNil = request.nilKeeps
    values = Array(repeating: .null, count: entity.columns.count)
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    for case let position? in positions { values[position] = .null }
    let found = try withUnsafeMutablePointer(to: &row) { row in
      var writer = KeepingWriter(row: row, positions: positions, values: values)
      values = []
      defer { swap(&values, &writer.values) }
      return try base.next(into: &writer)
    }
    guard found else { return false }
    let row = BufferedRow(values)
    for rule in rules where !isSkipped(rule, in: values) {
      if try !rule.holds(for: row) { try check() }
    }
    position += 1
    return true
  }

  mutating func next(record: inout RecordWriter) throws -> Bool {
    guard try base.next(record: &record) else { return false }
    if !rules.isEmpty {
      try record.withReader { record in
        for rule in rules {
          if try keepsNil || !rule.holds(for: record) { return try check(record) }
        }
      }
    }
    position += 1
    return true
  }

  /// Checks a record whose nil values keep the stored ones, or which breaks a rule.
  @inline(never)
  private mutating func check(_ record: RecordReader) throws {
    for case let position? in positions { values[position] = try record.value(at: position) }
    try check()
  }

  /// Returns whether a nil that keeps the stored value is all that a rule looks at.
  private func isSkipped(_ rule: BoundRule, in values: [StoredValue]) -> Bool {
    keepsNil
      && rule.rule.attributes.contains { name in
        interceptor.entity.column(ofAttribute: name).map { values[$0].isNull } ?? false
      }
  }

  /// Throws the error of the values if they break a rule.
  private func check() throws {
    let row = BufferedRow(values)
    // A nil that keeps the stored value writes nothing that could break a rule.
    var failures = try rules.filter { !isSkipped($0, in: values) }
      .compactMap { try $0.failure(of: row, entity: interceptor.entity) }
    // Nil breaks no rule: an attribute that must have a value is reported as missing.
    for name in failures.flatMap(\.attributes) {
      guard let column = interceptor.entity.column(ofAttribute: name) else { continue }
      _ = try interceptor.entity.checked(values[column], at: column)
    }
    if !failures.isEmpty, let more { failures += try more(position) }
    if let error = StoreError.broken(
      failures, entity: interceptor.entity, key: interceptor.entity.givenKey(of: row))
    {
      throw error
    }
  }

  mutating func rewind() {
    base.rewind()
    position = 0
  }
}
