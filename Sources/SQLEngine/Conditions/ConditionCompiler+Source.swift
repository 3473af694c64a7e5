internal import ORMStorage

/// The rows that a shape is about.
extension ConditionCompiler {
  /// Compiles everything of a SELECT but its columns: FROM, WHERE, ORDER BY, LIMIT and OFFSET.
  mutating func source(_ shape: FetchShape) throws -> SQLText {
    let join = try joinedOutput(shape)
    let selection = try selection(of: shape)
    return "FROM \(aliasedTable)\(join)\(joins?.text ?? "")\(selection)"
  }

  /// The words that join the rows that are a part of the output.
  private mutating func joinedOutput(_ shape: FetchShape) throws -> SQLText {
    guard case .joined(let step, _) = shape.output else { return "" }
    return try join(step)
  }

  /// Compiles FROM and WHERE for the rows whose columns hold keys that a query gives, in no order.
  mutating func source(
    _ shape: FetchShape, with columns: [Int], among keys: SQLText
  ) throws -> SQLText {
    let join = try joinedOutput(shape)
    let names = columns.map { self.text($0, of: 0) }
    let reading = names.count == 1 ? dialect as? any LinkedReadingDialect : nil
    let isAmong =
      reading?.test(names[0], isAmong: keys) ?? "(\(names.joined(separator: ", "))) IN (\(keys))"
    let test = try condition(shape.condition).map { " AND (\($0))" as SQLText }
    return
      "FROM \(aliasedTable)\(join)\(joins?.text ?? "") WHERE \(isAmong)\(test ?? "")"
  }

  /// Compiles FROM and WHERE for all rows that the condition selects, in no order.
  mutating func rows(_ shape: FetchShape) throws -> SQLText {
    let test = try tested(shape.condition)
    return "FROM \(aliasedTable)\(joins?.text ?? "")\(test)"
  }

  /// Writes the condition, the order and the number of the rows.
  mutating func selection(of shape: FetchShape) throws -> SQLText {
    var text: SQLText = ""
    text.append(try tested(shape.condition))
    let sort = try shape.sort.map { try sortTerm($0) }
    if !sort.isEmpty { text.append(" ORDER BY \(sort.joined(separator: ", "))") }
    if shape.isLimited { text.append(" LIMIT \(.limit) OFFSET \(.offset)") }
    return text
  }

  /// The words for which rows, with a call that counts those looked at where they are counted.
  private mutating func tested(_ condition: Condition) throws -> SQLText {
    let test = try self.condition(condition)
    guard countsRows else { return test.map { " WHERE \($0)" } ?? "" }
    let count = try rowCount(of: 0)
    return test.map { " WHERE \(count) AND (\($0))" } ?? " WHERE \(count)"
  }

  /// A call that counts the rows of a scope, and is true.
  mutating func rowCount(of scope: Int) throws -> SQLText {
    // With a column of the scope, so that it is called for each of its rows and not once.
    "\(sql: SQLFunction.rowCounter.rawValue)(\(try anchor(scope)))"
  }

  /// The table of the request's own rows, with the alias by which the text names it.
  var aliasedTable: SQLText {
    isQualified
      ? "\(sql: name(table: table.name)) AS \(sql: alias(0))" : SQLText(name(table: table.name))
  }

  /// A condition that holds for the rows a shape selects; nil for all rows.
  mutating func selection(_ shape: FetchShape) throws -> SQLText? {
    if !dialect.evaluatesInEngine, dialect is any QueryChangingDialect, isQualified {
      // A change has no FROM for joins, and a query in it has.
      var inner = self
      inner.joins = try outerJoins(for: shape)
      let source = try inner.source(shape)
      if inner.joins?.isEmpty == false, inner.evaluations.count == evaluations.count {
        return try among(source)
      }
    }
    if !shape.isLimited {
      let condition = try condition(shape.condition)
      // An engine may change rows while it looks for them (SQLite 3.40 does in an UPDATE, and of a
      // query of its own no engine knows that it reads what the statement changes); where all keys
      // are found first, that is no matter.
      let readsItself = shape.relatedSteps.contains { $0.entity == shape.entity }
      if !hasInnerQueries && !readsItself { return condition }
    }
    guard isQualified else { return try among(try source(shape)) }
    // The joins there are no part of the text around.
    let texts = relatedTexts
    defer { (relatedTexts, joins) = (texts, nil) }
    relatedTexts = [:]
    joins = try outerJoins(for: shape)
    return try among(try source(shape))
  }

  /// The joins that a query of a shape's rows begins with.
  func outerJoins(for shape: FetchShape) throws -> OuterJoins {
    // SQLite may begin a page with the joined rows, and so read all rows; a page in an order of the
    // request's own rows ends after a few.
    let endsEarly =
      shape.isLimited && shape.givesRows
      && !shape.sort.contains { $0.operand.namesRelatedRows }
    return OuterJoins(
      sharesAggregates: try readsEveryRow(shape.condition), isPage: shape.isLimited,
      joinsToOnes: !(dialect.evaluatesInEngine && endsEarly))
  }

  /// A condition that holds for the rows that a query of the same table finds.
  private mutating func among(_ source: SQLText) throws -> SQLText {
    let keys = table.entity.key.map { text($0, of: 0) }.joined(separator: ", ")
    let key: SQLText = table.entity.key.count == 1 ? keys : "(\(keys))"
    if !dialect.wrapsQueriesOfKeys { return "\(key) IN (SELECT \(keys) \(source))" }
    return "\(key) IN (SELECT * FROM (SELECT \(keys) \(source)) AS \(sql: name("selected")))"
  }
}
