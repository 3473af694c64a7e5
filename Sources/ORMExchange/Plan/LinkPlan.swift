internal import ORM

/// The mapping of one relationship of a model, worked out, apart from the type of its target.
protocol LinkPlan<Model>: Sendable {
  associatedtype Model: Persistable
  /// The relationship's name.
  var name: String { get }
  /// The attribute that the key at a path is; nil for a path at which the relationship is not read.
  func keyColumn(at path: [PathStep]) -> ColumnPlan?
  /// Makes the reader of the relationship for one reading.
  func reader(_ reading: JSONReading) -> any ModelLinkReader<Model>
  /// Returns whether the model has anything to write.
  func isWritten(_ model: Model) -> Bool
  /// Returns whether the link is known to lead nowhere.
  func isNull(_ model: Model) -> Bool
  /// Writes the relationship.
  func write(_ model: Model, to writer: inout JSONWriter, _ writing: JSONWriting) throws
}

/// The mapping of a relationship to a target.
struct TargetPlan<End: RelationshipEnd>: LinkPlan where End.Model: Persistable {
  let end: End
  let form: LinkForm
  let keepsOthers: Bool
  /// The mapping of the target that the rule names.
  let given: JSONMapping<End.Target>?
  /// The strategy of the holder's mapping, for targets that have no mapping of their own.
  let names: NamingStrategy
  /// The paths that are read.
  let sources: [[PathStep]]

  func keyColumn(at path: [PathStep]) -> ColumnPlan? {
    let entity = End.Target.entity.description
    guard !end.declaration.isToMany, sources.contains(path), entity.key.count == 1,
      let position = entity.position(of: entity.key[0])
    else { return nil }
    let format: FieldFormat = if case .keys(let format) = form { format } else { .plain }
    return ColumnPlan(
      entity.attributes[position], isKeyOf: nil, format: format, rule: nil, sources: [path])
  }

  var name: String { end.declaration.name }

  /// The mapping of the target.
  ///
  /// - Throws: `invalidMapping`.
  func targetPlan(_ shared: SharedTargets) throws -> MappingPlan<End.Target> {
    if let given { return try given.plan }
    if let mapped = End.Target.self as? any JSONMapped.Type, let plan = try Self.plan(mapped) {
      return plan
    }
    return try shared.mapping(of: End.Target.self, names).plan
  }

  private static func plan<Mapped: JSONMapped>(
    _ model: Mapped.Type
  ) throws -> MappingPlan<End.Target>? {
    try Mapped.json.plan as? MappingPlan<End.Target>
  }

  func reader(_ reading: JSONReading) -> any ModelLinkReader<End.Model> {
    TargetReader(self, reading)
  }
}
