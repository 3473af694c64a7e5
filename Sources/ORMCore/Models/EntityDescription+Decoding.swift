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
