import ORMCore

/// The rows of one entity, in the order of the primary key.
struct ArrayTable: Sendable {
  /// The declared columns, then those that only the stored content knows.
  let entity: StoredEntity
  /// The number of columns that the program declares.
  let declaredCount: Int
  /// The rows, each as long as `entity.columns`.
  private(set) var rows: [[StoredValue]] = []
  /// The greatest integer key so far; the next is one more.
  var lastKey: Int64 = 0

  init(entity: StoredEntity, declaredCount: Int) {
    self.entity = entity
    self.declaredCount = declaredCount
  }

  func key(of row: [StoredValue]) -> [StoredValue] { entity.key.map { row[$0] } }

  /// The rows as the program sees them.
  var declaredRows: [[StoredValue]] { rows.map { Array($0.prefix(declaredCount)) } }

  /// Returns the position of the row with this key, or the one it would have.
  func position(of key: [StoredValue]) -> (index: Int, exists: Bool) {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      let order = Self.order(self.key(of: rows[middle]), key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  private static func order(_ a: [StoredValue], _ b: [StoredValue]) -> Int {
    for (a, b) in zip(a, b) {
      let order = StoredValue.order(a, b)
      if order != 0 { return order }
    }
    return 0
  }

  /// Puts a row over the one with its key, or as a new one.
  mutating func set(_ row: [StoredValue]) {
    let (index, exists) = position(of: key(of: row))
    if exists { rows[index] = row } else { rows.insert(row, at: index) }
    if entity.generatesKeys, case .int(let key) = row[entity.key[0]] {
      lastKey = max(lastKey, key)
    }
  }

  mutating func remove(_ key: [StoredValue]) {
    let (index, exists) = position(of: key)
    if exists { rows.remove(at: index) }
  }

  mutating func removeAll() { rows = [] }

  /// The integer key that comes next.
  func nextKey() throws -> Int64 {
    guard lastKey < Int64.max else {
      throw StoreError(
        .keysExhausted, "the last key has been given out", entity: entity.modelName)
    }
    return lastKey + 1
  }

  /// The unique rules that its rows break.
  var brokenRules: [StoredIndex] {
    entity.indexes.filter { index in
      guard index.isUnique else { return false }
      let values = rows.compactMap { self.values(of: $0, in: index) }
        .sorted { Self.order($0, $1) < 0 }
      return zip(values, values.dropFirst()).contains { Self.order($0, $1) == 0 }
    }
  }

  /// Throws `duplicate` when one of the rows with these keys breaks a unique rule.
  func checkUniqueRules(of keys: [[StoredValue]]) throws {
    for index in entity.indexes where index.isUnique {
      let all = rows.compactMap { values(of: $0, in: index) }
        .sorted { Self.order($0, $1) < 0 }
      let repeated = zip(all, all.dropFirst()).filter { Self.order($0, $1) == 0 }.map(\.0)
      if repeated.isEmpty { continue }
      for key in keys {
        let (position, exists) = position(of: key)
        guard exists, let values = values(of: rows[position], in: index),
          repeated.contains(where: { Self.order($0, values) == 0 })
        else { continue }
        throw StoreError(
          .duplicate, "another row has these values", entity: entity.modelName, key: key,
          attributes: index.terms.map { entity.columns[$0.column].attribute },
          values: index.terms.map { rows[position][$0.column] })
      }
    }
  }

  /// Returns the values of a row under a unique constraint; nil if the constraint does not apply to it.
  private func values(of row: [StoredValue], in index: StoredIndex) -> [StoredValue]? {
    let values = index.terms.map { term in
      if term.form == .caseFolded, case .string(let text) = row[term.column] {
        return StoredValue.string(TextFolding.fold(text, .caseInsensitive))
      }
      return row[term.column]
    }
    return values.contains(where: \.isNull) ? nil : values
  }
}
