public import ORMStorage

/// The mapper as a thing of its own: models to values and back, without any store.
///
/// For tests of a model's mapping, for measuring it, and for moving models through something that
/// is no store. Its rows are those of every store: one value for each attribute, in the
/// order in which the entity declares them.
///
/// ```swift
/// let values = try Mapper.values(of: snack)              // [.int(1), .string("Chips"), …]
/// let copy = try Mapper<Snack>.model(from: values)
/// ```
public enum Mapper<Model: Persistable> {
  /// The values of a model's attributes as a store would keep them: texts of normalized attributes
  /// in their form.
  ///
  /// - Throws: `invalidValue` for a value that cannot be stored, such as NaN or a nil inside an array, and
  ///   for one of another kind than the entity declares. `missingValue` for a nil that is not optional; both
  ///   name entity, attribute and key.
  public static func values(of model: Model) throws -> [StoredValue] {
    try values(of: model, checking: Model.entity.description.attributes.count)
  }

  /// Returns the values of ``values(of:)``, but for the keys of to-ones, which are as the object has them,
  /// unchecked: a save works them out of the links.
  package static func attributeValues(of model: Model) throws -> [StoredValue] {
    try values(of: model, checking: Model.entity.written.attributes.count)
  }

  private static func values(of model: Model, checking count: Int) throws -> [StoredValue] {
    var values: [StoredValue]
    do {
      values = try BufferedRow(encoding: model).values
    } catch {
      throw StoreError.mapping(error, of: model)
    }
    // The description of an entity is large, and is not copied for each object.
    let attributes = Model.entity.description.attributes
    for position in 0..<count {
      let value = values[position]
      let isOptional = attributes[position].isOptional
      if let fault = attributes[position].type.fault(of: value, isOptional: isOptional) {
        throw StoreError(
          value.isNull ? .missingValue : .invalidValue, "the value \(fault)",
          entity: Model.entity.description.name, key: StoreError.key(of: model, values: values),
          attributes: [attributes[position].name])
      }
      if attributes[position].isNormalized { values[position] = value.normalizedText }
    }
    return values
  }

  /// The model made of its attributes' values.
  ///
  /// - Throws: `decoding`, naming entity, attribute and key.
  public static func model(from values: [StoredValue]) throws -> Model {
    let count = Model.entity.description.attributes.count
    guard values.count == count else {
      throw StoreError(
        .decoding,
        "the row has \(values.count) values where the entity has \(count) attributes",
        entity: Model.entity.description.name)
    }
    let row = BufferedRow(values)
    do {
      return try Model(row: row)
    } catch {
      let entity = Model.entity.description
      throw StoreError.mapping(
        error, of: Model.self, row: row, entity: entity.name,
        key: entity.key.compactMap { entity.position(of: $0) },
        attributes: entity.attributes.map(\.name))
    }
  }
}
