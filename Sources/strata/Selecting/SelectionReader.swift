#if Command
  import ORM
  import ORMCore

  /// Reads the texts of a query's columns, groups and order, and of the condition on its groups.
  struct SelectionReader {
    private let entity: FormatEntity
    private let variables: [ExactText: FormatVariable]
    private var columns: [DynamicSelection.Column] = []

    init(_ entity: FormatEntity, _ variables: [ExactText: FormatVariable]) {
      self.entity = entity
      self.variables = variables
    }

    /// The selection of a query, whose order is read here too.
    ///
    /// Without columns, groups show their keys and how many rows they have.
    mutating func selection(
      of query: DynamicQuery, select: String?, group: String?, having: String?, sort: String?,
      isDistinct: Bool
    ) throws -> DynamicSelection {
      let keyTexts = group.map { SelectionText.parts(of: $0) } ?? []
      let keys = try keyTexts.map { try key($0) }
      if let select {
        for text in SelectionText.parts(of: select) { try addColumn(text) }
      } else {
        for (key, text) in zip(keys, keyTexts) {
          columns.append(.value(Self.withoutOptions(text, key), key.spelling ?? key))
        }
        try addColumn("count()")
      }
      let shown = columns.count
      var query = query
      if let sort { query.order = try order(sort) }
      var condition = Condition.constant(true)
      if let having { condition = try self.condition(having) }
      var selection = DynamicSelection(
        query, columns, keys: keys, having: condition, isDistinct: isDistinct)
      selection.shownCount = shown
      return selection
    }

    /// A column such as `taste`, `length(name) AS size` or `sum(stock)`.
    private mutating func addColumn(_ text: String) throws {
      let (value, name) = Self.named(text)
      let read = SelectionText(value)
      if let call = read.calls.values.first, read.text == "$aggregate0" {
        columns.append(.aggregate(name, try aggregate(call)))
      } else {
        columns.append(.value(name, try operand(value)))
      }
    }

    /// A column's text, and its name: the word after AS, or else the text.
    private static func named(_ text: String) -> (value: String, name: String) {
      let words = text.split(separator: " ")
      guard words.count > 2, words[words.count - 2].lowercased() == "as", let name = words.last,
        let end = text.lastIndex(where: { $0 == " " })
      else { return (text, text) }
      let value = SelectionText.trimmed(text[..<end])
      return (SelectionText.trimmed(value.dropLast(2)), String(name))
    }

    /// A key such as `country` or `name[c]`.
    private func key(_ text: String) throws -> Operand {
      var parser = try FormatParser(text, for: entity, values: variables)
      return try parser.groupKey()
    }

    /// A key's text as the name of its column.
    private static func withoutOptions(_ text: String, _ key: Operand) -> String {
      guard key.spelling != nil, text.last == "]", let end = text.lastIndex(of: "[") else {
        return text
      }
      return SelectionText.trimmed(text[..<end])
    }

    private func operand(_ text: String) throws -> Operand {
      var parser = try FormatParser(text, for: entity, values: variables)
      return try parser.operand()
    }

    private func aggregate(_ call: SelectionText.Call) throws -> Aggregate {
      Aggregate(call.kind, call.argument.isEmpty ? nil : try operand(call.argument))
    }

    private mutating func condition(_ text: String) throws -> Condition {
      let read = SelectionText(text)
      let condition = try ConditionArgument.condition(read.text, for: entity, variables)
      let columns = try outputColumns(of: read)
      return condition.rewriting { Self.column($0, columns) }
    }

    private mutating func order(_ text: String) throws -> [SortTerm] {
      let read = SelectionText(text)
      var parser = try FormatParser(read.text, for: entity, values: variables)
      let order = try parser.order()
      let columns = try outputColumns(of: read)
      return order.map { term in
        var term = term
        term.operand = term.operand.rewriting { Self.column($0, columns) }
        return term
      }
    }

    /// The columns of a text's aggregates, those that nothing shows made now.
    private mutating func outputColumns(of read: SelectionText) throws -> [String: Int] {
      var numbers: [String: Int] = [:]
      for (name, call) in read.calls {
        let value = DynamicSelection.Value.aggregate(try aggregate(call))
        if let index = columns.firstIndex(where: { $0.value == value }) {
          numbers[name] = index
        } else {
          numbers[name] = columns.count
          columns.append(DynamicSelection.Column("aggregate \(columns.count)", value))
        }
      }
      return numbers
    }

    private static func column(_ operand: Operand, _ columns: [String: Int]) -> Operand? {
      guard case .variable(let name) = operand else { return nil }
      return columns[name].map { .output($0) }
    }
  }
#endif
