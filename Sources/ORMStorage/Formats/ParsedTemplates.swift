package import ORMValues

/// The templates of an entity as they were parsed, by the kinds of the values of their variables.
///
/// A template is parsed once for each combination of kinds, such as an integer and a text. In its
/// tree, slots stand for the values; a query fills them in. Values that would make another tree, as a
/// text that reads as no date, are parsed with the template, which also throws the errors.
package final class ParsedTemplates: Sendable {
  /// A template, by its name and the model whose rows it finds.
  package struct Key: Hashable, Sendable {
    let name: String
    let model: ObjectIdentifier

    /// Makes the key of a template that finds rows of a model.
    package init<Model>(_ name: String, of model: Model.Type) {
      self.name = name
      self.model = ObjectIdentifier(model)
    }
  }

  /// The form of a variable's value, as far as a tree depends on it.
  private enum Form: Hashable, Sendable {
    case missing, null
    case scalar(AttributeType.Kind)
    case array(AttributeType.Kind)

    /// Makes the form of a value; nil for one whose tree is not cached.
    init?(_ variable: FormatVariable?) {
      guard let variable else {
        self = .missing
        return
      }
      guard case .value(let value) = variable else { return nil }
      guard let kind = value.kind else {
        self = .null
        return
      }
      switch value {
      case .json: return nil
      case .array(let elements):
        guard let element = elements.first?.kind, element != .array, element != .json,
          elements.allSatisfy({ $0.kind == element })
        else { return nil }
        self = .array(element)
      default: self = .scalar(kind)
      }
    }
  }

  private struct Known: Sendable {
    /// The names of the template's variables.
    var names: Set<ExactText>
    /// The trees; `.some(nil)` for forms that are parsed each time.
    var trees: [[ExactText: Form]: ParsedTemplate?] = [:]
  }

  /// The greatest number of trees of a template; one more begins anew.
  private static let limit = 16

  private let known = Lock<[Key: Known]>([:])
  private let parses = Lock<Int>(0)

  package init() {}

  /// The number of times that a template was parsed.
  package var parseCount: Int { parses.withLock { $0 } }

  /// The condition and the order of a template, with values for variables.
  ///
  /// - Throws: as `QueryTemplate.parsed(for:source:values:)` does.
  package func parsed(
    _ template: QueryTemplate, as key: Key, for entity: FormatEntity, source: FormatEntity? = nil,
    values: [ExactText: FormatVariable]
  ) throws -> (condition: Condition, order: [SortTerm]) {
    let found = known.withLock { $0[key] }
    let forms = found.flatMap { Self.forms(of: values, $0.names) }
    if let found, let forms, let tree = found.trees[forms], let bound = tree?.bound(values) {
      return bound
    }
    let isNew = found.map { known in forms.map { known.trees[$0] == nil } ?? false } ?? true
    if isNew {
      let slots = FormatSlots()
      if let parts = try? parse(template, entity, source, values, slots) {
        let tree = ParsedTemplate(parts: parts, slots: slots.slots)
        keep(tree, key, values, parts.names)
        if let bound = tree.bound(values) { return bound }
      }
    }
    let parts = try parse(template, entity, source, values, nil)
    if isNew { keep(nil, key, values, parts.names) }
    return (parts.condition, parts.order)
  }

  private func parse(
    _ template: QueryTemplate, _ entity: FormatEntity, _ source: FormatEntity?,
    _ values: [ExactText: FormatVariable], _ slots: FormatSlots?
  ) throws -> QueryTemplate.Parts {
    parses.withLock { $0 += 1 }
    return try template.parts(for: entity, source: source, values: values, slots: slots)
  }

  /// Keeps a tree for values of these forms, unless there is one.
  private func keep(
    _ tree: ParsedTemplate?, _ key: Key, _ values: [ExactText: FormatVariable],
    _ names: Set<ExactText>
  ) {
    guard let forms = Self.forms(of: values, names) else { return }
    known.withLock { all in
      var known = all[key] ?? Known(names: names)
      if known.trees[forms] != nil { return }
      if known.trees.count >= Self.limit { known.trees = [:] }
      known.trees[forms] = .some(tree)
      all[key] = known
    }
  }

  /// The forms of the values of a template's variables; nil if values are given for other names, or a
  /// value has none.
  private static func forms(
    of values: [ExactText: FormatVariable], _ names: Set<ExactText>
  ) -> [ExactText: Form]? {
    for name in values.keys
    where !names.contains(name) && !name.text.hasPrefix(QueryTemplate.source) { return nil }
    var forms: [ExactText: Form] = [:]
    for name in names {
      guard let form = Form(values[name]) else { return nil }
      forms[name] = form
    }
    return forms
  }
}

/// A template whose variables are slots.
private struct ParsedTemplate: Sendable {
  let parts: QueryTemplate.Parts
  let slots: [FormatSlot]

  /// The condition and the order with values; nil if the tree is another with these.
  func bound(
    _ values: [ExactText: FormatVariable]
  ) -> (condition: Condition, order: [SortTerm])? {
    if slots.isEmpty { return (parts.condition, parts.order) }
    guard StackReserve.refusal(of: parts.condition) == nil else { return nil }
    var operands: [String: Operand] = [:]
    for (index, slot) in slots.enumerated() {
      guard case .value(let value)? = values[slot.name],
        let operand = slot.operand(of: value)
      else { return nil }
      operands[FormatSlots.name(index)] = operand
    }
    func bound(_ operand: Operand) -> Operand? {
      if case .variable(let name) = operand { operands[name] } else { nil }
    }
    let order = parts.order.map { term in
      var term = term
      term.operand = term.operand.rewriting(bound)
      return term
    }
    return (parts.condition.rewriting(bound), order)
  }
}

/// The slot of a variable's value in a tree.
struct FormatSlot: Sendable {
  let name: ExactText
  /// The type beside which the value is read.
  let other: FormatType
  /// The type of the value as it was read.
  let type: FormatType
  /// The operator whose pattern the value is.
  var pattern: (symbol: TextOperator, options: TextOptions)?

  /// The operand for a value; nil for one that is read as another type, or not at all.
  func operand(of value: StoredValue) -> Operand? {
    guard let read = FormatCoercion.value(value, beside: other), FormatType(of: read) == type else {
      return nil
    }
    if let pattern {
      guard case .string(let text) = read,
        (try? pattern.symbol.checkPattern(text, pattern.options)) != nil
      else { return nil }
    }
    return .value(read)
  }
}

/// The slots that a parser has made so far.
final class FormatSlots {
  /// A value that decides more than its own operand in the tree.
  struct Unsuitable: Error {}

  private(set) var slots: [FormatSlot] = []

  /// The name of the variable that is a slot's operand; no format can name it.
  static func name(_ index: Int) -> String { "\0\(index)" }

  /// Adds a slot, and returns its operand.
  func add(_ slot: FormatSlot) -> Operand {
    slots.append(slot)
    return .variable(Self.name(slots.count - 1))
  }

  /// Returns whether an operand is a slot.
  static func isSlot(_ operand: Operand) -> Bool {
    if case .variable(let name) = operand { name.utf8.first == 0 } else { false }
  }

  /// Notes that the value of the last slot is a pattern, if the operand is one.
  func notePattern(_ operand: Operand, _ symbol: TextOperator, _ options: TextOptions) {
    guard let index = slots.indices.last, operand == .variable(Self.name(index)) else { return }
    slots[index].pattern = (symbol, options)
  }
}
