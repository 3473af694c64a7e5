internal import ORMValues

/// A parsed part of a format, with its byte range for errors.
struct FormatExpression {
  var form: FormatForm
  /// Its bytes in the format.
  var range: Range<Int>
  /// The nesting depth of its tree.
  var depth = 1
  /// True if it was in parentheses, or is otherwise complete, so that no following operator becomes part of
  /// it.
  var isGrouped = false

  init(_ form: FormatForm, _ range: Range<Int>, depth: Int = 1) {
    self.form = form
    self.range = range
    self.depth = depth
  }
}

/// The forms that a part of a format takes.
indirect enum FormatForm {
  case condition(Condition)
  /// A value worked out of rows, or a variable.
  case value(Operand, FormatType)
  /// A value written down or given as an argument; a number with a fraction also as written.
  case constant(StoredValue, number: String?)
  /// A variable's value that is taken out of the tree.
  case slot(ExactText, StoredValue)
  /// A variable's value given as a text, which is read in the type of its other side.
  case text(String)
  /// The key of an object given as an argument.
  case key([StoredValue], entity: String?)
  /// A whole row: SELF, or the variable of a SUBQUERY.
  case row(FormatEntity, scope: Int)
  case toOne(Operand.Path, FormatEntity)
  case collection(FormatCollection)
  /// An embedded struct of an entity; whether it may be nil.
  case embedded(Operand.Path, FormatEntity, isOptional: Bool)
  /// `{…}`
  case list([FormatExpression])
}

/// Many values of a row: a to-many, the elements that a SUBQUERY selects, or the elements of a list.
struct FormatCollection {
  enum Source {
    /// The path to the rows of a to-many.
    case related(Operand.Path)
    /// A list.
    case items(Operand, FormatType)
  }

  var source: Source
  /// The number that an element has until its condition is complete.
  let scope: Int
  /// An element itself.
  let element: FormatForm
  /// The value used of each element: the element itself, or the end of a path from it.
  var value: FormatForm
  /// The condition that elements meet; nil for all.
  var condition: Condition?
  /// The name of an element in the SUBQUERY that made the collection.
  var variable: String?
  /// True if equal values count once.
  var isDistinct = false

  init(_ source: Source, element: FormatForm, scope: Int) {
    self.source = source
    self.scope = scope
    self.element = element
    value = element
  }

  /// True if the elements themselves are looked at.
  var isWhole: Bool {
    switch (element, value) {
    case (.row(_, let a), .row(_, let b)): a == b
    case (.value(let a, _), .value(let b, _)): a == b
    default: false
    }
  }

  /// The number an element gets around conditions and operands: one more than the highest inside.
  static func closedScope(_ condition: Condition, _ operand: Operand? = nil) -> Int {
    max(condition.highestScope, operand?.highestScope ?? 0) + 1
  }

  /// The condition that some element satisfies this one, which names the element by its open number.
  func some(_ condition: Condition) -> Condition {
    let whole = self.condition.map { $0.and(condition) } ?? condition
    let closed = Self.closedScope(whole)
    switch source {
    case .related(let path):
      return .some(
        Elements(path, scope: closed), whole.mappingPaths { $0.moved(from: scope, to: closed) })
    case .items(let list, _):
      return .someItem(of: list, scope: closed, whole.movingItem(from: scope, to: closed))
    }
  }

  /// The aggregate of an operand, which names the element by its open number; nil for the elements
  /// themselves.
  func aggregate(_ kind: Aggregate.Kind, _ operand: Operand?) -> Operand {
    let condition = self.condition ?? .constant(true)
    let closed = Self.closedScope(condition, operand)
    switch source {
    case .related(let path):
      return .ofElements(
        kind, operand?.mappingPaths { $0.moved(from: scope, to: closed) },
        Elements(path, scope: closed),
        condition.mappingPaths { $0.moved(from: scope, to: closed) })
    case .items(let list, _):
      return .ofItems(
        kind, list, scope: closed, condition.movingItem(from: scope, to: closed))
    }
  }
}

extension Condition {
  /// The condition with another number for an element of a list.
  fileprivate func movingItem(from scope: Int, to other: Int) -> Condition {
    rewriting { $0 == .item(scope) ? .item(other) : nil }
  }

  /// Both hold; an AND on either side goes on, as in ``Filter/&&(_:_:)``.
  func and(_ other: Condition) -> Condition {
    if self == .constant(true) { return other }
    if other == .constant(true) { return self }
    var parts: [Condition] = []
    for side in [self, other] {
      if case .all(let inner) = side { parts += inner } else { parts.append(side) }
    }
    return .all(parts)
  }
}
