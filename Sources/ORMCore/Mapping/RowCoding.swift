internal import ORMStorage

/// The columns that a model's coding keys name, and the order in which the model asks for them.
///
/// An entity keeps one, so that a decoder of a row neither hashes a name nor casts a type where the
/// model decodes itself as it did before.
final class RowCoding: Sendable {
  /// A property that a model decodes, and its form of reading.
  struct Step: Sendable {
    /// The coding key.
    let name: String
    /// The type that is decoded.
    let type: ObjectIdentifier
    /// The column of an attribute that reads itself, of a type that is declared as it is decoded;
    /// nil for everything else.
    let plainColumn: Int?
    let reading: Reading
  }

  /// The form in which a property is read.
  enum Reading: Sendable {
    /// An attribute that reads itself from its column.
    case attribute(any AttributeValue.Type, Int)
    /// Any other attribute, made of the column's value.
    case value(Int)
    /// A relationship, made of its key's columns.
    case link(any LinkValue.Type, [Int])
    /// An embedded struct.
    case embedded(EmbeddedStruct)
    /// A composite key, which decodes itself by the names of its attributes.
    case compositeKey
  }

  /// The steps of a model that has been decoded, in order.
  final class Order: Sendable {
    let steps: [Step]
    /// The first step of each name.
    let positions: [String: Int]

    init(_ steps: [Step]) {
      self.steps = steps
      positions = Dictionary(
        zip(steps.map(\.name), steps.indices), uniquingKeysWith: { first, _ in first })
    }
  }

  private let names: [String: Int]
  private let attributes: [AttributeDescription]
  /// The positions of each relationship's key.
  private let links: [String: [Int]]
  private let embedded: [EmbeddedStruct]
  /// The order of the first model that was decoded.
  let order = OnceReference<Order>()

  /// Works out the columns of an entity.
  init<Model>(_ entity: Entity<Model>) {
    names = entity.names
    attributes = entity.description.attributes
    links = entity.relationships.isEmpty ? [:] : entity.resolved.keyPositionsByName
    embedded = entity.embedded
  }

  /// The raw value that stands for one without a case; nil where the attribute names none.
  func fallback(at column: Int) -> StoredValue? { attributes[column].fallback }

  /// Returns true if an attribute, a relationship or an embedded struct has the name.
  func has(_ name: String) -> Bool {
    names[name] != nil || links[name] != nil || embeddedStruct(named: name) != nil
  }

  private func embeddedStruct(named name: String) -> EmbeddedStruct? {
    embedded.first { $0.name == name }
  }

  /// Returns the form in which a property of a type is read; nil for a name that the entity lacks.
  func reading(_ type: Any.Type, named name: String) -> Reading? {
    if type is any CompositeKey.Type { return .compositeKey }
    if let columns = links[name], let link = type as? any LinkValue.Type {
      return .link(link, columns)
    }
    if let part = embeddedStruct(named: name) { return .embedded(part) }
    guard let column = names[name] else { return nil }
    guard let attribute = type as? any AttributeValue.Type,
      attribute.attributeType == attributes[column].type, attributes[column].fallback == nil
    else { return .value(column) }
    return .attribute(attribute, column)
  }

  /// The column whose null makes a property nil; nil for a property that always has a value.
  ///
  /// A relationship always has one, but may lead nowhere.
  func nullColumn(named name: String) -> Int? {
    if links[name] != nil { return nil }
    guard let part = embeddedStruct(named: name) else { return names[name] }
    return part.isOptional ? part.columns.lowerBound : nil
  }
}

extension Entity {
  /// The columns of the model's coding keys, worked out at the first use.
  var coding: RowCoding { cachedCoding.object ?? cachedCoding.keep(RowCoding(self)) }
}
