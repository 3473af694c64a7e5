internal import ORMStorage

/// Compiles groups: to GROUP BY where the engine forms and aggregates them exactly.
///
/// Keys must be columns, of the rows or of the targets of to-ones, that the engine compares as clause 4.2
/// says. Then the order and the page are the engine's too; a condition on groups, and an order that is worked
/// out of them, stand in a query around.
struct GroupCompiler {
  var conditions: ConditionCompiler
  private let schema: SQLSchema
  private let dialect: any SQLDialect

  init(_ conditions: ConditionCompiler, _ schema: SQLSchema, _ dialect: any SQLDialect) {
    self.conditions = conditions
    self.schema = schema
    self.dialect = dialect
  }

  /// A column of the result.
  private struct Column {
    /// The expression that is selected.
    var text: SQLText
    /// The expression that rows are grouped by; nil for an aggregate.
    var grouping: SQLText?
    var source: SQLRowLayout.Column
    var isOptional: Bool

    var kind: AttributeType.Kind { source.type.kind }
  }

  /// The groups as one statement of the engine; nil where it does not form them exactly.
  mutating func native(
    _ shape: FetchShape, keys: [Operand], aggregates: [Aggregate], having: Condition
  ) throws -> (SQLText, FetchPlan.Output)? {
    var columns: [Column] = []
    for (number, key) in keys.enumerated() {
      guard let column = try self.key(key, number) else { return nil }
      columns.append(column)
    }
    for aggregate in aggregates {
      guard let column = try self.aggregate(aggregate) else { return nil }
      columns.append(column)
    }
    // A key is one expression more where it is selected in another form than it is grouped by.
    let others = columns.count { $0.grouping != nil && $0.grouping != $0.text }
    guard columns.count + others <= dialect.limits.resultColumns else { return nil }
    let output = FetchPlan.Output.groups(columns.map(\.source))
    if having == .constant(true), let sort = try order(shape.sort, keys, columns) {
      var text = try inner(shape, columns, names: false)
      text.append(" ORDER BY \(sort.joined(separator: ", "))")
      if shape.isLimited { text.append(" LIMIT \(.limit) OFFSET \(.offset)") }
      return (text, output)
    }
    return (try outer(shape, having, columns), output)
  }

  // MARK: Columns

  private mutating func key(_ key: Operand, _ number: Int) throws -> Column? {
    guard let value = try conditions.groupKey(key) else { return nil }
    let isColumn = conditions.position(key) != nil
    // Engines do not see that two subqueries are one: a selected one is named by its number.
    return Column(
      text: withPositiveZeros(value.text, value.source.type.kind),
      grouping: isColumn ? value.text : SQLText(String(number + 1)), source: value.source,
      isOptional: value.isOptional)
  }

  /// Adding zero makes a -0.0 positive and changes nothing else.
  private func withPositiveZeros(_ text: SQLText, _ kind: AttributeType.Kind) -> SQLText {
    kind == .double || kind == .date ? "\(text) + \(sql: dialect.zero)" : text
  }

  private mutating func aggregate(_ aggregate: Aggregate) throws -> Column? {
    guard let operand = aggregate.operand else {
      guard aggregate.kind == .count else { return nil }
      return Column(
        text: "count(*)", source: SQLRowLayout.Column("count", .int64), isOptional: false)
    }
    if let position = conditions.position(operand),
      let column = native(aggregate.kind, position)
    {
      return column
    }
    return try evaluated(aggregate, operand)
  }

  private mutating func native(_ kind: Aggregate.Kind, _ position: Int) -> Column? {
    let stored = conditions.table.column(position).stored
    let name = conditions.text(position, of: 0)
    let of = stored.type.kind
    switch kind {
    case .count:
      return Column(
        text: "count(\(name))", source: SQLRowLayout.Column(stored.attribute, .int64),
        isOptional: false)
    case .countDistinct:
      guard dialect.comparesEqual(of, of) else { return nil }
      return Column(
        text: "count(DISTINCT \(name))", source: SQLRowLayout.Column(stored.attribute, .int64),
        isOptional: false)
    case .minimum, .maximum:
      guard dialect.hasExtremes(of: of) else { return nil }
      let function: SQLText = kind == .minimum ? "min(\(name))" : "max(\(name))"
      return Column(
        text: withPositiveZeros(function, of), source: SQLRowLayout.Column(stored),
        isOptional: true)
    case .sum:
      guard of == .int else { return nil }
      return Column(
        text: stored.isOptional ? "coalesce(sum(\(name)), 0)" : "sum(\(name))",
        source: SQLRowLayout.Column(stored.attribute, .int64), isOptional: false)
    case .average: return nil
    }
  }

  /// An aggregate made by core for each group, where its values are of one type.
  private mutating func evaluated(_ aggregate: Aggregate, _ operand: Operand) throws -> Column? {
    guard let type = try conditions.kinds.type(of: aggregate) else { return nil }
    let column = SQLRowLayout.Column("\(aggregate.kind.rawValue)", type)
    let arguments = try conditions.arguments(operand)
    let evaluation = SQLEvaluation.total(
      Aggregate(aggregate.kind, arguments.rewriting.rewritten(operand)),
      of: try conditions.kinds.kind(of: operand), column, throwsOverflow: true, arguments.frame)
    let anchor = arguments.hasRelated ? try conditions.anchor(0) : nil
    return Column(
      text: conditions.call(.total, evaluation, arguments.texts, anchor: anchor), source: column,
      isOptional: true)
  }

  // MARK: Statements

  /// The groups of the rows, all of them and in no order.
  private mutating func inner(
    _ shape: FetchShape, _ columns: [Column], names: Bool
  ) throws -> SQLText {
    let texts = columns.enumerated().map { number, column -> SQLText in
      names ? "\(column.text) AS \(sql: name(number))" : column.text
    }
    var text: SQLText = "SELECT \(texts.joined(separator: ", ")) "
    text.append(try conditions.rows(shape))
    text.append(" GROUP BY \(columns.compactMap(\.grouping).joined(separator: ", "))")
    return text
  }

  private func name(_ column: Int) -> String { dialect.quoted("c\(column)") }

  /// The order by columns of the result; nil where it is worked out of them.
  private mutating func order(
    _ sort: [SortTerm], _ keys: [Operand], _ columns: [Column]
  ) throws -> [SQLText]? {
    var texts: [SQLText] = []
    for term in sort {
      guard case .output(let number) = term.operand, columns.indices.contains(number) else {
        return nil
      }
      if number < keys.count, conditions.position(keys[number]) != nil {
        // The folded text beside a key is another column.
        guard term.options.isEmpty || dialect.ordersGroupsByOtherColumns else { return nil }
        var term = term
        term.operand = keys[number]
        texts.append(try conditions.sortTerm(term))
        continue
      }
      let column = columns[number]
      guard term.options.isEmpty, dialect.orders(column.kind, column.kind) else { return nil }
      var text: SQLText = "\(sql: "\(number + 1)")\(sql: term.isDescending ? " DESC" : "")"
      if column.isOptional, term.nilsComeFirst != dialect.putsNullsFirst(term.isDescending) {
        guard dialect.placesNulls else { return nil }
        text.append(term.nilsComeFirst ? " NULLS FIRST" : " NULLS LAST")
      }
      texts.append(text)
    }
    return texts
  }

  /// A query around that of the groups, for which each of them is a row.
  private mutating func outer(
    _ shape: FetchShape, _ having: Condition, _ columns: [Column]
  ) throws -> SQLText {
    let inner = try inner(shape, columns, names: true)
    let entity = StoredEntity(
      name: "groups", modelName: conditions.table.entity.modelName,
      columns: columns.enumerated().map { number, column in
        StoredColumn("c\(number)", column.source.type, isOptional: column.isOptional)
      }, key: [])
    var around = ConditionCompiler(
      SQLTable(entity, stored: entity, name: "groups", indexNames: []), schema, dialect)
    around.evaluations = conditions.evaluations
    func naming(_ operand: Operand) -> Operand? {
      if case .output(let number) = operand { .attribute("c\(number)") } else { nil }
    }
    let result = FetchShape(
      entity: shape.entity, condition: having.rewriting(naming),
      sort: shape.sort.map { term in
        var term = term
        term.operand = term.operand.rewriting(naming)
        return term
      }, isLimited: shape.isLimited)
    let names = columns.indices.map { SQLText(name($0)) }.joined(separator: ", ")
    var text: SQLText = "SELECT \(names) FROM (\(inner)) AS \(sql: dialect.quoted("groups"))"
    text.append(try around.selection(of: result))
    conditions.evaluations = around.evaluations
    return text
  }
}

extension OperandKinds {
  /// The type as which every value of an aggregate can be stored; nil where there is none.
  fileprivate func type(of aggregate: Aggregate) throws -> AttributeType? {
    switch aggregate.kind {
    case .count, .countDistinct: return .int64
    case .average: return .double
    case .minimum, .maximum: return try aggregate.operand.flatMap { try type(of: $0) }
    case .sum:
      guard let operand = aggregate.operand, let kind = try kind(of: operand), kind.isNumber else {
        return nil
      }
      switch kind {
      case .unsigned: return .uint64
      case .double: return .double
      case .decimal: return .decimal
      default: return .int64
      }
    }
  }
}
