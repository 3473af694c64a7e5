internal import ORMValues

extension StoredEntity {
  enum CodingKeys: String, CodingKey {
    case name, modelName, columns, key, keySource, indexes, relationships, templates, rules
    case isInternal, parent
    case nested = "subentities"
  }

  /// Reads an entity; one written before there were relationships, or subentities, has none.
  ///
  /// - Throws: `DecodingError` also for a key or an index over columns that the entity does not have.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      modelName: try values.decode(String.self, forKey: .modelName),
      columns: try values.decode([StoredColumn].self, forKey: .columns),
      key: try values.decode([Int].self, forKey: .key),
      keySource: try values.decode(KeySource.self, forKey: .keySource),
      indexes: try values.decode([StoredIndex].self, forKey: .indexes),
      relationships: try values.decodeIfPresent(
        [RelationshipDescription].self, forKey: .relationships) ?? [],
      templates: try values.decodeIfPresent([QueryTemplate].self, forKey: .templates) ?? [],
      rules: try values.decodeIfPresent([ValidationRule].self, forKey: .rules) ?? [],
      isInternal: try values.decodeIfPresent(Bool.self, forKey: .isInternal) ?? false)
    parent = try values.decodeIfPresent(String.self, forKey: .parent)
    nested = try values.decodeIfPresent([StoredEntity].self, forKey: .nested)
    let terms = indexes.map { $0.terms.map(\.column) }
    guard ([key] + terms).allSatisfy({ !$0.isEmpty && $0.allSatisfy(columns.indices.contains) })
    else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "a key or an index of \(name) names no columns of the entity"))
    }
  }
}

extension StoredColumn {
  enum CodingKeys: String, CodingKey {
    case name, attribute, type, isOptional, defaultValue, computedDefault, isNormalized, isInternal,
      role, derived, externalThreshold
  }

  /// Reads a column; one written before there were relationships is a model's.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      try values.decode(AttributeType.self, forKey: .type),
      attribute: try values.decode(String.self, forKey: .attribute),
      isOptional: try values.decode(Bool.self, forKey: .isOptional),
      defaultValue: try values.decodeIfPresent(StoredValue.self, forKey: .defaultValue),
      computedDefault: try values.decodeIfPresent(ComputedDefault.self, forKey: .computedDefault),
      isNormalized: try values.decode(Bool.self, forKey: .isNormalized),
      isInternal: try values.decodeIfPresent(Bool.self, forKey: .isInternal) ?? false,
      role: try values.decodeIfPresent(ManagedRole.self, forKey: .role),
      derived: try values.decodeIfPresent(DerivedValue.self, forKey: .derived),
      externalThreshold: try values.decodeIfPresent(Int.self, forKey: .externalThreshold))
  }
}
