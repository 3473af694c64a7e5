internal import ORMCore

/// Repairs the links of models that come out of their rows as if the program had set them.
///
/// A row initialiser written by hand that does not name a to-many leaves the property's default,
/// `[]` for instance, which a later save would take for "clear". Such links are made unknown. Which
/// they are is found at the first model of a fetch; after that a fetch whose initialiser is right
/// pays nothing.
struct DecodedLinks<Model: Persistable> {
  private var unread: [any RelationshipEnd<Model>]?

  /// True if a model may have a link to be repaired: false from when one was seen to have none.
  private(set) var isNeeded: Bool

  init(of entity: StoredEntity) { isNeeded = !entity.relationships.isEmpty }

  /// Repairs one model.
  ///
  /// - Throws: `decoding` for a to-one whose key is in the row and was not read from it.
  @inline(never)
  mutating func repair(_ model: inout Model) throws {
    let ends = try unread ?? find(in: model)
    for end in ends { end.forget(in: &model) }
  }

  private mutating func find(in model: Model) throws -> [any RelationshipEnd<Model>] {
    let entity = Model.entity
    var found: [any RelationshipEnd<Model>] = []
    for (end, columns) in zip(entity.relationships, entity.resolved.keyPositions)
    where end.isSet(in: model) {
      guard columns.isEmpty else {
        throw StoreError(
          .decoding,
          "the model's `init(row:)` does not read the key of a to-one: read it with `row.toOne`",
          entity: entity.declared.name, attributes: [end.declaration.name])
      }
      found.append(end)
    }
    unread = found
    isNeeded = !found.isEmpty
    return found
  }
}

extension RelationshipEnd {
  /// Returns whether the program set the link.
  fileprivate func isSet(in model: Model) -> Bool { change(of: model) != nil }
}
