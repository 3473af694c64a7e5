internal import ORMCore

/// A source whose rows are checked as a put reads them: the columns that rules read are copied, the
/// others pass through as they are.
struct CheckedSource<Base: RowSource>: RowSource {
  private(set) var base: Base
  private let interceptor: EntityInterceptor
  private let rules: [BoundRule]
  /// The position of a column that is read by a rule, or part of the key.
  private let positions: [Int?]
  private let keepsNil: Bool
  private var values: [StoredValue]
  private let nothing: [StoredValue]
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
    nothing = Array(repeating: .null, count: entity.columns.count)
    values = nothing
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    values = nothing
    let found = try withUnsafeMutablePointer(to: &row) { row in
      var writer = KeepingWriter(row: row, positions: positions, values: values)
      values = []
      let found = try base.next(into: &writer)
      values = writer.values
      return found
    }
    guard found else { return false }
    if !rules.isEmpty { try check() }
    position += 1
    return true
  }

  private func check() throws {
    let row = BufferedRow(values)
    // A nil that keeps the stored value writes nothing that could break a rule.
    var failures = try rules.filter { rule in
      !keepsNil
        || rule.rule.attributes.allSatisfy { name in
          interceptor.entity.column(ofAttribute: name).map { !values[$0].isNull } ?? true
        }
    }.compactMap { try $0.failure(of: row, entity: interceptor.entity) }
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
