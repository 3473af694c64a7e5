package import ORMValues

/// A program's model as formats see it.
package protocol FormatMembers: Sendable {
  /// The entity's name in the program.
  var name: String { get }
  /// The names of the key's attributes, in key order.
  var key: [String] { get }
  /// Every name, for suggestions.
  var members: [String] { get }
  /// Returns the attribute or relationship with a name; nil if the entity does not have it.
  func member(_ name: String) -> FormatEntity.Member?
  /// Returns whether an attribute lies in a struct of a name.
  func hasMember(in name: String) -> Bool
}

/// An entity as formats see it: attributes, relationships and key by their names in the program.
///
/// A program's model, or an entity of a store without the program's models.
package enum FormatEntity: Sendable {
  case model(any FormatMembers)
  case stored(StoredEntity, StoredSchema)
  /// An entity of which only the name is known: every name leads to a value of any type, and every
  /// path goes through to-ones.
  case unknown(String)

  /// The kind of member that a name of an entity stands for.
  package enum Member {
    case attribute(AttributeType)
    case toOne(FormatEntity)
    case toMany(FormatEntity)
    /// A struct among whose attributes the path goes on; whether it may be nil.
    case embedded(isOptional: Bool)
    case unknown
  }

  /// The entity's name in the program.
  package var name: String {
    switch self {
    case .model(let model): model.name
    case .stored(let entity, _): entity.modelName
    case .unknown(let name): name
    }
  }

  /// The names of the key's attributes, in key order.
  var key: [String] {
    switch self {
    case .model(let model): model.key
    case .stored(let entity, _): entity.keySource == .hidden ? [] : entity.keyAttributes
    case .unknown: []
    }
  }

  /// The type of the key's only attribute; nil for a key of several, or a hidden one.
  var onlyKey: (name: String, type: AttributeType)? {
    guard key.count == 1, case .attribute(let type)? = member(key[0]) else { return nil }
    return (key[0], type)
  }

  /// Returns the member with a name; nil if the entity does not have it.
  func member(_ name: String) -> Member? {
    let member = ownMember(name)
    switch member {
    case .attribute(.bool), nil:
      // Where a struct may be nil, the mark of its presence has its name.
      guard hasMember(in: name) else { return member }
      return .embedded(isOptional: member != nil)
    default: return member
    }
  }

  /// Returns whether a name is that of a struct.
  func isStruct(_ name: String) -> Bool {
    if case .embedded? = member(name) { true } else { false }
  }

  private func ownMember(_ name: String) -> Member? {
    switch self {
    case .model(let model): return model.member(name)
    case .unknown: return .unknown
    case .stored(let entity, let schema):
      if let column = entity.column(ofAttribute: name), !entity.isHidden(column) {
        return .attribute(entity.columns[column].type)
      }
      guard let relationship = entity.relationship(named: name),
        let target = schema.entity(named: relationship.target)
      else { return nil }
      let entity = FormatEntity.stored(target, schema)
      return relationship.isToMany ? .toMany(entity) : .toOne(entity)
    }
  }

  /// Returns whether an attribute lies in a struct of a name.
  private func hasMember(in name: String) -> Bool {
    switch self {
    case .model(let model): model.hasMember(in: name)
    case .stored(let entity, _):
      entity.columns.indices.contains {
        entity.columns[$0].attribute.lies(in: name) && !entity.isHidden($0)
      }
    case .unknown: false
    }
  }

  /// Every name, for suggestions.
  var members: [String] {
    switch self {
    case .model(let model): model.members
    case .stored(let entity, _):
      entity.columns.indices.filter { !entity.isHidden($0) }.map { entity.columns[$0].attribute }
        + entity.relationships.map(\.name)
    case .unknown: []
    }
  }
}

extension StoredEntity {
  /// Returns whether a column is one that no model sees.
  fileprivate func isHidden(_ column: Int) -> Bool {
    columns[column].isInternal || (keySource == .hidden && key == [column])
  }
}
