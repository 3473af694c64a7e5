internal import ORM

/// The mapping of a model while its rules are being checked and worked out.
final class ModelDraft<Model: Persistable>: MappingDraft {
  let hooks: MappingHooks<Model>
  var links: [any LinkPlan<Model>] = []
  /// The mappings of the kinds beside the model itself.
  var kinds: [any KindPlan<Model>] = []
  /// The mappings of targets that were made of data, by the rules that have them.
  private var targetMappings: [String: any DataMapping] = [:]

  init(_ rules: MappingRules, _ hooks: MappingHooks<Model>) {
    self.hooks = hooks
    super.init(
      rules.named(in: Model.self), Model.entity.description,
      attributeCount: Model.entity.written.attributes.count)
  }

  /// A missing part of a struct has its initial value in it.
  override var structs: [RecordPlan.OptionalStruct] {
    func attributes<Value: Persistable>(_ model: Value.Type) -> [AttributeDescription] {
      Value.entity.written.attributes
    }
    return Model.entity.embedded.filter(\.isOptional).map { part in
      .init(
        mark: part.columns.lowerBound,
        columns: attributes(part.model).enumerated().map { offset, attribute in
          (part.start + offset, ColumnPlan(attribute).initial)
        })
    }
  }

  /// Adds the relationships.
  func addRelationships() {
    for (name, path) in structPaths.sorted(by: { $0.key < $1.key })
    where path.contains(where: { if case .name = $0 { false } else { true } }) {
      fault("the path of an embedded struct leads through objects alone", name)
    }
    for end in Model.entity.relationships {
      add(end, rules.links.filter { $0.property.name == end.declaration.name })
    }
  }

  private func add<End: RelationshipEnd<Model>>(_ end: End, _ rules: [LinkRule]) {
    let name = end.declaration.name
    let reading = rules.filter { $0.direction.reads }
    let writing = rules.filter { $0.direction.writes && !$0.isCount }
    if reading.count > 1 { fault("two rules read one relationship", name) }
    if writing.count > 1 { fault("two rules write one relationship", name) }
    if isSelected(name, reading: true) { addReading(end, reading.first) }
    if isSelected(name, reading: false) {
      addWriting(end, writing.first)
      for rule in rules where rule.isCount { addWriting(end, rule) }
    }
  }

  private func addReading<End: RelationshipEnd<Model>>(_ end: End, _ rule: LinkRule?) {
    let name = end.declaration.name
    var paths = (rule?.sources ?? []).compactMap { steps(of: $0, name) }
    if paths.isEmpty { paths = standardPaths(of: end, rule) }
    let number = links.count
    let link = plan(of: end, rule, paths)
    links.append(link)
    if let rule { checkList(end, rule) }
    for (rank, path) in paths.prefix(100).enumerated() {
      if path.contains(.each), !end.declaration.isToMany {
        fault("a path with [*] is for a to-many", name)
      }
      reading.add(path[...], .link(number, rank: UInt8(rank)))
    }
  }

  private func addWriting<End: RelationshipEnd<Model>>(_ end: End, _ rule: LinkRule?) {
    // A to-many that no rule names is not written: it may be large, and lead back.
    if rule == nil, end.declaration.isToMany { return }
    let given = (rule?.sources.first).flatMap { JSONKeyPath.steps(of: $0) }
    guard let path = given ?? standardPaths(of: end, rule).last else { return }
    let number = links.count
    let link = plan(of: end, rule, [])
    links.append(link)
    if path.contains(.each) || !writing.add(path[...], .link(number)) {
      fault(
        "\(JSONKeyPath.text(of: path)) is written for something else too, or is no path to write "
          + "to; leave one of them out when writing", end.declaration.name)
    }
  }

  private func plan<End: RelationshipEnd<Model>>(
    of end: End, _ rule: LinkRule?, _ sources: [[PathStep]]
  ) -> any LinkPlan<Model> {
    var given: JSONMapping<End.Target>?
    switch rule?.mapping {
    case .mapping(let mapping): given = mapping as? JSONMapping<End.Target>
    case .data(let data):
      // Both directions of one rule share the mapping.
      let name = "\(end.declaration.name) \(rule?.direction.rawValue ?? "")"
      given =
        targetMappings[name] as? JSONMapping<End.Target>
        ?? JSONMapping(data).adding { [models = rules.models] in $0.models = models }
      targetMappings[name] = given
    case nil: break
    }
    var form = rule?.form ?? .standard
    if let rule, rule.writesObjects,
      (given ?? ImportOptions<End.Target>.ownMapping)?.rules.kind?.models.isEmpty == false
    {
      fault(
        "its targets are of several kinds, which are not written inside of others; export them on "
          + "their own, and nest them `when: .reading`", end.declaration.name)
    }
    var column: ColumnPlan?
    switch form {
    case .keys(let format):
      if let key = Self.key(of: end) { form = .keys(resolved(format, key, end.declaration.name)) }
    case .attribute(let property, let format):
      column = attribute(property, format, of: end)
    default: break
    }
    return TargetPlan(
      end: end, form: form, unlisted: rule?.unlisted ?? .unlink,
      order: rule?.order ?? .asStored, given: given, names: rules.names, sources: sources,
      column: column)
  }

  /// Finds lists whose order is not stored, and whose members may belong to other owners too.
  private func checkList<End: RelationshipEnd<Model>>(_ end: End, _ rule: LinkRule) {
    let name = end.declaration.name
    if rule.order == .asListed, !end.declaration.isOrdered {
      fault("an order as listed is for a to-many that is ordered", name)
    }
    guard rule.unlisted == .delete else { return }
    if !end.declaration.isToMany {
      fault("members that are not listed are those of a to-many", name)
    } else if Self.hasSharedTargets(end) {
      fault("members that are not listed cannot be deleted, since others may have them too", name)
    }
  }

  private static func hasSharedTargets<End: RelationshipEnd<Model>>(_ end: End) -> Bool {
    if end.declaration.isShared { return true }
    func leadsBack<Other: RelationshipEnd>(_ other: Other) -> Bool {
      let named = end.declaration.inverse
      return other.declaration.isToMany
        && (named == other.declaration.name || end.inversePath.map { $0 == other.path } == true
          || other.inversePath.map { $0 == end.path } == true)
    }
    return End.Target.entity.relationships.contains { leadsBack($0) }
  }

  /// The attribute that is the key of the targets; nil for a key of several.
  private static func key<End: RelationshipEnd>(of end: End) -> AttributeDescription? {
    let entity = End.Target.entity.description
    guard entity.key.count == 1 else { return nil }
    return entity.position(of: entity.key[0]).map { entity.attributes[$0] }
  }

  /// The attribute by which targets are found.
  private func attribute<End: RelationshipEnd>(
    _ property: MappedProperty, _ format: FieldFormat, of end: End
  ) -> ColumnPlan? {
    let entity = End.Target.entity.description
    guard let position = End.Target.entity.position(of: property) else {
      fault("the targets are found by what is no attribute of theirs", end.declaration.name)
      return nil
    }
    let attribute = entity.attributes[position]
    if let message = format.fault(for: attribute.type) { fault(message, end.declaration.name) }
    return ColumnPlan(
      attribute, format: resolved(format, attribute, end.declaration.name))
  }

  /// The relationship's own name, and the name of its key where a rule does not ask for objects.
  private func standardPaths<End: RelationshipEnd<Model>>(
    of end: End, _ rule: LinkRule?
  ) -> [[PathStep]] {
    let name = [member(end.declaration.name, of: end.declaration.name)]
    let key = [member(end.declaration.name + "_id", of: end.declaration.name)]
    switch rule?.form {
    case .objects, .missingObjects, .linkedObjects, .attribute, .count: return [name]
    case .keys: return [end.declaration.isToMany ? name : key]
    case .standard, nil: return end.declaration.isToMany ? [name] : [name, key]
    }
  }

  /// Finds members that are read both as a value and as an object.
  func checkReading(_ tree: PathTree, _ path: [PathStep] = []) {
    for name in tree.names {
      guard let child = tree.children[name] else { continue }
      let nested = path + [.name(name)]
      let hasParts = !child.names.isEmpty || !child.arrays.isEmpty
      for case .column(let column, rank: _) in child.targets where hasParts {
        let attribute = entity.attributes[column]
        if attribute.type == .json || attribute.type.kind == .array { continue }
        if case .custom = columns[column].format { continue }
        fault(
          "\(JSONKeyPath.text(of: nested)) is read both as a value and as an object", attribute.name
        )
      }
      checkReading(child, nested)
    }
  }
}
