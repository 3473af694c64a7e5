internal import ORMCore

/// Rows of a subentity on their way to its root: under the root's columns, with their kinds.
///
/// The key space is the hierarchy's. A row whose key a row of the subentity has, or of one of its own
/// subentities, changes that row, which stays what it is; a key that a row of another kind has is
/// taken.
struct SubentityPut {
  private let subentity: Subentity
  private let given: PutRequest
  /// The columns that the rows set.
  private let columns: [Int]
  /// The root's columns that are set, ascending.
  private let places: [Int]
  /// The values by the subentity's columns.
  private var rows: [[StoredValue]] = []
  /// Of rows that are there and are of a kind below the subentity, the kind; by position.
  private var kinds: [Int: StoredValue] = [:]
  private var entity: StoredEntity { subentity.entity }

  init(_ subentity: Subentity, _ request: PutRequest) {
    self.subentity = subentity
    given = request
    columns = request.columns ?? Array(subentity.columns.indices)
    places = (columns.map { subentity.columns[$0] } + [subentity.kindColumn]).sorted()
  }

  /// The request for the root.
  var request: PutRequest {
    var request = given
    request.entity = subentity.root.name
    request.columns = places
    return request
  }

  /// The rows for the root.
  var source: ValueSource {
    var from: [Int: Int] = [:]
    for column in columns { from[subentity.columns[column]] = column }
    let own = StoredValue.string(entity.name)
    let values = rows.enumerated().map { position, row in
      places.map { place in from[place].map { row[$0] } ?? kinds[position] ?? own }
    }
    return ValueSource(values, columns: places, entity: subentity.root)
  }

  /// Takes all rows of a source.
  mutating func read<S: RowSource>(from source: inout S) throws {
    var row = RowBuilder(columnCount: entity.columns.count)
    while try source.next(into: &row) {
      rows.append(row.values)
      row = RowBuilder(columnCount: entity.columns.count)
    }
  }

  /// Finds out which rows are there, and of which kind.
  ///
  /// - Throws: `duplicate` for a key that a row of another kind has, `notFound` where it was to be
  ///   updated; `missingValue` for an attribute that the subentity requires.
  mutating func check(against reader: any StoreReader) throws {
    let keys = rows.map { row in entity.key.map { row[$0] } }
    var stored = given.mode == .insert ? [:] : try storedKinds(of: keys, reader)
    for (position, key) in keys.enumerated() {
      let isGiven = !(entity.generatesKeys && key == [.int(0)])
      let kind = isGiven ? stored[GroupKey(key)] : nil
      if let kind {
        guard case .string(let name) = kind, subentity.kinds.contains(name) else {
          throw taken(key, by: kind)
        }
        if name != entity.name { kinds[position] = kind }
      }
      try checkRequired(rows[position], key: key, isNew: kind == nil && given.mode != .update)
      if isGiven, kind == nil { stored[GroupKey(key)] = .string(entity.name) }
    }
  }

  /// The kinds of those rows of the root that have one of the keys.
  private func storedKinds(
    of keys: [[StoredValue]], _ reader: any StoreReader
  ) throws -> [GroupKey: StoredValue] {
    let root = subentity.root
    let asked = keys.filter { !(entity.generatesKeys && $0 == [.int(0)]) }
    if asked.isEmpty { return [:] }
    let output = (root.key + [subentity.kindColumn]).map {
      Operand.attribute(root.columns[$0].attribute)
    }
    var found = ValueCollector()
    for condition in KeyLists(root, root.key).conditions(asked) {
      try reader.visit(
        FetchRequest(
          entity: root.name, output: .values(output), condition: condition,
          sort: RequestLowering.total([], entity: root)), &found)
    }
    return Dictionary(
      found.rows.map { (GroupKey(Array($0.dropLast())), $0.last ?? .null) },
      uniquingKeysWith: { first, _ in first })
  }

  private func taken(_ key: [StoredValue], by kind: StoredValue) -> StoreError {
    if given.mode == .update {
      return StoreError(
        .notFound, "there is no row with this primary key", entity: entity.modelName, key: key)
    }
    let name =
      subentity.root.subentities.first { .string($0.name) == kind }?.modelName
      ?? (kind.isNull ? subentity.root.modelName : "row of another kind")
    return StoreError(
      .duplicate, "a \(name) has this primary key", entity: entity.modelName, key: key,
      attributes: entity.key.map { entity.columns[$0].attribute }, values: key)
  }

  /// The root takes nil where the subentity does not.
  private func checkRequired(_ row: [StoredValue], key: [StoredValue], isNew: Bool) throws {
    for (position, column) in entity.columns.enumerated()
    where !column.isOptional && row[position].isNull {
      let isSet = columns.contains(position) && !given.nilKeeps
      if isSet || (isNew && column.defaultValue == nil) {
        throw StoreError(
          .missingValue, "a required attribute has no value", entity: entity.modelName, key: key,
          attributes: [column.attribute])
      }
    }
  }
}
