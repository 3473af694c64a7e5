internal import ORMCore

/// The conditions that stand on one column: comparisons, membership and text operators.
extension ConditionCompiler {
  /// What stands beside a column in a condition.
  private enum Other {
    case null
    case bound(AttributeType.Kind, (SQLForm) -> SQLBinding)
    case column(SQLTable.Column)
  }

  func comparison(
    _ left: Operand, _ comparator: Comparator, _ right: Operand, _ options: TextOptions
  ) -> Text? {
    guard let column = column(left) else {
      // Swapped at most once: the column is on the left then.
      guard self.column(right) != nil else { return nil }
      return comparison(right, comparator.swapped, left, options)
    }
    guard let other = other(right) else { return nil }
    switch other {
    case .null: return nullTest(column, comparator)
    case .bound(let kind, let binding):
      guard let subject = subject(column, options) else { return nil }
      let value: SQLText = "\(binding(subject.form))"
      let place = comparator == .equal ? typed(value, kind, beside: subject) : value
      return comparison(subject, comparator, place, kind, canOtherBeNull: false)
    case .column(let other):
      // Each must be the other's kind as it is stored: no value is brought into form here.
      guard let subject = subject(column, options), let object = self.subject(other, options),
        dialect.comparesEqual(object.kind, subject.kind)
      else { return nil }
      return comparison(
        subject, comparator, "\(sql: object.name)", object.kind,
        canOtherBeNull: other.stored.isOptional)
    }
  }

  private func comparison(
    _ subject: Subject, _ comparator: Comparator, _ other: SQLText, _ kind: AttributeType.Kind,
    canOtherBeNull: Bool
  ) -> Text? {
    let canBeNull = subject.isOptional || canOtherBeNull
    let word: String
    switch comparator {
    case .equal, .notEqual:
      guard dialect.comparesEqual(subject.kind, kind) else { return nil }
      if comparator == .equal {
        // Against a value an equation uses indexes at best; nil against nil must be true.
        word = canOtherBeNull ? "IS" : "="
      } else {
        word = canBeNull ? "IS NOT" : "<>"
      }
      return Text(
        text: "\(sql: subject.name) \(sql: word) \(other)",
        canBeNull: word == "=" && subject.isOptional)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard dialect.orders(subject.kind, kind) else { return nil }
      return Text(
        text: "\(sql: subject.name) \(sql: comparator.symbol) \(other)", canBeNull: canBeNull)
    }
  }

  private func nullTest(_ column: SQLTable.Column, _ comparator: Comparator) -> Text {
    switch comparator {
    case .equal: Text(text: "\(sql: name(column.name)) IS NULL", canBeNull: false)
    case .notEqual: Text(text: "\(sql: name(column.name)) IS NOT NULL", canBeNull: false)
    default: Text(text: "0", canBeNull: false)
    }
  }

  func membership(_ element: Operand, _ list: Operand, _ options: TextOptions) -> Text? {
    switch list {
    case .parameterList(let slot, let kind?, let capacity):
      guard let column = column(element), let subject = subject(column, options),
        dialect.comparesEqual(subject.kind, kind), capacity <= dialect.limits.listItems
      else { return nil }
      let binding = SQLBinding.parameter(slot, subject.form)
      let values: SQLText = "\(list: binding, count: capacity)"
      return Text(
        text: capacity == 1 && isToBeTyped(kind, beside: subject)
          ? "\(sql: subject.name) = \(typed(values, kind, beside: subject))"
          : "\(sql: subject.name) IN (\(values))",
        canBeNull: subject.isOptional, nesting: 2)
    case .path:
      guard options.isEmpty, let column = column(list), let elements = column.elements,
        case .bound(let kind, let binding)? = other(element)
      else { return nil }
      let elementKind = SQLTable.elementType(column.stored).kind
      guard dialect.comparesEqual(elementKind, kind) else { return nil }
      let keys = table.keyColumns.map { name($0.name) }
      let owners = SQLTable.ownerNames(count: keys.count).map(name)
      let key = keys.count == 1 ? keys[0] : "(\(keys.joined(separator: ", ")))"
      return Text(
        text: """
          \(sql: key) IN (SELECT \(sql: owners.joined(separator: ", ")) FROM \
          \(sql: name(elements)) WHERE \(sql: name(SQLTable.elementName)) = \
          \(binding(.stored(elementKind))))
          """, canBeNull: false, nesting: 3, height: 8)
    default: return nil
    }
  }

  func textTest(
    _ text: Operand, _ textOperator: TextOperator, _ other: Operand, _ options: TextOptions
  ) -> Text? {
    guard let column = column(text), let subject = subject(column, options),
      subject.kind == .string, case .bound(.string, let binding)? = self.other(other),
      let test = dialect.test(
        subject.name, textOperator, isFolded: subject.isFolded, binding)
    else { return nil }
    return Text(
      text: test, canBeNull: true, nesting: 4, height: 8, isChain: true)
  }

  /// A value beside a column, with its type said where it is a double beside whole numbers.
  ///
  /// An engine may put what a column equals in the place of the column wherever else it stands, and
  /// an evaluator is no place for a double in a column of whole numbers. SQLite does so only with
  /// values that have no type of their own, and has an equation for a list of one.
  private func typed(
    _ value: SQLText, _ kind: AttributeType.Kind, beside subject: Subject
  ) -> SQLText {
    isToBeTyped(kind, beside: subject) ? "CAST(\(value) AS DOUBLE PRECISION)" : value
  }

  private func isToBeTyped(_ kind: AttributeType.Kind, beside subject: Subject) -> Bool {
    kind == .double && subject.kind == .int
  }

  // MARK: Parts

  /// The column that a test reads: the attribute's own, or that of its folded texts.
  struct Subject {
    var name: String
    var kind: AttributeType.Kind
    var isOptional: Bool
    var isFolded: Bool

    var form: SQLForm { isFolded ? .folded : .stored(kind) }
  }

  /// The column to be read for an attribute under these options; nil when none has it.
  func subject(_ column: SQLTable.Column, _ options: TextOptions) -> Subject? {
    let kind = column.stored.type.kind
    let isOptional = column.stored.isOptional
    if options.isEmpty {
      return Subject(
        name: name(column.name), kind: kind, isOptional: isOptional, isFolded: false)
    }
    guard options == .caseInsensitive, kind == .string, let folded = column.folded else {
      return nil
    }
    return Subject(name: name(folded), kind: kind, isOptional: isOptional, isFolded: true)
  }

  /// The column of an operand that is an attribute of the request's own row.
  func column(_ operand: Operand) -> SQLTable.Column? {
    guard let position = position(operand) else { return nil }
    return table.column(position)
  }

  /// The position in the entity of an operand that is an attribute of the request's own row.
  func position(_ operand: Operand) -> Int? {
    guard case .path(let path) = operand, path.scope == 0, path.names.count == 1 else {
      return nil
    }
    return table.entity.column(ofAttribute: path.names[0])
  }

  private func other(_ operand: Operand) -> Other? {
    switch operand {
    case .value(let value):
      guard let kind = value.kind else { return .null }
      return .bound(kind) { .constant(value, $0) }
    case .parameter(let slot, let kind): return .bound(kind) { .parameter(slot, $0) }
    case .path: return column(operand).map { .column($0) }
    default: return nil
    }
  }
}
