internal import ORM
internal import ORMCore
internal import ORMObservation

/// The rows of one entity in no order, and loops over them, with which a store is compared.
///
/// Written from the words of the semantic contract, above the seam: no request is lowered, no
/// condition compiled, no store asked. A model is a value, so that undoing is forgetting a copy.
struct NaiveModel: Sendable {
  let entity: EntityDescription
  private(set) var rows: [NaiveRow] = []
  /// The greatest integer key so far; the next is one more.
  private var lastKey: Int64 = 0

  init(_ entity: EntityDescription) { self.entity = entity }

  func value(_ operand: Operand, of row: NaiveRow) throws -> StoredValue {
    try NaiveEvaluator(entity: entity, row: row).value(operand)
  }

  /// The rows that match, in order, those of a page.
  func rows(
    where condition: Condition, order: [SortTerm], paging: Paging, after cursor: NaiveRow? = nil
  ) throws -> [NaiveRow] {
    let terms = total(order)
    var found = try rows.filter { try NaiveEvaluator(entity: entity, row: $0).holds(condition) }
      .map { (row: $0, keys: try keys(of: $0, terms)) }
    if let cursor {
      let key = try keys(of: stored(row: cursor), terms)
      found.removeAll { Self.order($0.keys, key, terms) <= 0 }
    }
    found.sort { Self.order($0.keys, $1.keys, terms) < 0 }
    let sorted = found.map(\.row)
    switch paging {
    case .all: return sorted
    case .limit(let limit, let offset):
      return Array(sorted.dropFirst(offset).prefix(limit ?? sorted.count))
    case .page(let number, let size): return Array(sorted.dropFirst(number * size).prefix(size))
    }
  }

  /// The primary key comes last, in the direction of the last term (clause 3.2).
  private func total(_ order: [SortTerm]) -> [SortTerm] {
    order
      + entity.keyNames.map {
        SortTerm(.attribute($0), isDescending: order.last?.isDescending ?? false)
      }
  }

  private func keys(of row: NaiveRow, _ terms: [SortTerm]) throws -> [StoredValue] {
    try terms.map { NaiveText.folded(try value($0.operand, of: row), $0.options) }
  }

  /// Clause 3.1.
  private static func order(
    _ a: [StoredValue], _ b: [StoredValue], _ terms: [SortTerm]
  ) -> Int {
    for (index, term) in terms.enumerated() {
      let nilsFirst = term.nils.map { $0 == .first } ?? !term.isDescending
      switch (a[index].isNull, b[index].isNull) {
      case (true, true): continue
      case (true, false): return nilsFirst ? -1 : 1
      case (false, true): return nilsFirst ? 1 : -1
      default:
        let order = NaiveOrder.total(a[index], b[index])
        if order != 0 { return term.isDescending ? -order : order }
      }
    }
    return 0
  }
}

extension NaiveModel {
  /// A row with its texts in their stored form.
  func stored(row: NaiveRow) -> NaiveRow {
    var row = row
    for attribute in entity.attributes where attribute.isNormalized {
      row[attribute.name] = row[attribute.name]?.inCanonicalForm
    }
    return row
  }

  func key(of row: NaiveRow) -> [StoredValue] { row.list(entity.keyNames) }

  func index(of key: [StoredValue]) -> Int? {
    rows.firstIndex { row in
      zip(self.key(of: row), key).allSatisfy { NaiveOrder.equals($0, $1) }
    }
  }

  /// Replaces the row with the same key, or adds a new one.
  mutating func set(_ row: NaiveRow) {
    let key = key(of: row)
    if let index = index(of: key) { rows[index] = row } else { rows.append(row) }
    if entity.givesKeys, case .int(let key) = key[0] { lastKey = max(lastKey, key) }
  }

  mutating func remove(_ keys: [[StoredValue]]) {
    for key in keys { if let index = index(of: key) { rows.remove(at: index) } }
  }

  mutating func removeAll() { rows = [] }

  /// The integer key that comes next; nil when the last has been given out.
  var nextKey: Int64? { lastKey == .max ? nil : lastKey + 1 }

  /// Adds a fault for every unique rule that two rows break.
  func checkUniqueRules(_ faults: inout NaiveFaults) {
    for index in rows.indices { check(rows[index], against: rows[..<index], &faults) }
  }

  /// Adds a fault for every unique rule that a row would break.
  func checkUniqueRules(of row: NaiveRow, _ faults: inout NaiveFaults) {
    check(row, against: rows[...], &faults)
  }

  private func check(
    _ row: NaiveRow, against others: ArraySlice<NaiveRow>, _ faults: inout NaiveFaults
  ) {
    for index in entity.indexes where index.isUnique {
      let values = Self.values(of: row, in: index)
      if values.contains(where: \.isNull) { continue }
      let isTaken = others.contains { other in
        zip(values, Self.values(of: other, in: index)).allSatisfy { NaiveOrder.equals($0, $1) }
      }
      if isTaken { faults.add(.duplicate, index.terms.map(\.attribute)) }
    }
  }

  private static func values(of row: NaiveRow, in index: IndexDescription) -> [StoredValue] {
    index.terms.map { term in
      let value = row[term.attribute] ?? .null
      return term.form == .caseFolded ? NaiveText.folded(value, .caseInsensitive) : value
    }
  }
}

/// All faults of one operation; a store may report any of them.
struct NaiveFaults: Error {
  private(set) var faults: [RandomOutcome.Fault] = []

  init() {}

  init(_ code: StoreError.Code) { faults = [.init(code: code)] }

  mutating func add(_ code: StoreError.Code, _ attributes: [String]? = nil) {
    faults.append(.init(code: code, attributes: attributes))
  }

  func check() throws { if !faults.isEmpty { throw self } }
}
