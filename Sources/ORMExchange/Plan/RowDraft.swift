internal import ORM

/// The mapping of an entity's rows, whose to-ones are the attributes with their keys, in one direction.
final class RowDraft: MappingDraft {
  let whole: DynamicEntity
  /// True if the rules were made of those of an entity above, where their names were checked.
  private let isDerived: Bool
  /// The rules of the relationships of entities above.
  private let above: MappingRules
  private let target: (String) -> EntityDescription?
  /// The to-ones whose keys are attributes, by these.
  private var owners: [String: (link: RelationshipDescription, part: Int)] = [:]
  private(set) var lookups: [DynamicPlan.Lookup] = []

  init(
    _ rules: MappingRules, _ whole: DynamicEntity, reads: Bool, above: MappingRules? = nil,
    isDerived: Bool = false, _ target: @escaping (String) -> EntityDescription?
  ) {
    self.whole = whole
    self.isDerived = isDerived
    self.above = above ?? rules
    self.target = target
    let entity = whole.description
    for relationship in entity.relationships {
      for (part, key) in (relationship.keyAttributes ?? []).enumerated() {
        owners[key] = (relationship, part)
      }
    }
    super.init(
      rules, entity, attributeCount: entity.attributes.count, reads: reads, writes: !reads)
    if let above {
      func isInherited(_ rule: FieldRule) -> Bool { !(rule.property.name.map(isOwn) ?? true) }
      fields = rules.fields.filter { !isInherited($0) } + above.fields.filter(isInherited)
    }
  }

  /// A missing part of a struct is null here, and the save fills or refuses it.
  override var structs: [RecordPlan.OptionalStruct] {
    marks.sorted().map { mark in
      let prefix = entity.attributes[mark].name + "."
      return RecordPlan.OptionalStruct(
        mark: mark,
        columns: entity.attributes.indices
          .filter { entity.attributes[$0].name.hasPrefix(prefix) }.map { ($0, .value(.null)) })
    }
  }

  override var kindProperty: String? { "kind" }

  override func isOwn(_ name: String) -> Bool { !whole.inherited.contains(name) }

  override func rules(of name: String) -> MappingRules { isOwn(name) ? rules : above }

  override func link(ofKey name: String) -> String? { owners[name]?.link.name }

  /// The usual form of a type, as lenient as fields of CSV are read.
  override func usualFormat(of type: AttributeType) -> FieldFormat {
    switch type.kind {
    case .string: .text
    case .int, .unsigned, .double, .decimal: .number(orText: true, writesText: false)
    case .bool: .bool(writesNumber: false)
    case .date: .date([.iso8601, .secondsSince2001])
    default: .plain
    }
  }

  override func checkNames() {
    if isDerived { return }
    super.checkNames()
    for rule in rules.links where rule.isCount && writes {
      fault("an export by names writes no numbers of targets", rule.property.name)
    }
  }

  /// Adds the attributes, those that targets are found by, and the kind.
  func addAll() {
    addAttributes()
    for field in fields where holds(field.direction) {
      if let name = field.property.name, let link = link(ofKey: name), rule(of: link) != nil {
        fault("the key of the link \(link) has a rule of its own, beside that of the link", name)
      }
    }
    for relationship in entity.relationships { check(relationship) }
    addKind()
  }

  private func holds(_ direction: JSONDirection) -> Bool {
    reads ? direction.reads : direction.writes
  }

  // MARK: - Relationships

  /// The rule of a relationship in the direction.
  private func rule(of link: String) -> LinkRule? {
    let found = rules(of: link).links.filter {
      $0.property.name == link && !$0.isCount && holds($0.direction)
    }
    if found.count > 1 { fault("two rules \(reads ? "read" : "write") one relationship", link) }
    return found.last
  }

  override func keyMembers(
    of attribute: AttributeDescription, _ format: FieldFormat, reading: Bool
  ) -> (paths: [[PathStep]], format: FieldFormat)? {
    guard let (link, index) = owners[attribute.name] else { return nil }
    guard let rule = rule(of: link.name), let target = target(link.target),
      target.key.indices.contains(index)
    else { return standardKeys(link, standardPath(of: attribute.name), format) }
    var paths = rule.sources.compactMap { steps(of: $0, link.name) }
    if paths.isEmpty { paths = [[member(rule.standardName(of: link.name), of: link.name)]] }
    let isWhole = target.key.count == 1
    let key = target.key[index]
    switch rule.form {
    case .keys(let given):
      guard isWhole else {
        return reading
          ? (paths, .member([.name(key)], format)) : (paths.map { $0 + [.name(key)] }, format)
      }
      guard case .plain = given else {
        if let message = given.fault(for: attribute.type) { fault(message, link.name) }
        return (paths, given)
      }
      return (paths, format)
    case .linkedObjects where reading:
      return (paths, .member(rule.path(of: key) ?? [member(key, of: link.name)], format))
    case .attribute(let property, let form) where reading:
      if index == 0 { addLookup(link, rule, property, form, target, paths) }
    case .objects where reading, .missingObjects where reading:
      fault("an import by names saves no nested objects; link them by their keys", link.name)
    case .objects, .missingObjects, .linkedObjects, .attribute, .count, .standard:
      fault("an export by names writes the key of a target, and not the target", link.name)
    }
    return ([], format)
  }

  /// The paths and the form of a link without a rule: its key, or in an import also the target's name
  /// with the key, or with an object that has it.
  private func standardKeys(
    _ link: RelationshipDescription, _ standard: [PathStep], _ format: FieldFormat
  ) -> (paths: [[PathStep]], format: FieldFormat) {
    let name = [member(link.name, of: link.name)]
    let isElsewhere = rules(of: link.name).fields.contains { field in
      holds(field.direction)
        && field.sources.contains { JSONKeyPath.steps(of: $0)?.starts(with: name) == true }
    }
    guard reads, !isElsewhere, name != standard, let target = target(link.target),
      target.key.count == 1
    else { return ([standard], format) }
    return ([name, standard], .member([member(target.key[0], of: link.name)], format))
  }

  private func addLookup(
    _ link: RelationshipDescription, _ rule: LinkRule, _ property: MappedProperty,
    _ form: FieldFormat, _ target: EntityDescription, _ paths: [[PathStep]]
  ) {
    guard let name = property.name, let position = target.position(of: name),
      let names = link.keyAttributes
    else { return fault("the targets are found by what is no attribute of theirs", link.name) }
    pending.append((link, rule, form, target.attributes[position], names, paths))
  }

  /// The to-ones that are found by an attribute, whose columns come after all others.
  private var pending:
    [(
      link: RelationshipDescription, rule: LinkRule, form: FieldFormat,
      attribute: AttributeDescription, names: [String], paths: [[PathStep]]
    )] = []

  /// Refuses rules of relationships that rows do not have, and adds those that are found.
  private func check(_ relationship: RelationshipDescription) {
    let name = relationship.name
    if let found = pending.first(where: { $0.link.name == name }) {
      var format = found.form
      if case .plain = format { format = usualFormat(of: found.attribute.type) }
      if let message = format.fault(for: found.attribute.type) { fault(message, name) }
      format = resolved(format, found.attribute, name)
      let path =
        found.rule.path(of: found.attribute.name) ?? [member(found.attribute.name, of: name)]
      var attribute = found.attribute
      attribute.isOptional = true
      attribute.name = name
      let position = columns.count
      columns.append(
        ColumnPlan(
          attribute, format: .member(path, format), sources: found.paths))
      addReading(found.paths, attribute, position)
      lookups.append(
        DynamicPlan.Lookup(
          found: FoundLink(
            entity: entity.name, name: name, target: relationship.target,
            attribute: found.attribute.name, isRequired: relationship.isRequired),
          column: position, names: found.names))
      return
    }
    let isOwn = if case .own? = relationship.storage { true } else { false }
    if !isOwn, rule(of: name) != nil {
      fault(
        "an import or export by names has the to-ones whose keys are attributes, and no others",
        name)
    }
  }

  // MARK: - Kinds

  /// The kinds beside the entity itself.
  var kindModels: [KindModel] { (rules.kind?.models ?? []).filter { $0.model.name != entity.name } }

  /// Compiles the kinds, and throws their faults.
  func kinds(_ rule: KindRule, _ entities: Schema) throws -> [DynamicPlan] {
    func made(_ others: [[[PathStep]]]) throws -> [DynamicPlan] {
      try kindModels.enumerated().map { index, model in
        let name = model.model.name
        guard let whole = DynamicEntity(name, below: entity.name, in: entities) else {
          throw StoreError(
            .invalidMapping, "\(name) is no subentity of \(entity.name)", entity: entity.name,
            attributes: ["kind"])
        }
        var given: MappingRules?
        if case .data(let data)? = rules.kindMappings.first(where: { $0.model.name == name })?
          .mapping
        {
          given = MappingRules(data)
        }
        var own = given ?? rulesOfSubentity
        own.kind = KindRule(member: rule.member, kinds: model.kinds, otherwise: .keep)
        (own.list, own.keyedBy) = (rules.list, rules.keyedBy)
        let draft = RowDraft(
          own, whole, reads: reads, above: rules, isDerived: given == nil, target)
        draft.addAll()
        for (other, paths) in others.enumerated() where other != index { draft.addOthers(paths) }
        try draft.throwFaults()
        return DynamicPlan(draft)
      }
    }
    let kinds = try made([])
    let own = [columns.flatMap(\.sources)]
    return try made(kinds.map(\.readPaths) + own)
  }

  /// Makes members known that other kinds alone read, and that must be null.
  func addOthers(_ paths: [[PathStep]]) {
    if rules.unknown == .refuse, reads { addOthers(paths, beside: columns.flatMap(\.sources)) }
  }
}

extension LinkRule {
  /// The path of an attribute of the targets in their objects, by a mapping that is data; nil where it
  /// names none.
  fileprivate func path(of attribute: String) -> [PathStep]? {
    guard case .data(let data)? = mapping else { return nil }
    return (data.fields[attribute]?.from.first).flatMap { JSONKeyPath.steps(of: $0) }
  }

  /// The name of the relationship's member where the rule has no path.
  fileprivate func standardName(of link: String) -> String {
    if case .keys = form { link + "_id" } else { link }
  }
}
