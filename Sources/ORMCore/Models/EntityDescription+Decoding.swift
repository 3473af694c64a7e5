internal import ORMStorage

extension EntityDescription {
  enum CodingKeys: String, CodingKey {
    case name, storedName, attributes, key, keySource, indexes, relationships, templates, rules
    case parent
  }

  /// Reads a description; one written before there were relationships has none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      storedName: try values.decodeIfPresent(String.self, forKey: .storedName),
      attributes: try values.decode([AttributeDescription].self, forKey: .attributes),
      key: try values.decode([String].self, forKey: .key),
      keySource: try values.decode(StoredEntity.KeySource.self, forKey: .keySource),
      indexes: try values.decode([IndexDescription].self, forKey: .indexes),
      relationships: try values.decodeIfPresent(
        [RelationshipDescription].self, forKey: .relationships) ?? [],
      templates: try values.decodeIfPresent([QueryTemplate].self, forKey: .templates) ?? [],
      rules: try values.decodeIfPresent([ValidationRule].self, forKey: .rules) ?? [],
      parent: try values.decodeIfPresent(String.self, forKey: .parent))
  }
}

extension AttributeDescription.DefaultValue {
  /// Reads a source in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no source.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "value": self = .value(try coded.value())
    case "now": self = .now
    case "uuid": self = .uuid
    default: throw coded.isUnknown
    }
  }

  /// Encodes the source as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value): try CodedCase.encode("value", value, to: encoder)
    case .now: CodedCase.encode("now", to: encoder)
    case .uuid: CodedCase.encode("uuid", to: encoder)
    }
  }
}
