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
  var faults: [StoreError] = []
  /// The paths of embedded structs that have a rule, by their names.
  var structPaths: [String: [PathStep]] = [:]

  init(_ rules: MappingRules<Model>) { self.rules = rules }

  mutating func fault(_ message: String, _ attribute: String? = nil) {
    faults.append(
      StoreError(
        .invalidMapping, message, entity: description.name, attributes: attribute.map { [$0] } ?? []
      ))
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

  /// The name of the attribute, struct or relationship that a key path reads.
  func name(at path: any AnyKeyPath & Sendable) -> String? {
    if let position = Model.entity.position(of: path), position < declaredCount {
      return description.attributes[position].name
    }
    return Model.embeddedStruct(at: path)?.name
      ?? Model.entity.relationship(at: path)?.declaration.name
  }

  /// Returns whether a property takes part in a direction, by the lists of those that do or do not.
  func isSelected(_ name: String, reading: Bool) -> Bool {
    for selection in rules.selections
    where reading ? selection.direction.reads : selection.direction.writes {
      let names = selection.paths.compactMap { self.name(at: $0) }
      let isNamed = names.contains { name == $0 || name.hasPrefix($0 + ".") }
      // An attribute of a struct that may be nil brings the mark of the struct with it.
      let isAround = names.contains { $0.hasPrefix(name + ".") }
      if selection.isOnly ? !(isNamed || isAround) : isNamed { return false }
    }
    return true
  }

  mutating func checkSelections() {
    for selection in rules.selections {
      for path in selection.paths where name(at: path) == nil {
        fault("a key path that is left out, or the only one, is no property of the entity")
      }
    }
  }
}
