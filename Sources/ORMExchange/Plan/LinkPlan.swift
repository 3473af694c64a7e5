internal import ORM

/// The mapping of one relationship of a model, worked out, apart from the type of its target.
protocol LinkPlan<Model>: Sendable {
  associatedtype Model: Persistable
  /// The relationship as a field of CSV; nil for a path at which it is not read.
  func field(at path: [PathStep]) -> LinkField?
  /// The paths that are read.
  var sources: [[PathStep]] { get }
  /// True if targets are found by an attribute.
  var findsByAttribute: Bool { get }
  /// Adds the values by which a record finds targets to those of other records.
  func addValues(_ scanner: JSONScanner, to values: inout TargetValues, _ shared: SharedTargets)
  /// Adds the entities whose objects are saved with those of the owner.
  func addSaved(to saved: inout SavedEntities, _ shared: SharedTargets)
  /// Makes the reader of the relationship for one reading.
  func reader(_ reading: JSONReading) -> any ModelLinkReader<Model>
  /// Returns whether the model has anything to write.
  func isWritten(_ model: Model) -> Bool
  /// Returns whether the link is known to lead nowhere.
  func isNull(_ model: Model) -> Bool
  /// Writes the relationship.
  func write(_ model: Model, to writer: inout JSONWriter, _ writing: JSONWriting) throws
}

/// A relationship as a field of CSV.
struct LinkField {
  /// The attribute that the key of a target is, or the value by which it is found; nil where that is
  /// more than one value.
  let column: ColumnPlan?
  let isToMany: Bool
  /// True if targets may be objects.
  let takesObjects: Bool
}

/// The values by which the records of a batch find targets.
struct TargetValues {
  struct Column: Hashable {
    let entity: String
    let attribute: String
  }

  var all: [Column: [StoredValue]] = [:]
}

/// The entities that a mapping saves by rules for nested objects.
struct SavedEntities {
  var names: Set<String> = []
  /// The mappings that were looked at.
  var plans: Set<ObjectIdentifier> = []
  /// True if objects of some are saved only where no row has their key.
  var hasMissing = false
  /// True if members that a list lacks are deleted.
  var deletesUnlisted = false
  /// True if objects of some are of kinds with models of their own.
  var hasKinds = false
}

/// The mapping of a relationship to a target.
struct TargetPlan<End: RelationshipEnd>: LinkPlan where End.Model: Persistable {
  let end: End
  let form: LinkForm
  let unlisted: JSONUnlisted
  let order: JSONListOrder
  /// The mapping of the target that the rule names.
  let given: JSONMapping<End.Target>?
  /// The strategy of the owner's mapping, for targets that have no mapping of their own.
  let names: NamingStrategy
  /// The paths that are read.
  let sources: [[PathStep]]
  /// The attribute by which targets are found; nil where they are not.
  let column: ColumnPlan?

  func field(at path: [PathStep]) -> LinkField? {
    guard sources.contains(path) else { return nil }
    let isToMany = end.declaration.isToMany
    if let column { return LinkField(column: column, isToMany: isToMany, takesObjects: false) }
    let entity = End.Target.entity.description
    guard entity.key.count == 1, let position = entity.position(of: entity.key[0]) else {
      return LinkField(column: nil, isToMany: isToMany, takesObjects: true)
    }
    var format = FieldFormat.plain
    var takesObjects = true
    if case .keys(let given) = form { (format, takesObjects) = (given, false) }
    let column = ColumnPlan(entity.attributes[position], format: format, sources: [path])
    return LinkField(column: column, isToMany: isToMany, takesObjects: takesObjects)
  }

  var findsByAttribute: Bool { column != nil && !sources.isEmpty }

  func addValues(
    _ scanner: JSONScanner, to values: inout TargetValues, _ shared: SharedTargets
  ) {
    guard let column else { return }
    let id = TargetValues.Column(
      entity: End.Target.entity.written.name, attribute: column.name)
    func add(_ scanner: JSONScanner) {
      var scanner = scanner
      scanner.skipSpace()
      if let value = try? attribute(&scanner, shared) { values.all[id, default: []].append(value) }
    }
    for path in sources {
      let each = path.firstIndex(of: .each)
      var inner = scanner
      guard ValueReading.enter(path[..<(each ?? path.endIndex)], &inner) else { continue }
      inner.skipSpace()
      if !end.declaration.isToMany {
        add(inner)
      } else {
        ValueReading.forEachElement(&inner) { element in
          let rest = each.map { path[($0 + 1)...] } ?? []
          if ValueReading.enter(rest, &element) { add(element) }
        }
      }
    }
  }

  /// The value by which a target is found, at a scanner's position; nil for any other value.
  func attribute(_ scanner: inout JSONScanner, _ shared: SharedTargets) throws -> StoredValue? {
    guard let column else { return nil }
    if scanner.next == UInt8(ascii: "{") {
      let own = try targetPlan(shared).columns.first { $0.name == column.name }?.source
      guard ValueReading.enter((own ?? [.name(column.name)])[...], &scanner) else { return nil }
      scanner.skipSpace()
    }
    return try column.value(&scanner)
  }

  func addSaved(to saved: inout SavedEntities, _ shared: SharedTargets) {
    guard !sources.isEmpty else { return }
    if unlisted == .delete { saved.deletesUnlisted = true }
    switch form {
    case .objects: saved.names.insert(End.Target.entity.written.name)
    case .missingObjects:
      saved.names.insert(End.Target.entity.written.name)
      saved.hasMissing = true
    case .standard: break
    case .linkedObjects, .keys, .attribute, .count: return
    }
    guard let plan = try? targetPlan(shared), saved.plans.insert(ObjectIdentifier(plan)).inserted
    else { return }
    for link in plan.links { link.addSaved(to: &saved, shared) }
    guard let kinds = plan.kinds?.kinds else { return }
    saved.hasKinds = true
    for kind in kinds { kind.addSaved(to: &saved, shared) }
  }

  var name: String { end.declaration.name }

  /// The mapping of the target.
  ///
  /// - Throws: `invalidMapping`.
  func targetPlan(_ shared: SharedTargets) throws -> MappingPlan<End.Target> {
    try mapping(shared).plan
  }

  /// The mapping of the target, not worked out.
  func mapping(_ shared: SharedTargets) -> JSONMapping<End.Target> {
    given ?? ImportOptions<End.Target>.ownMapping ?? shared.mapping(of: End.Target.self, names)
  }

  func reader(_ reading: JSONReading) -> any ModelLinkReader<End.Model> {
    TargetReader(self, reading)
  }
}
