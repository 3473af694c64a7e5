internal import ORMStorage

/// A comparison of a table's rows with the values that core stores beside them, in both directions.
///
/// The engine's own check compares its indexes with its tables. It does not know that folded texts and the
/// tables of arrays' elements follow from other values. Nor does it miss an index that another program has
/// removed.
///
/// 1. The table has the columns and the primary key that it was made with (``checkLayout()``).
/// 2. Every index is there, and was built whole.
/// 3. Every folded text is the fold of its value.
/// 4. Every element of a row's array has its entry, and every entry of a row is one of its elements.
/// 5. Every entry belongs to a row.
/// 6. Where the store keeps checksums, every row fits its checksum.
struct TableVerification {
  let table: SQLTable
  let session: SQLSession
  let found: (StoreError) throws -> Void

  private var connection: any SQLConnection { session.connection }
  private func quoted(_ name: String) -> String { session.dialect.quoted(name) }
  private func quoted(table name: String) -> String { session.dialect.quoted(table: name) }
  private var keys: [SQLRowLayout.Column] { table.keyColumns.map { .init($0.stored) } }
  private var keyList: String { table.keyColumns.map { quoted($0.name) }.joined(separator: ", ") }

  /// Reports every fault.
  func run() throws {
    try checkIndexes()
    try checkRows()
    for column in table.columns {
      if let folded = column.folded { try checkFolds(of: column, folded) }
      if let elements = column.elements {
        try checkElements(of: column, elements)
        try checkOwners(of: column, elements)
      }
    }
  }

  /// Reports changes of the table itself by another program; returns false if rows cannot be read, since
  /// the table or a column is missing.
  func checkLayout() throws -> Bool {
    guard let layout = try connection.layout(ofTable: table.name) else { return true }
    // A dialect may have made the names shorter.
    let columns = Dictionary(
      layout.columns.map { (quoted($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    if columns.isEmpty {
      try reportLayout("the table \(table.name) is missing", [])
      return false
    }
    var isReadable = true
    for column in table.columns {
      for (name, declaration) in table.declarations(of: column, session.dialect) {
        guard let actual = columns[quoted(name)] else {
          try reportLayout("the table \(table.name) lacks the column \(name)", [column])
          isReadable = false
          continue
        }
        if actual != declaration {
          try reportLayout(
            "the column \(name) of the table \(table.name) is declared as \(actual), not as "
              + declaration, [column])
        }
      }
    }
    let key = table.primaryKey(session.dialect).map { quoted($0) }
    if layout.key.map({ quoted($0) }) != key {
      let list = key.joined(separator: ", ")
      try reportLayout(
        "the table \(table.name) lacks its primary key (\(list)), so keys may repeat",
        table.keyColumns)
    }
    return isReadable
  }

  private func reportLayout(_ fault: String, _ columns: [SQLTable.Column]) throws {
    try found(
      StoreError(
        .corrupt,
        "\(fault): another program has changed it. Change it back, or copy what can be read.",
        entity: table.stored.modelName, attributes: columns.map(\.stored.attribute)))
  }

  private func checkIndexes() throws {
    for index in table.indexes {
      guard let creation = table.creation(of: index, session.dialect),
        try !connection.isIndexBuilt(index.name)
      else { continue }
      let rule = index.stored.isUnique ? ", and its rule is broken" : ""
      try found(
        StoreError(
          .corrupt,
          "the index \(index.name) is missing or unfinished\(rule); make it again: \(creation)",
          entity: table.stored.modelName,
          attributes: index.stored.terms.map { table.stored.columns[$0.column].attribute }))
    }
  }

  private func checkRows() throws {
    guard let test = table.intactTest(session.dialect) else { return }
    try visit("SELECT \(keyList) FROM \(quoted(table: table.name)) WHERE NOT (\(test))", []) {
      key, _ in
      try found(
        StoreError(
          .corrupt, SQLTable.damageMessage, entity: table.stored.modelName, key: key))
    }
  }

  private func checkFolds(of column: SQLTable.Column, _ folded: String) throws {
    try visit(
      "SELECT \(keyList), \(quoted(column.name)), \(quoted(folded)) FROM \(quoted(table: table.name))",
      [.init(column.stored), .init(column.stored.attribute, .string)]
    ) { key, values in
      let expected: StoredValue
      if case .string(let text) = values[0] {
        expected = .string(TextFolding.fold(text, .caseInsensitive))
      } else {
        expected = .null
      }
      if !expected.isIdentical(to: values[1]) {
        try report("the stored case-folded text of an index does not match the value", key, column)
      }
    }
  }

  private func checkElements(of column: SQLTable.Column, _ elements: String) throws {
    let owners = SQLTable.ownerNames(count: table.keyColumns.count).map { quoted($0) }
    let conditions = owners.enumerated().map { "\($1) = \(session.dialect.placeholder($0 + 1))" }
      .joined(separator: " AND ")
    let entries = try connection.statement(
      "SELECT \(quoted(SQLTable.elementName)) FROM \(quoted(table: elements)) WHERE \(conditions)")
    let layout = SQLRowLayout(
      entity: table.stored.modelName,
      columns: [.init(column.stored.attribute, SQLTable.elementType(column.stored))], key: [])
    try visit(
      "SELECT \(keyList), \(quoted(column.name)) FROM \(quoted(table: table.name))",
      [.init(column.stored)]
    ) { key, values in
      defer { entries.rewind() }
      for (index, (value, owner)) in zip(key, table.keyColumns).enumerated() {
        try entries.bind(value, .stored(owner.stored.type.kind), at: index + 1)
      }
      var collector = ValueCollector()
      _ = try entries.visitRows(layout, &collector)
      let present = Set(collector.rows.map { GroupKey($0) })
      var array: [StoredValue] = []
      if case .array(let elements) = values[0] { array = elements }
      let expected = Set(array.filter { !$0.isNull }.map { GroupKey([$0]) })
      if !expected.isSubset(of: present) {
        try report("the index of elements lacks an element of the row", key, column)
      }
      if !present.isSubset(of: expected) {
        try report("the index of elements has an element that the row lacks", key, column)
      }
    }
  }

  private func checkOwners(of column: SQLTable.Column, _ elements: String) throws {
    let owners = SQLTable.ownerNames(count: table.keyColumns.count).map { "e.\(quoted($0))" }
    let matches = zip(owners, table.keyColumns).map { "t.\(quoted($1.name)) = \($0)" }
    let list = owners.joined(separator: ", ")
    try visit(
      "SELECT DISTINCT \(list) FROM \(quoted(table: elements)) e WHERE NOT EXISTS (SELECT 1 FROM "
        + "\(quoted(table: table.name)) t WHERE \(matches.joined(separator: " AND ")))", []
    ) { key, _ in
      try report("the index of elements has entries that belong to no row", key, column)
    }
  }

  /// Runs a query that gives a key and more, and passes on every row whose values can be read; the others are
  /// reported where rows are read.
  private func visit(
    _ sql: String, _ more: [SQLRowLayout.Column],
    _ body: ([StoredValue], [StoredValue]) throws -> Void
  ) throws {
    let statement = try connection.statement(sql)
    defer { statement.rewind() }
    let layout = SQLRowLayout(
      entity: table.stored.modelName, columns: keys + more, key: Array(keys.indices))
    try withoutActuallyEscaping(body) { body in
      var visitor = KeyedVisitor(count: layout.columns.count, keyCount: keys.count, body: body)
      _ = try statement.visitRows(layout, &visitor)
    }
  }

  private func report(_ message: String, _ key: [StoredValue], _ column: SQLTable.Column) throws {
    try found(
      StoreError(
        .corrupt, message, entity: table.stored.modelName, key: key,
        attributes: [column.stored.attribute]))
  }

  private struct KeyedVisitor: RowVisitor {
    let count: Int
    let keyCount: Int
    let body: ([StoredValue], [StoredValue]) throws -> Void

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      var values: [StoredValue] = []
      for position in 0..<count {
        do {
          values.append(try row.value(at: position))
        } catch let error as StoreError where error.code == .decoding {
          return .next
        }
      }
      try body(Array(values[..<keyCount]), Array(values[keyCount...]))
      return .next
    }
  }
}
