internal import ORM
internal import ORMObservation

/// A random entity: one of every shape of key, attributes of every type, indexes and unique rules.
struct RandomModel: Sendable {
  let entity: EntityDescription
  let schema: Schema

  init(_ random: inout SeededGenerator) throws {
    try self.init(Self.entity(&random))
  }

  init(_ entity: EntityDescription) throws {
    self.entity = entity
    schema = try Schema(entities: [entity])
  }

  private static let scalars: [AttributeType] = [
    .bool, .int8, .int16, .int32, .int64, .int64, .uint8, .uint16, .uint32, .uint64, .float,
    .double, .double, .string, .string, .string, .string, .data, .date, .uuid, .decimal,
  ]

  private static func entity(_ random: inout SeededGenerator) -> EntityDescription {
    let (key, source) = key(&random)
    var attributes = key
    for number in 0..<random.number(3...6) {
      attributes.append(attribute("a\(number)", random.pick(scalars), &random))
    }
    if !random.chance(3) {
      attributes.append(attribute("list", .array(random.pick(scalars)), &random))
    }
    if !random.chance(3) { attributes.append(attribute("doc", .json, &random)) }
    return EntityDescription(
      name: "Row", attributes: attributes, key: key.map(\.name), keySource: source,
      indexes: indexes(of: attributes, &random))
  }

  private static func key(
    _ random: inout SeededGenerator
  ) -> ([AttributeDescription], StoredEntity.KeySource) {
    switch random.number(0...9) {
    case 0, 1: return ([AttributeDescription("id", .int64)], .generated)
    case 2: return ([], .hidden)
    case 3: return ([AttributeDescription("id", .uuid)], random.pick([.uuidV4, .uuidV7, .program]))
    case 4, 5:
      let types: [AttributeType] = [.string, .int64, .double, .date, .uint64, .data, .decimal]
      return (
        (0..<random.number(2...3)).map { AttributeDescription("k\($0)", random.pick(types)) },
        .program
      )
    default:
      let types: [AttributeType] = [
        .int64, .int64, .string, .string, .double, .uint64, .int16, .float, .date, .data, .decimal,
      ]
      let type = random.pick(types)
      let isNormalized = type == .string && random.chance(4)
      return ([AttributeDescription("id", type, isNormalized: isNormalized)], .program)
    }
  }

  private static func attribute(
    _ name: String, _ type: AttributeType, _ random: inout SeededGenerator
  ) -> AttributeDescription {
    var attribute = AttributeDescription(name, type, isOptional: !random.chance(3))
    attribute.isNormalized = type == .string && random.chance(4)
    if random.chance(4) {
      attribute.defaultValue = .value(RandomValue.value(type, &random))
    }
    return attribute
  }

  private static func indexes(
    of attributes: [AttributeDescription], _ random: inout SeededGenerator
  ) -> [IndexDescription] {
    let scalars = attributes.filter(\.type.isScalar)
    let plain = scalars.filter { $0.name.hasPrefix("a") }
    func term(_ attribute: AttributeDescription) -> IndexDescription.Term {
      let isFolded = attribute.type == .string && random.chance(3)
      return .init(
        attribute.name, isDescending: random.chance(3), form: isFolded ? .caseFolded : .value)
    }
    var indexes: [IndexDescription] = []
    for attribute in plain where random.chance(2) {
      indexes.append(IndexDescription([term(attribute)], isUnique: random.chance(6)))
    }
    if random.chance(2), attributes.contains(where: { $0.name == "list" }) {
      indexes.append(IndexDescription([.init("list", form: .elements)]))
    }
    for _ in 0..<random.number(0...2) {
      var rest = scalars
      var terms: [IndexDescription.Term] = []
      for _ in 0..<random.number(2...3) where !rest.isEmpty {
        terms.append(term(rest.remove(at: random.number(0...rest.count - 1))))
      }
      if terms.count > 1 {
        indexes.append(IndexDescription(terms, isUnique: random.chance(3)))
      }
    }
    var distinct: [IndexDescription] = []
    for index in indexes where !distinct.contains(where: { $0.terms == index.terms }) {
      distinct.append(index)
    }
    return distinct
  }
}

extension EntityDescription {
  /// The attributes that are not of the key.
  var plainAttributes: [AttributeDescription] { attributes.filter { !key.contains($0.name) } }

  /// The names of every column that a dynamic row has, a hidden key's among them.
  var columnNames: [String] {
    attributes.map(\.name) + (key.isEmpty ? [Self.hiddenKeyName] : [])
  }

  /// The names of the key's columns.
  var keyNames: [String] { key.isEmpty ? [Self.hiddenKeyName] : key }

  /// True if the store gives integers as keys.
  var givesKeys: Bool { key.isEmpty || keySource == .generated }

  /// A random row, whole but for a hidden key.
  func row(_ random: inout SeededGenerator) -> NaiveRow {
    var row: NaiveRow = [:]
    for attribute in attributes {
      row[attribute.name] =
        attribute.isOptional && random.chance(4)
        ? .null : RandomValue.value(attribute.type, &random)
    }
    if keySource == .generated, !key.isEmpty { row[key[0]] = generatedKey(&random) }
    return row
  }

  /// Mostly "not given yet", else a small key, once in a while the last.
  private func generatedKey(_ random: inout SeededGenerator) -> StoredValue {
    if random.chance(300) { return .int(.max) }
    return .int(random.chance(2) ? 0 : Int64(random.number(-2...12)))
  }
}
