internal import ORM

/// A mapping while it is being checked and worked out.
struct MappingDraft<Model: Persistable> {
  let rules: MappingRules<Model>
  let description = Model.entity.description
  /// The number of declared attributes; the keys of to-ones come after them.
  let declaredCount = Model.entity.written.attributes.count
  var columns: [ColumnPlan] = []
  var links: [any LinkPlan<Model>] = []
  let reading = PathTree()
  var writing = WriteTree.empty
  var keyColumn: Int?
  var optionalStructs: [RecordPlan.OptionalStruct] = []
  /// The mappings of the kinds beside the model itself.
  var kinds: [any KindPlan<Model>] = []
  var faults: [StoreError] = []
  /// The mappings of targets that were made of data, by the rules that have them.
  var targetMappings: [String: any DataMapping] = [:]
  /// The paths of embedded structs that have a rule, by their names.
  var structPaths: [String: [PathStep]] = [:]

  init(_ rules: MappingRules<Model>) { self.rules = rules }

  mutating func fault(_ message: String, _ attribute: String? = nil) {
    let fault = StoreError(
      .invalidMapping, message, entity: description.name,
      attributes: attribute.map { [$0] } ?? [])
    // A rule of both directions has its faults in both.
    if !faults.contains(fault) { faults.append(fault) }
  }

  func throwFaults() throws {
    guard let first = faults.first else { return }
    if faults.count == 1 { throw first }
    throw StoreError(
      .invalidMapping, "the JSON mapping has \(faults.count) faults", entity: description.name,
      failures: faults)
  }

  /// The steps of a path; a fault and nil for text that is none.
  mutating func steps(of source: String, _ attribute: String) -> [PathStep]? {
    if let steps = JSONKeyPath.steps(of: source) { return steps }
    fault("'\(source)' is not a path into JSON, such as price.amount or lines[0]", attribute)
    return nil
  }

  /// The JSON name of a name in the program.
  func member(_ name: String) -> PathStep { .name(rules.names.attributeName(name)) }

  /// The position of the declared attribute that a rule names.
  func position(of property: MappedProperty) -> Int? {
    let position =
      switch property {
      case .path(let path): Model.entity.position(of: path)
      case .name(let name): description.position(of: name)
      }
    return position.flatMap { $0 < declaredCount ? $0 : nil }
  }

  /// The embedded struct that a rule names.
  func embeddedStruct(of property: MappedProperty) -> EmbeddedStruct? {
    switch property {
    case .path(let path): Model.embeddedStruct(at: path)
    case .name(let name): Model.entity.embedded.first { $0.name == name }
    }
  }

  /// The relationship that a rule names.
  func relationship(of property: MappedProperty) -> (any RelationshipEnd<Model>)? {
    switch property {
    case .path(let path): Model.entity.relationship(at: path)
    case .name(let name): Model.entity.relationships.first { $0.declaration.name == name }
    }
  }

  /// The name of the attribute, struct or relationship that a rule names.
  func name(of property: MappedProperty) -> String? {
    position(of: property).map { description.attributes[$0].name }
      ?? embeddedStruct(of: property)?.name ?? relationship(of: property)?.declaration.name
  }

  /// Returns whether a property takes part in a direction, by the lists of those that do or do not.
  func isSelected(_ name: String, reading: Bool) -> Bool {
    for selection in rules.selections
    where reading ? selection.direction.reads : selection.direction.writes {
      let names = selection.properties.compactMap { self.name(of: $0) }
      if !selection.selects(name, names) { return false }
    }
    return true
  }

  mutating func checkSelections() {
    for selection in rules.selections {
      for property in selection.properties where name(of: property) == nil {
        fault("a key path that is left out, or the only one, is no property of the entity")
      }
    }
  }
}
