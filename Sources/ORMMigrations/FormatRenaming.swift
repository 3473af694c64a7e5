internal import ORMStorage

/// A rename of an attribute or a relationship, in the conditions and orders that a schema keeps.
struct FormatRenaming {
  /// The schema before the rename.
  let schema: StoredSchema
  /// The entities that have the property, by their names in the program.
  let owners: [String]
  let name: String
  let newName: String

  /// Rewrites the rules and templates of every entity; a format that cannot be read stays.
  func apply(to renamed: inout StoredSchema) {
    renamed.editEntities { entity in
      for position in entity.rules.indices {
        let rule = entity.rules[position]
        if let format = condition(rule.format, of: entity.modelName) {
          entity.rules[position].format = format
        }
        if owners.contains(entity.modelName) {
          entity.rules[position].attributes = rule.attributes.map { $0 == name ? newName : $0 }
        }
      }
      for position in entity.templates.indices {
        let template = entity.templates[position]
        let target = template.target ?? entity.modelName
        if let format = template.format.flatMap({ condition($0, of: target) }) {
          entity.templates[position].format = format
        }
        if let order = template.order.flatMap({ order($0, of: target) }) {
          entity.templates[position].order = order
        }
      }
    }
  }

  /// The condition with the new name; nil if it does not name the property.
  private func condition(_ format: String, of name: String) -> String? {
    guard let entity = schema.entity(named: name),
      var parser = try? FormatParser(format, for: .stored(entity, schema)),
      let condition = try? parser.condition()
    else { return nil }
    let rewriter = FormatRewriter(self, name)
    let rewritten = rewriter.rewrite(condition)
    return rewriter.isChanged ? rewritten.description : nil
  }

  /// The order with the new name; nil if it does not name the property.
  private func order(_ format: String, of name: String) -> String? {
    guard let entity = schema.entity(named: name),
      var parser = try? FormatParser(format, for: .stored(entity, schema)),
      var terms = try? parser.order()
    else { return nil }
    let rewriter = FormatRewriter(self, name)
    for position in terms.indices {
      terms[position].operand = rewriter.rewrite(terms[position].operand)
    }
    return rewriter.isChanged ? terms.map(\.description).joined(separator: ", ") : nil
  }
}

/// Rewrites one tree, and knows the entities whose rows its scopes name.
private final class FormatRewriter {
  private let renaming: FormatRenaming
  private var scopes: [Int: String]
  private(set) var isChanged = false

  init(_ renaming: FormatRenaming, _ entity: String) {
    self.renaming = renaming
    scopes = [0: entity]
  }

  func rewrite(_ condition: Condition) -> Condition {
    switch condition {
    case .exists: condition
    case .some(let elements, let inner): .some(rewrite(elements), rewrite(inner))
    default: condition.mapParts({ rewrite($0) }, { rewrite($0) })
    }
  }

  func rewrite(_ operand: Operand) -> Operand {
    operand.rewriting { operand in
      switch operand {
      case .path(let path): .path(rewrite(path))
      case .choice(let condition, let first, let second):
        .choice(rewrite(condition), rewrite(first), rewrite(second))
      case .ofElements(let kind, let inner, let elements, let condition):
        {
          let elements = rewrite(elements)
          return .ofElements(kind, inner.map(rewrite), elements, rewrite(condition))
        }()
      case .ofItems(let kind, let array, let scope, let condition):
        .ofItems(kind, rewrite(array), scope: scope, rewrite(condition))
      default: nil
      }
    }
  }

  /// Rewrites the path to elements, and notes their entity.
  private func rewrite(_ elements: Elements) -> Elements {
    scopes[elements.scope] = entity(at: elements.path)
    return Elements(rewrite(elements.path), scope: elements.scope)
  }

  private func rewrite(_ path: Operand.Path) -> Operand.Path {
    var path = path
    var entity = scopes[path.scope]
    for position in path.names.indices {
      let name = path.names[position]
      guard let owner = entity else { break }
      entity = renaming.schema.entity(named: owner)?.relationship(named: name)?.target
      if name == renaming.name, renaming.owners.contains(owner) {
        path.names[position] = renaming.newName
        isChanged = true
      }
    }
    return path
  }

  private func entity(at path: Operand.Path) -> String? {
    path.names.reduce(scopes[path.scope]) { entity, name in
      entity.flatMap { renaming.schema.entity(named: $0)?.relationship(named: name)?.target }
    }
  }
}
