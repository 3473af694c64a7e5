package import ORMStorage

extension Entity where Model: Persistable {
  /// The rules that every row must satisfy, in declared order; then those of the structs inside it.
  package var rules: [ValidationRule] {
    declaredRules.map { $0() }
      + embedded.filter(\.isDirect).flatMap { part in
        part.model.ownRules.compactMap { part.rule($0) }
      }
  }

  /// The checks of attributes by code, in declared order; then those of the structs inside it.
  package var checks: [AttributeCheck<Model>] {
    declaredChecks
      + embedded.filter(\.isDirect).flatMap { part in checks(of: part.model, at: part) }
  }

  private func checks<Inner: Persistable>(
    of model: Inner.Type, at part: EmbeddedStruct
  ) -> [AttributeCheck<Model>] {
    let path = part.path
    return Inner.entity.checks.map { check in
      AttributeCheck(attribute: "\(part.name).\(check.attribute)", message: check.message) {
        // Nil has nothing inside it.
        guard let inner = $0[keyPath: path as AnyKeyPath] as? Inner else { return true }
        return check.holds(inner)
      }
    }
  }
}

extension Persistable {
  fileprivate static var ownRules: [ValidationRule] { entity.rules }
}

extension EmbeddedStruct {
  /// True if it is a property of the entity itself, and no struct inside another.
  fileprivate var isDirect: Bool { name.structNames.isEmpty }

  /// A rule of the struct as one of its referrer; where the struct is nil it holds.
  ///
  /// Nil for a rule that cannot be asked, which the referrer's schema names by the struct's own.
  fileprivate func rule(_ rule: ValidationRule) -> ValidationRule? {
    guard let own = try? rule.condition(for: .model(model)) else { return rule }
    let condition = own.rewriting { operand in
      guard case .path(let path) = operand, path.scope == 0 else { return nil }
      return .path(.init([name + "." + path.names.joined(separator: ".")]))
    }
    let whole: Condition =
      isOptional
      ? .any([.compare(.attribute(name), .equal, .value(.null), []), condition]) : condition
    return ValidationRule(
      rule.name, attributes: rule.attributes.map { "\(name).\($0)" }, format: whole.description,
      message: rule.message)
  }
}
