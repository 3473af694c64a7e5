public import ORMStorage

/// The mapper of models that are Codable: their coding keys are the attributes' names.
///
/// Slower than a row initializer written by hand, since Codable calls through a container for each
/// property, and the same in every answer. A property that is no ``AttributeValue`` is stored as
/// JSON; a ``CompositeKey`` spreads over its attributes, and so does an embedded struct, which
/// reads and writes itself.
extension Persistable where Self: Codable {
  /// Decodes the model from a row by its coding keys.
  public init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    let entity = Self.entity
    do {
      // The decoder releases the row before the call returns.
      self = try withUnsafePointer(to: row) {
        try RowDecoder.decode(Self.self, from: $0, by: entity.coding)
      }
    } catch let error as StoreError {
      // Read last, so that a container knows which column it was.
      if let column = error.attributes.first.flatMap({ entity.names[$0] }) {
        _ = try? row.isNull(at: column)
      }
      throw error
    }
  }

  /// Encodes the model into a row by its coding keys.
  public func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    let entity = Self.entity
    let values: [StoredValue]
    do {
      values = try RowEncoding.encode(
        self, names: entity.names, attributes: entity.description.attributes,
        links: entity.relationships.isEmpty ? [:] : entity.resolved.keyPositionsByName,
        embedded: entity.embedded)
    } catch let error as StoreError {
      // The columns before it count as set, so that a container knows which column it was.
      let column = error.attributes.first.flatMap { entity.names[$0] } ?? 0
      for column in 0..<column { try row.setNull(at: column) }
      throw error
    }
    for (column, attribute) in entity.description.attributes.enumerated() {
      let value = values[column]
      // JSON was encoded just now, and need not be checked again; keys of to-ones are worked out by the save.
      if column < entity.written.attributes.count, !value.isNull || !attribute.isOptional,
        value.kind != .json || attribute.type != .json,
        let fault = attribute.type.fault(of: value, isOptional: attribute.isOptional)
      {
        throw StoreError(
          value.isNull ? .missingValue : .invalidValue, "the value \(fault)",
          entity: entity.description.name, attributes: [attribute.name])
      }
      try row.set(value: value, at: column, type: attribute.type)
    }
  }
}
