package import ORMStorage

/// The attributes, relationships and key of a model, for formats.
private struct ModelMembers<Model: Persistable>: FormatMembers {
  var name: String { Model.entity.declared.name }
  var key: [String] { Model.entity.declared.key }
  var members: [String] {
    Model.entity.description.attributes.map(\.name)
      + Model.entity.relationships.map(\.declaration.name)
  }

  func member(_ name: String) -> FormatEntity.Member? {
    let entity = Model.entity
    if let type = entity.type(ofAttribute: name) { return .attribute(type) }
    guard let end = entity.relationships.first(where: { $0.declaration.name == name }) else {
      return nil
    }
    let target = FormatEntity.model(target(of: end))
    return end.declaration.isToMany ? .toMany(target) : .toOne(target)
  }

  func hasMember(in name: String) -> Bool {
    let entity = Model.entity
    return entity.mayHaveStructs
      && entity.description.attributes.contains { $0.name.lies(in: name) }
  }

  private func target<End: RelationshipEnd>(of end: End) -> any Persistable.Type {
    End.Target.self
  }
}

extension FormatEntity {
  /// A program's model.
  package static func model(_ model: any Persistable.Type) -> FormatEntity {
    func members<Model: Persistable>(of model: Model.Type) -> any FormatMembers {
      ModelMembers<Model>()
    }
    return .model(members(of: model))
  }
}
