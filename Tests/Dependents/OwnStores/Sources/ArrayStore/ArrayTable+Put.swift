import FoundationEssentials
import ORMCore

extension ArrayTable {
  /// Writes rows; what throws leaves the table to be thrown away.
  mutating func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O, maximumValueSize: Int
  ) throws {
    var keys: [[StoredValue]] = []
    var check = StopCheck()
    while true {
      try check.step()
      var builder = RowBuilder(columnCount: entity.columns.count)
      guard try source.next(into: &builder) else { break }
      try checkSizes(builder.values, maximumValueSize)
      let (outcome, key) = try put(builder.values, request, &visitor)
      keys.append(key)
      if request.reports.contains(.outcomes) {
        var integer: Int64 = 0
        if key.count == 1, case .int(let number) = key[0] { integer = number }
        try visitor.didPut(outcome, key: integer)
      }
    }
    try checkUniqueRules(of: keys)
  }

  private mutating func put<O: PutVisitor>(
    _ given: [StoredValue], _ request: PutRequest, _ visitor: inout O
  ) throws -> (PutOutcome, key: [StoredValue]) {
    var key = key(of: given)
    let wantsKey = entity.generatesKeys && (key[0].isNull || key[0] == .int(0))
    var (index, exists) = position(of: key)
    if wantsKey {
      exists = false
      if request.mode != .update { key = [.int(try nextKey())] }
    }
    switch (request.mode, exists) {
    case (.insert, true):
      throw StoreError(
        .duplicate, "a row has this key already", entity: entity.modelName, key: key,
        attributes: entity.key.map { entity.columns[$0].attribute }, values: key)
    case (.update, false):
      throw StoreError(.notFound, "no row has this key", entity: entity.modelName, key: key)
    case (.insertMissing, true): return (.unchanged, key)
    default: break
    }
    let isSet = setColumns(of: request)
    var row = exists ? rows[index] : entity.columns.map { $0.defaultValue ?? .null }
    let old = row
    for column in isSet where !(request.nilKeeps && given[column].isNull) {
      row[column] = given[column]
    }
    if wantsKey { row[entity.key[0]] = key[0] }
    try checkRequired(row)
    if exists {
      if zip(row, old).allSatisfy({ $0.isIdentical(to: $1) }) { return (.unchanged, key) }
      if request.reports.contains(.oldRows) {
        try visitor.willReplace(BufferedRow(Array(old.prefix(declaredCount))))
      }
    }
    set(row)
    return (exists ? .updated : .inserted, key)
  }

  /// The columns that the source of a request sets.
  private func setColumns(of request: PutRequest) -> [Int] {
    if let columns = request.columns { return columns }
    let all = Array(0..<declaredCount)
    return entity.keySource == .hidden ? all.filter { $0 != entity.key[0] } : all
  }

  /// Throws `missingValue` naming every required column that is null.
  func checkRequired(_ row: [StoredValue]) throws {
    let missing = entity.columns.indices.filter {
      !entity.columns[$0].isOptional && row[$0].isNull
    }
    guard missing.isEmpty else {
      throw StoreError(
        .missingValue, "a required attribute has no value and no default",
        entity: entity.modelName, key: key(of: row),
        attributes: missing.map { entity.columns[$0].attribute })
    }
  }

  /// Throws `tooLarge` when a value is larger than the limit.
  func checkSizes(_ row: [StoredValue], _ maximum: Int) throws {
    for (column, value) in row.enumerated() {
      guard value.byteCount <= maximum else {
        throw StoreError(
          .tooLarge, "a value is larger than the store's limit", entity: entity.modelName,
          key: key(of: row), attributes: [entity.columns[column].attribute])
      }
    }
  }
}

extension StoredValue {
  /// The bytes of a text or of data, those of an array's elements together; 0 for the rest.
  fileprivate var byteCount: Int {
    switch self {
    case .string(let text), .json(let text): text.utf8.count
    case .data(let data): data.count
    case .array(let elements): elements.reduce(0) { $0 + $1.byteCount }
    default: 0
    }
  }
}
