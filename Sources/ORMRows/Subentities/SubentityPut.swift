internal import ORMStorage

/// A put of rows of a subentity as rows of its root: under the root's columns, with their kinds.
///
/// The key space is the hierarchy's. A row whose key a row of the subentity has, or of one of its own
/// subentities, changes that row, which keeps its kind; a key that a row of another kind has is taken.
/// Kinds are looked up before the put begins; a put of many rows asks its source for them twice, and
/// holds a part of them at a time.
struct SubentityPut {
  private let subentity: Subentity
  private let given: PutRequest
  /// The columns that the rows set.
  private let columns: [Int]
  /// The root's columns that are set, ascending.
  private let rootColumns: [Int]
  /// The kinds of stored rows that are of a kind below the subentity, by position.
  private var kinds: [Int: StoredValue] = [:]
  private var entity: StoredEntity { subentity.entity }

  init(_ subentity: Subentity, _ request: PutRequest) {
    self.subentity = subentity
    given = request
    columns = request.columns ?? Array(subentity.columns.indices)
    rootColumns = (columns.map { subentity.columns[$0] } + [subentity.kindColumn]).sorted()
  }

  /// The request for the root.
  var request: PutRequest {
    var request = given
    request.entity = subentity.root.name
    request.columns = rootColumns
    return request
  }

  /// The rows for the root: `rows` if they are all rows of the source, else those that the source gives
  /// again.
  func source<S: RowSource>(_ rows: [[StoredValue]]?, _ base: S) -> SubentitySource<S> {
    var from: [Int: Int] = [:]
    for column in columns { from[subentity.columns[column]] = column }
    return SubentitySource(
      base: base, subentity: subentity,
      rootColumns: rootColumns.map { (column: $0, from: from[$0]) }, kinds: kinds, rows: rows)
  }

  /// The number of rows that are held and looked up together.
  private static var chunk: Int { 1_000 }

  /// Finds out which rows are there, and of which kind; gives the rows where they are few, else the
  /// source is back at its first.
  ///
  /// - Throws: `duplicate` for a key that a row of another kind has, `notFound` where it was to be
  ///   updated; `missingValue` for an attribute that the subentity requires.
  mutating func examine<S: RowSource>(
    _ source: inout S, against reader: any StoreReader
  ) throws -> [[StoredValue]]? {
    var count = 0
    while true {
      var rows: [[StoredValue]] = []
      var row = RowBuilder(columnCount: entity.columns.count)
      while rows.count < Self.chunk, try source.next(into: &row) {
        rows.append(row.values)
        row = RowBuilder(columnCount: entity.columns.count)
      }
      try check(rows, from: count, against: reader)
      let isEnd = rows.count < Self.chunk
      if isEnd, count == 0 { return rows }
      count += rows.count
      if isEnd {
        source.rewind()
        return nil
      }
    }
  }

  /// Checks rows that begin at a position of the source.
  private mutating func check(
    _ rows: [[StoredValue]], from start: Int, against reader: any StoreReader
  ) throws {
    let keys = rows.map { row in entity.key.map { row[$0] } }
    var stored = given.mode == .insert ? [:] : try storedKinds(of: keys, reader)
    for (position, key) in keys.enumerated() {
      let isGiven = !entity.awaitsKey(key)
      let kind = isGiven ? stored[GroupKey(key)] : nil
      if let kind {
        guard case .string(let name) = kind, subentity.kinds.contains(name) else {
          throw taken(key, by: kind)
        }
        if name != entity.name { kinds[start + position] = kind }
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
    let asked = keys.filter { !entity.awaitsKey($0) }
    let found = try reader.values(
      of: root, where: root.key, in: asked, output: root.key + [subentity.kindColumn])
    return Dictionary(
      found.map { (GroupKey(Array($0.dropLast())), $0.last ?? .null) },
      uniquingKeysWith: { first, _ in first })
  }

  private func taken(_ key: [StoredValue], by kind: StoredValue) -> StoreError {
    if given.mode == .update {
      return StoreError(
        .notFound, "there is no row with this primary key", entity: entity.modelName, key: key)
    }
    let name =
      subentity.root.subentities.first { .string($0.name) == kind }?.modelName
      ?? (kind.isNull ? subentity.root.modelName : "row that is another subentity")
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

/// Rows of a subentity as those of its root.
struct SubentitySource<Base: RowSource>: RowSource {
  private(set) var base: Base
  fileprivate let subentity: Subentity
  /// The root's columns that are set, ascending, and those of the subentity that are set there; nil for
  /// the kind.
  fileprivate let rootColumns: [(column: Int, from: Int?)]
  /// The kinds of those rows that are of one below the subentity, by position.
  fileprivate let kinds: [Int: StoredValue]
  /// The rows, where the base gave all of them already.
  fileprivate let rows: [[StoredValue]]?
  private var position = 0

  fileprivate init(
    base: Base, subentity: Subentity, rootColumns: [(column: Int, from: Int?)],
    kinds: [Int: StoredValue], rows: [[StoredValue]]?
  ) {
    self.base = base
    self.subentity = subentity
    self.rootColumns = rootColumns
    self.kinds = kinds
    self.rows = rows
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    let values: [StoredValue]
    if let rows {
      guard position < rows.count else { return false }
      values = rows[position]
    } else {
      var builder = RowBuilder(columnCount: subentity.entity.columns.count)
      guard try base.next(into: &builder) else { return false }
      values = builder.values
    }
    for (column, from) in rootColumns {
      let value =
        from.map { values[$0] } ?? kinds[position] ?? .string(subentity.entity.name)
      try row.set(value: value, at: column, type: subentity.root.columns[column].type)
    }
    position += 1
    return true
  }

  mutating func rewind() {
    if rows == nil { base.rewind() }
    position = 0
  }
}
