internal import ORMStorage

extension Mapper {
  /// Another object with the same attributes and links.
  ///
  /// ```swift
  /// let copy = try Mapper.copy(of: snack)
  /// ```
  ///
  /// A struct is copied by assignment; this is for models that are classes. Properties that are
  /// neither attributes nor links have the values that the row initializer gives them.
  ///
  /// - Throws: `invalidValue` for a value that cannot be stored, `decoding`.
  public static func copy(of model: Model) throws -> Model { try model.duplicate() }

  /// The names of the attributes and relationships in which two objects differ, in declared order.
  ///
  /// ```swift
  /// let names = try Mapper.differences(chips, crisps)      // ["name", "price"]
  /// ```
  ///
  /// Attributes are compared as stores keep them, and relationships by the keys of their targets.
  ///
  /// - Throws: `invalidValue` for a value that cannot be stored, `missingValue`.
  public static func differences(_ a: Model, _ b: Model) throws -> [String] {
    let (left, right) = (try attributeValues(of: a), try attributeValues(of: b))
    let attributes = Model.entity.written.attributes
    let names = attributes.indices.filter { left[$0] != right[$0] }.map { attributes[$0].name }
    return names + Model.entity.relationships.filter { differs($0, a, b) }.map(\.declaration.name)
  }

  private static func differs<End: RelationshipEnd<Model>>(
    _ end: End, _ a: Model, _ b: Model
  ) -> Bool {
    if let ids = end.ids(of: a) { return ids != end.ids(of: b) }
    return end.ids(of: b) != nil || Change.all(of: end, a) != Change.all(of: end, b)
  }

  /// A change of links that were not loaded, by the target's key.
  private struct Change<ID: PrimaryKey>: Equatable {
    let id: ID
    let index: Int?
    let adds: Bool
    let inserts: Bool

    static func all<End: RelationshipEnd<Model>>(of end: End, _ model: Model) -> [Self]?
    where End.Target.ID == ID {
      end.steps(of: model)?.map { step in
        switch step {
        case .append(let element, let index):
          Self(id: element.id, index: index, adds: true, inserts: false)
        case .insert(let element, let index):
          Self(id: element.id, index: index, adds: true, inserts: true)
        case .remove(let id): Self(id: id, index: nil, adds: false, inserts: false)
        }
      }
    }
  }
}
