package import ORMStorage

/// A plan for carrying out a put: a value, made by a pure function of request, table and dialect.
package enum SQLPutPlan: Sendable {
  /// One statement for each row, into which the source writes.
  case direct(Direct)
  /// Each row is read, compared and written apart.
  case rows

  /// One statement for each row, and the way to detect its outcome.
  package struct Direct: Sendable {
    /// The statement; its columns are those the source sets.
    package var query: SQLQuery
    /// The way to detect that the statement found its row, which is then not inserted.
    package var finding: Finding
    /// True if a broken rule may come from the form of the statement and not from the rows, so that the
    /// operation has to be tried again row by row.
    package var retries: Set<StoreError.Code>
  }

  /// A way to detect that a statement found its row.
  package enum Finding: Sendable {
    /// Not known, and not needed.
    case unreported
    /// The row number of the last insert is not the row's.
    case byRowNumber
    /// The statement calls ``SQLFunction/rowCounter`` for a row that it finds.
    case byRowCounter
  }
}

/// Compiles puts.
package struct PutCompiler {
  private let table: SQLTable
  private let dialect: any SQLDialect
  private let request: PutRequest
  /// The columns that the source sets, by position.
  private let set: [Int]

  /// Makes a compiler for one put.
  package init(_ request: PutRequest, _ table: SQLTable, _ dialect: any SQLDialect) {
    self.table = table
    self.dialect = dialect
    self.request = request
    set = table.sourceColumns(request)
  }

  /// Compiles the put.
  package func compile() -> SQLPutPlan {
    let hasOnConflict = dialect.supportsOnConflict
    let updates = set.filter(table.isReplaced)
    let changesElements: Bool
    let keysAreSet = table.entity.key.allSatisfy(set.contains)
    switch request.mode {
    case .update: changesElements = updates.contains { table.column($0).elements != nil }
    case .insert, .insertMissing, .upsert: changesElements = !table.elementColumns.isEmpty
    }
    if changesElements || request.reports.contains(.oldRows) { return .rows }
    if [.update, .upsert].contains(request.mode), !updates.allSatisfy(table.isCompared(dialect)) {
      return .rows
    }
    switch request.mode {
    case .insert: return .direct(insertion(""))
    case .insertMissing:
      guard keysAreSet, hasOnConflict else { return .rows }
      return .direct(insertion(" ON CONFLICT (\(key)) DO NOTHING"))
    case .upsert:
      if !keysAreSet || !hasOnConflict || lacksRequired { return .rows }
      if updates.isEmpty { return .direct(insertion(" ON CONFLICT (\(key)) DO NOTHING")) }
      guard let finding = upsertFinding else { return .rows }
      return .direct(upsert(updates, finding))
    case .update:
      // Without a count of calls nothing tells a row that is as it should be from one that is missing.
      if updates.isEmpty || !keysAreSet || !dialect.countsCalls { return .rows }
      return .direct(update(updates))
    }
  }

  // MARK: Statements

  private func insertion(_ ending: SQLText) -> SQLPutPlan.Direct {
    var names: [SQLText] = []
    var values: [SQLText] = []
    for position in table.columnIndexes.indices {
      let column = table.column(position)
      for part in parts(of: column) {
        guard let value = inserted(position, part.form) else { continue }
        names.append(SQLText(part.name))
        values.append(value)
      }
    }
    let text: SQLText = """
      INSERT INTO \(sql: dialect.quoted(table: table.name)) (\(names.joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))\(ending)
      """
    return SQLPutPlan.Direct(
      query: SQLQuery(text, dialect), finding: .unreported, retries: retries([]))
  }

  /// Returns the form in which an upsert shows that it found its row, or nil where it cannot, though
  /// the caller asks.
  private var upsertFinding: SQLPutPlan.Finding? {
    if !request.reports.contains(.outcomes) { return .unreported }
    if table.rowNumber != nil, dialect.reportsInsertedRows { return .byRowNumber }
    return dialect.countsCalls ? .byRowCounter : nil
  }

  private func upsert(_ updates: [Int], _ finding: SQLPutPlan.Finding) -> SQLPutPlan.Direct {
    let changed = difference(updates) { part, position in
      request.nilKeeps ? updated(position, part) : "excluded.\(sql: part.name)"
    }
    let sets = assignments(updates) { part, position in
      request.nilKeeps ? updated(position, part) : "excluded.\(sql: part.name)"
    }
    let test = finding == .byRowCounter ? SQLFunction.counted(changed) : changed
    var plan = insertion(" ON CONFLICT (\(key)) DO UPDATE SET \(sets) WHERE \(test)")
    plan.finding = finding
    // NOT NULL is tested before the key: a null that would keep the stored value shows as an error.
    plan.retries = retries(request.nilKeeps ? [.missingValue] : [])
    return plan
  }

  private func update(_ updates: [Int]) -> SQLPutPlan.Direct {
    let changed = difference(updates) { part, position in updated(position, part) }
    let sets = assignments(updates) { part, position in updated(position, part) }
    let matches = table.entity.key.map { position -> SQLText in
      let column = table.column(position)
      return """
        \(sql: dialect.quoted(column.name)) = \
        \(.column(position, .stored(column.stored.type.kind)))
        """
    }
    let text: SQLText = """
      UPDATE \(sql: dialect.quoted(table: table.name)) SET \(sets) WHERE \
      \(matches.joined(separator: " AND ")) AND \(SQLFunction.counted(changed))
      """
    return SQLPutPlan.Direct(
      query: SQLQuery(text, dialect), finding: .byRowCounter, retries: retries([]))
  }

  // MARK: Parts

  /// A column and the form in which it is bound; a folded text is a second such part.
  private struct Part {
    var name: String
    var form: SQLForm
  }

  private func parts(of column: SQLTable.Column) -> [Part] {
    let own = Part(name: dialect.quoted(column.name), form: .stored(column.stored.type.kind))
    guard let folded = column.folded else { return [own] }
    return [own, Part(name: dialect.quoted(folded), form: .folded)]
  }

  private var key: SQLText {
    let entries = table.entries(of: table.keyTerms(dialect), isUnique: true, dialect)
    return SQLText(entries.map(\.text).joined(separator: ", "))
  }

  /// Returns the text that an insert puts into a column; nil for the engine's null.
  private func inserted(_ position: Int, _ form: SQLForm) -> SQLText? {
    // A generated key is bound by the store where the source gives none.
    if table.entity.generatesKeys && table.entity.key == [position] {
      return "\(.column(position, form))"
    }
    let value = table.column(position).stored.defaultValue ?? .null
    let type = table.column(position).stored.type
    let other = value.isNull ? nil : dialect.typed("\(.constant(value, form))", as: type)
    guard set.contains(position) else { return other }
    guard request.nilKeeps, let other else { return "\(.column(position, form))" }
    return "coalesce(\(.column(position, form)), \(other))"
  }

  /// Returns the text that an update from the source puts into a part of a column.
  private func updated(_ position: Int, _ part: Part) -> SQLText {
    request.nilKeeps
      ? "coalesce(\(.column(position, part.form)), \(sql: qualified(part.name)))"
      : "\(.column(position, part.form))"
  }

  private func qualified(_ quotedName: String) -> String {
    "\(dialect.quoted(table: table.name)).\(quotedName)"
  }

  private func assignments(
    _ positions: [Int], _ value: (Part, Int) -> SQLText
  ) -> SQLText {
    positions.flatMap { position in
      parts(of: table.column(position)).map { part -> SQLText in
        "\(sql: part.name) = \(value(part, position))"
      }
    }.joined(separator: ", ")
  }

  /// Returns whether a column becomes another, to the last bit.
  private func difference(
    _ positions: [Int], _ value: (Part, Int) -> SQLText
  ) -> SQLText {
    let tests = positions.map { position -> SQLText in
      let column = table.column(position)
      let part = parts(of: column)[0]
      return table.difference(
        qualified(part.name), value(part, position), column.stored.type.kind, dialect)
    }
    let changed = tests.chained(by: " OR ")
    let target = dialect.quoted(table: table.name)
    guard let intact = table.intactRequirement(dialect, alias: target) else { return changed }
    return "(\(changed)) AND \(sql: intact)"
  }

  /// True if an insert of the columns set could break NOT NULL though the row exists.
  private var lacksRequired: Bool {
    table.columnIndexes.indices.contains { position in
      let column = table.column(position).stored
      return !set.contains(position) && !column.isOptional
        && (column.defaultValue ?? .null).isNull
    }
  }

  private func retries(_ codes: Set<StoreError.Code>) -> Set<StoreError.Code> {
    table.indexes.contains(where: \.stored.isUnique) ? codes.union([.duplicate]) : codes
  }
}

extension SQLTable {
  /// Returns whether a row that replaces another with an equal key may bring other bits in a
  /// column: not in a column of the key, unless it may hold zeros of either sign.
  func isReplaced(_ position: Int) -> Bool {
    guard entity.key.contains(position) else { return true }
    let kind = column(position).stored.type.kind
    return kind == .double || kind == .date
  }

  /// The positions that the source of a put sets, ascending: a hidden key only if it is named.
  package func sourceColumns(_ request: PutRequest) -> [Int] {
    if let columns = request.columns { return columns }
    let all = Array(entity.columns.indices)
    return entity.keySource == .hidden ? all.filter { !entity.key.contains($0) } : all
  }

  /// Returns whether two values of a kind differ to the last bit.
  ///
  /// Zeros of both signs are equal, so for them the bits are compared.
  package func difference(
    _ column: String, _ other: SQLText, _ kind: AttributeType.Kind, _ dialect: any SQLDialect
  ) -> SQLText {
    let differs = dialect.isDifferent(SQLText(column), other)
    guard kind == .double || kind == .date else { return differs }
    var bits: SQLText = "\(sql: SQLFunction.differs.rawValue)(\(sql: column), \(other))"
    if !dialect.evaluatesInEngine {
      bits = dialect.bitsDiffer(SQLText(column), other) ?? "\(sql: dialect.literal(false))"
    }
    return "\(differs) OR (\(sql: column) = \(sql: dialect.zero) AND \(bits))"
  }

  /// Returns whether the database tells by itself that a value of a column is another, to the last
  /// bit.
  func isCompared(_ dialect: any SQLDialect) -> (_ position: Int) -> Bool {
    { position in
      if dialect.evaluatesInEngine { return true }
      let kind = self.column(position).stored.type.kind
      return switch kind {
      case .double, .date: dialect.bitsDiffer("", "") != nil
      case .array: dialect.keepsArraysAsTexts
      default: true
      }
    }
  }
}
