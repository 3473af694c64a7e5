package import ORMStorage

extension EntityPart where Model: Persistable {
  /// A rule over several attributes: `.rule("order", "end >= begin", "must end after it begins")`.
  ///
  /// ```swift
  /// static let rules: EntityPart<Booking> = .rule("order", "end >= begin", "must end after it begins")
  /// ```
  ///
  /// Checked when the schema is built. Nil counts as in every condition (clause 2.1), so a rule over
  /// optional attributes must treat nil.
  public static func rule(
    _ name: String, _ format: FilterFormat, _ message: String
  ) -> EntityPart {
    EntityPart(items: []).rule(name, format, message)
  }

  /// A rule over several attributes, after the parts so far.
  public func rule(_ name: String, _ format: FilterFormat, _ message: String) -> EntityPart {
    let text = format.text
    return EntityPart(
      items: items + [
        .rule({
          let condition = try? FormatParser.condition(of: text, for: Model.self)
          return ValidationRule(
            name, attributes: condition?.attributeNames ?? [], format: text, message: message)
        })
      ])
  }

  /// A rule over several attributes as a closure:
  /// `.rule("order", "must end after it begins") { $0.end >= $0.begin }`.
  ///
  /// ```swift
  /// static let rules: EntityPart<Booking> =
  ///   .rule("order", "must end after it begins") { $0.end >= $0.begin }
  /// ```
  public static func rule(
    _ name: String, _ message: String,
    _ holds: @escaping @Sendable (Fields<Model>) -> Filter<Model>
  ) -> EntityPart {
    EntityPart(items: []).rule(name, message, holds)
  }

  /// A rule over several attributes as a closure, after the parts so far.
  public func rule(
    _ name: String, _ message: String,
    _ holds: @escaping @Sendable (Fields<Model>) -> Filter<Model>
  ) -> EntityPart {
    EntityPart(
      items: items + [
        .rule({
          let condition = holds(Fields()).condition
          return ValidationRule(
            name, attributes: condition.attributeNames, format: condition.description,
            message: message)
        })
      ])
  }
}

extension FormatParser {
  fileprivate static func condition(
    of format: String, for model: any Persistable.Type
  ) throws -> Condition {
    var parser = try FormatParser(format, for: .model(model))
    return try parser.condition()
  }
}

extension Condition {
  /// The attributes of the row itself that the condition names, in their order, each once.
  package var attributeNames: [String] {
    var names: [String] = []
    forEachOperand { operand in
      if case .path(let path) = operand, path.scope == 0, let name = path.names.first,
        !names.contains(name)
      {
        names.append(name)
      }
    }
    return names
  }
}
