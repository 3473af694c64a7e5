internal import ORMStorage

/// The conditions on one column: comparisons, membership and text operators.
extension ConditionCompiler {
  /// The other side of a condition on a column.
  private enum Other {
    case null
    case bound(AttributeType.Kind, (SQLForm) -> SQLBinding)
    case operand(Operand)
  }

  mutating func comparison(
    _ left: Operand, _ comparator: Comparator, _ right: Operand, _ options: TextOptions
  ) throws -> Text? {
    guard Self.isSubject(left) else {
      // Swapped at most once: the subject is on the left then.
      guard Self.isSubject(right) else { return nil }
      return try comparison(right, comparator.swapped, left, options)
    }
    guard let other = other(right) else { return nil }
    if case .relatedAggregate(.count, nil, let rows, let condition) = left,
      case .bound(.int, let binding) = other, try !isShared(left),
      let text = try count(rows, condition, comparator, "\(binding(.stored(.int)))")
    {
      return text
    }
    switch other {
    case .null: return try nullTest(left, comparator)
    case .bound(let kind, let binding):
      guard let subject = try subject(left, options) else { return nil }
      let value: SQLText = "\(binding(subject.form))"
      let operand = comparator == .equal ? typed(value, kind, beside: subject) : value
      return comparison(subject, comparator, operand, kind, nil)
    case .operand(let other):
      // Each must be the other's kind as it is stored: no value is brought into form here.
      guard let subject = try subject(left, options), let object = try self.subject(other, options),
        dialect.comparesEqual(object.kind, subject.kind)
      else { return nil }
      return comparison(subject, comparator, object.text, object.kind, object)
    }
  }

  private func comparison(
    _ subject: Subject, _ comparator: Comparator, _ other: SQLText, _ kind: AttributeType.Kind,
    _ object: Subject?
  ) -> Text? {
    let canOtherBeNull = object?.isOptional ?? false
    let nesting = max(subject.nesting, object?.nesting ?? 1)
    let height = max(subject.height, object?.height ?? 1) + 3
    let canBeNull = subject.isOptional || canOtherBeNull
    switch comparator {
    case .equal, .notEqual:
      guard dialect.comparesEqual(subject.kind, kind) else { return nil }
      let isEquation = comparator == .equal && !canOtherBeNull
      let text: SQLText
      if comparator == .equal {
        // Against a value an equation uses indexes at best; nil against nil must be true.
        text =
          isEquation ? "\(subject.text) = \(other)" : dialect.isSame(subject.text, other)
      } else {
        text =
          canBeNull
          ? dialect.isDifferent(subject.text, other) : "\(subject.text) <> \(other)"
      }
      return Text(
        text: text, canBeNull: isEquation && subject.isOptional, nesting: nesting, height: height)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard dialect.orders(subject.kind, kind) else { return nil }
      if let beginning = subject.beginning, object == nil, kind == subject.kind {
        let symbol = comparator == .less || comparator == .lessOrEqual ? "<=" : ">="
        return Text(
          text: """
            \(beginning) \(sql: symbol) \(dialect.shortened(other, kind)) AND \
            \(subject.text) \(sql: comparator.symbol) \(other)
            """, canBeNull: canBeNull, nesting: nesting + 1, height: height + 3, isChain: true)
      }
      return Text(
        text: "\(subject.text) \(sql: comparator.symbol) \(other)", canBeNull: canBeNull,
        nesting: nesting, height: height)
    }
  }

  private mutating func nullTest(_ operand: Operand, _ comparator: Comparator) throws -> Text? {
    let word: SQLText
    switch comparator {
    case .equal: word = "IS NULL"
    case .notEqual: word = "IS NOT NULL"
    default: return Text(text: "\(sql: dialect.literal(false))", canBeNull: false)
    }
    guard case .path(let path) = operand else {
      let related = try related(.related(operand))
      return Text(
        text: "\(related.text) \(word)", canBeNull: false, nesting: related.nesting,
        height: related.height + 3)
    }
    guard let position = try? position(of: path) else { return nil }
    return Text(text: "\(text(position, of: path.scope)) \(word)", canBeNull: false)
  }

  mutating func membership(
    _ element: Operand, _ list: Operand, _ options: TextOptions
  ) throws -> Text? {
    switch list {
    case .parameterList(let slot, let kind?, let capacity):
      guard Self.isSubject(element), let subject = try subject(element, options),
        dialect.comparesEqual(subject.kind, kind), capacity <= dialect.limits.listItems
      else { return nil }
      let binding = SQLBinding.parameter(slot, subject.form)
      let values: SQLText = "\(list: binding, count: capacity)"
      return Text(
        text: capacity == 1 && isToBeTyped(kind, beside: subject)
          ? "\(subject.text) = \(typed(values, kind, beside: subject))"
          : "\(subject.text) IN (\(values))",
        canBeNull: subject.isOptional, nesting: subject.nesting + 1, height: subject.height + 3)
    case .path:
      guard options.isEmpty, let (column, path) = column(list), let elements = column.elements,
        let owner = scopes[path.scope]?.table.entity,
        case .bound(let kind, let binding)? = other(element)
      else { return nil }
      let elementKind = SQLTable.elementType(column.stored).kind
      guard dialect.comparesEqual(elementKind, kind) else { return nil }
      let keys = owner.key.map { text($0, of: path.scope) }
      let owners = SQLTable.ownerNames(count: keys.count).map { name($0) }
      let key: SQLText = keys.count == 1 ? keys[0] : "(\(keys.joined(separator: ", ")))"
      return Text(
        text: """
          \(key) IN (SELECT \(sql: owners.joined(separator: ", ")) FROM \
          \(sql: name(table: elements)) WHERE \(sql: name(SQLTable.elementName)) = \
          \(binding(.stored(elementKind))))
          """, canBeNull: false, nesting: 3, height: 8)
    default: return nil
    }
  }

  mutating func textTest(
    _ text: Operand, _ textOperator: TextOperator, _ other: Operand, _ options: TextOptions
  ) throws -> Text? {
    // A test may name its column more than once.
    guard column(text) != nil, let subject = try subject(text, options),
      subject.kind == .string, case .bound(.string, let binding)? = self.other(other),
      let test = dialect.test(
        subject.text, textOperator, isFolded: subject.isFolded, { "\(binding($0))" })
    else { return nil }
    return Text(
      text: textOperator == .beginsWith
        ? bounded(
          test, subject, "\(binding(subject.form))",
          "\(binding(.prefixEnd(isFolded: subject.isFolded)))") : test, canBeNull: true, nesting: 4,
      height: 8, isChain: true)
  }

  /// A pattern on an indexed column as the range of texts that begin as it does, in these forms of
  /// the pattern, and a call that tests it.
  mutating func patternTest(
    _ condition: Condition, _ text: Operand, _ pattern: Operand, _ options: TextOptions,
    _ beginning: SQLForm, _ end: SQLForm
  ) throws -> Text? {
    guard let (_, path) = column(text), let subject = try subject(text, options),
      subject.kind == .string, case .bound(.string, let binding)? = other(pattern),
      isIndexed(path, isFolded: subject.isFolded),
      let range = dialect.test(
        subject.text, .beginsWith, isFolded: subject.isFolded,
        { form in if case .prefixEnd = form { "\(binding(end))" } else { "\(binding(beginning))" } }
      )
    else { return nil }
    if leavesPatterns {
      let range = bounded(range, subject, "\(binding(beginning))", "\(binding(end))")
      return Text(text: range, canBeNull: true, nesting: 4, height: 8, isChain: true)
    }
    let call = try self.text(of: .evaluated(condition))
    return Text(
      text: "\(range) AND \(call.text)", canBeNull: true, nesting: max(4, call.nesting),
      height: max(8, call.height + 2), isChain: true)
  }

  /// A test of a range of texts, with the range of their beginnings where an index has only these.
  private func bounded(
    _ test: SQLText, _ subject: Subject, _ start: SQLText, _ end: SQLText
  ) -> SQLText {
    guard let beginning = subject.beginning else { return test }
    return """
      \(beginning) >= \(dialect.shortened(start, .string)) AND \
      (\(beginning) <= \(dialect.shortened(end, .string)) OR \(end) IS NULL) AND \(test)
      """
  }

  /// The beginning of a column's value, if the column comes first in an index that has only beginnings.
  private func beginning(
    of column: SQLTable.Column, _ path: Operand.Path, _ text: SQLText, isFolded: Bool
  ) -> SQLText? {
    let kind = column.stored.type.kind
    guard let table = scopes[path.scope]?.table, table.hasOverflowKeys, dialect.mayOverflow(kind),
      isIndexed(path, isFolded: isFolded) || !isFolded && table.keyColumns.first == column
    else { return nil }
    return dialect.shortened(text, kind)
  }

  /// Returns whether an index begins with a column, folded or not.
  private func isIndexed(_ path: Operand.Path, isFolded: Bool) -> Bool {
    guard let table = scopes[path.scope]?.table, let position = try? position(of: path) else {
      return false
    }
    return table.indexes.contains { index in
      guard let term = index.stored.terms.first else { return false }
      return term.column == table.columnIndexes[position]
        && term.form == (isFolded ? .caseFolded : .value)
    }
  }

  /// A value beside a column, with its type said where it may be none that the column can hold: a
  /// double beside whole numbers, an integer below zero beside unsigned ones.
  ///
  /// An engine may replace a column by the value that it equals, wherever else it is. An
  /// evaluator cannot take a value that the column cannot hold. SQLite does so only with values
  /// that have no type of their own, and has an equation for a list of one.
  private func typed(
    _ value: SQLText, _ kind: AttributeType.Kind, beside subject: Subject
  ) -> SQLText {
    guard isToBeTyped(kind, beside: subject) else { return value }
    // Unsigned integers are texts.
    return dialect.cast(value, to: subject.kind == .unsigned ? .string : .double)
  }

  private func isToBeTyped(_ kind: AttributeType.Kind, beside subject: Subject) -> Bool {
    if dialect.typesValues { return false }
    return switch (kind, subject.kind) {
    case (.double, .int), (.int, .unsigned): true
    default: false
    }
  }

  // MARK: Parts

  /// The value that a test reads: an attribute, its folded text, or a value of related rows.
  struct Subject {
    var text: SQLText
    var kind: AttributeType.Kind
    var isOptional: Bool
    var isFolded = false
    var nesting = 1
    var height = 1
    /// The beginning of the value, by which an index with overflow keys finds it; nil for any other value.
    var beginning: SQLText?

    var form: SQLForm { isFolded ? .folded : .stored(kind) }
  }

  /// Returns the subject to read for an operand under these options; nil when the engine has none.
  mutating func subject(_ operand: Operand, _ options: TextOptions) throws -> Subject? {
    if case .path(let path) = operand {
      guard let (column, _) = column(operand), let position = try? position(of: path),
        let isFolded = Self.isFolded(column, options)
      else { return nil }
      let text = text(position, of: path.scope, isFolded: isFolded)
      return Subject(
        text: text, kind: column.stored.type.kind, isOptional: column.stored.isOptional,
        isFolded: isFolded, beginning: beginning(of: column, path, text, isFolded: isFolded))
    }
    var isFolded = false
    if !options.isEmpty {
      guard let column = try relatedColumn(operand), Self.isFolded(column, options) == true else {
        return nil
      }
      isFolded = true
    }
    let related = try related(.related(operand), isFolded: isFolded)
    guard !related.source.isTagged else { return nil }
    return Subject(
      text: related.text, kind: related.source.type.kind, isOptional: related.isOptional,
      isFolded: isFolded, nesting: related.nesting, height: related.height)
  }

  /// Returns whether the column beside, of folded texts, is to be read; nil when neither answers.
  private static func isFolded(_ column: SQLTable.Column, _ options: TextOptions) -> Bool? {
    if options.isEmpty { return false }
    guard options == .caseInsensitive, column.stored.type.kind == .string, column.folded != nil
    else { return nil }
    return true
  }

  /// The column whose value in the one related row an operand is.
  private func relatedColumn(_ operand: Operand) throws -> SQLTable.Column? {
    switch operand {
    case .relatedValue(let inner, let rows):
      var compiler = self
      for step in rows.steps {
        compiler.scopes[step.scope] = SQLScope(
          table: try schema.table(step.entity), naming: .outside)
      }
      return try compiler.relatedColumn(inner)
    case .path: return column(operand)?.column
    default: return nil
    }
  }

  private func other(_ operand: Operand) -> Other? {
    switch operand {
    case .value(let value):
      guard let kind = value.kind else { return .null }
      return .bound(kind) { .constant(value, $0) }
    case .parameter(let slot, let kind): return .bound(kind) { .parameter(slot, $0) }
    case .path, .relatedValue, .relatedAggregate: return .operand(operand)
    default: return nil
    }
  }
}
