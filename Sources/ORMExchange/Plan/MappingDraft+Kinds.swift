internal import ORM

extension MappingDraft {
  /// Adds the member that names the kind of a record, and the members beside the mapping's own.
  mutating func addKind() {
    for path in rules.beside.read { reading.add(path[...], .elsewhere) }
    for path in rules.beside.others { reading.add(path[...], .otherKind) }
    for member in rules.beside.written
    where !writing.add(member.path[...], .link(links.count + member.link)) {
      fault("\(JSONKeyPath.text(of: member.path)) is written for a relationship of its parent too")
    }
    guard let kind = rules.kind else {
      if !rules.kindMappings.isEmpty {
        fault("a mapping is given for a kind, but the mapping names no models of kinds")
      }
      return
    }
    guard let path = kind.path, !kind.kinds.isEmpty else {
      fault("a kind needs a path to a member, and one text or more")
      return
    }
    reading.add(path[...], .elsewhere)
    // Without a text of its own, the model's objects are of no kind.
    guard let text = kind.text(of: description.name) else { return }
    if !writing.add(path[...], .text(text)) {
      fault("\(kind.member) is written for something else, and cannot name the kind")
    }
  }

  /// Adds the mappings of the kinds, whose faults are faults of this one.
  mutating func addKinds() {
    guard let rule = rules.kind, !rule.models.isEmpty, rule.path != nil else { return }
    var texts: Set<ExactText> = []
    for text in rule.kinds where !texts.insert(text).inserted {
      fault("the text '\(text)' stands for two kinds")
    }
    if !(Model.self is any PrimaryKeyed.Type) {
      fault("records of several kinds need a model with a primary key")
    }
    checkKindMappings(rule)
    for kind in rule.models where kind.model.name != description.name {
      switch kind.model {
      case .type(let model): add(model, kind.kinds, rule)
      case .name(let name):
        if let model = rules.models?(name) { add(model, kind.kinds, rule) }
      }
    }
    for kind in kinds { addFaults(of: kind) }
    guard faults.isEmpty else { return }
    finishKinds()
  }

  private mutating func checkKindMappings(_ rule: KindRule) {
    var known: Set<String> = []
    for given in rules.kindMappings {
      let name = given.model.name
      if name == description.name {
        fault("the mapping of the records that are a \(name) is this one")
      } else if !rule.models.contains(where: { $0.model.name == name }) {
        fault("a mapping is given for \(name), which is none of the kinds")
      } else if !known.insert(name).inserted {
        fault("two mappings are given for \(name)")
      }
    }
  }

  private mutating func add<Kind: PrimaryKeyed>(
    _ model: Kind.Type, _ texts: [String], _ rule: KindRule
  ) {
    let name = Kind.entity.written.name
    guard let above = Self.entities(from: model) else {
      return fault("\(name) is no subentity of \(description.name)")
    }
    guard var own = kindRules(of: model) else {
      return fault(
        "the hooks after and afterWriting take a \(description.name), and no \(name); give \(name) "
          + "a mapping of its own")
    }
    own.kind = KindRule(member: rule.member, kinds: texts, otherwise: .keep)
    own.kindMappings = []
    own.models = rules.models
    own.list = rules.list
    own.keyedBy = rules.keyedBy.flatMap { self.name(of: $0) }.map { .name($0) }
    var inherited: [any InheritedPlan<Kind>] = []
    for owner in above {
      if let plan = links(of: owner, in: model) { inherited.append(plan) }
    }
    own.beside = MembersBeside(inherited)
    kinds.append(
      SubentityPlan<Model, Kind>(
        depth: above.count, texts: texts, rules: own, inherited: inherited))
  }

  private mutating func addFaults<Kind: KindPlan>(of kind: Kind) {
    do {
      _ = try kind.mapping.plan
    } catch let error as StoreError {
      for fault in error.failures.isEmpty ? [error] : error.failures where !faults.contains(fault) {
        faults.append(fault)
      }
    } catch {}
  }

  /// The entities from the parent of a model up to the mapping's model; nil if it is not above.
  private static func entities<Kind: PrimaryKeyed>(
    from model: Kind.Type
  ) -> [any PrimaryKeyed.Type]? {
    var above: [any PrimaryKeyed.Type] = []
    var next = Kind.entity.parentModel
    while let parent = next as? any PrimaryKeyed.Type, above.count < 100 {
      above.append(parent)
      if parent == Model.self { return above }
      next = Self.parent(of: parent)
    }
    return nil
  }

  private static func parent<Other: Persistable>(of model: Other.Type) -> (any Persistable.Type)? {
    Other.entity.parentModel
  }

  /// The rules for the records of a kind: those that were given, those of its model, or these; nil
  /// where these have a hook that does not take its objects.
  private func kindRules<Kind: PrimaryKeyed>(of model: Kind.Type) -> MappingRules<Kind>? {
    let name = Kind.entity.written.name
    switch rules.kindMappings.first(where: { $0.model.name == name })?.mapping {
    case .mapping(let mapping): if let own = mapping as? JSONMapping<Kind> { return own.rules }
    case .data(let data): return JSONMapping<Kind>(data).rules
    case nil: break
    }
    if let own = ImportOptions<Kind>.ownMapping { return own.rules }
    guard rules.after.isEmpty, rules.afterWriting.isEmpty else { return nil }
    return inheritedRules(of: model)
  }

  /// These rules for a subentity, by the names of its attributes.
  private func inheritedRules<Kind: PrimaryKeyed>(of model: Kind.Type) -> MappingRules<Kind> {
    var own = MappingRules<Kind>(names: rules.names, unknown: rules.unknown)
    func attribute(_ property: MappedProperty) -> String? {
      position(of: property).map { description.attributes[$0].name }
        ?? embeddedStruct(of: property)?.name
    }
    own.fields = rules.fields.compactMap { rule in
      attribute(rule.property).map {
        FieldRule(
          property: .name($0), sources: rule.sources, format: rule.format, onNull: rule.onNull,
          onAbsent: rule.onAbsent, direction: rule.direction)
      }
    }
    own.selections = rules.selections.compactMap { selection in
      let names = selection.properties.compactMap { name(of: $0) }
      // Of the only ones, those that the subentity adds are none.
      let leftOut =
        selection.isOnly
        ? description.attributes.prefix(declaredCount).map(\.name)
          .filter { !selection.selects($0, names) }
        : selection.properties.compactMap { attribute($0) }
      return leftOut.isEmpty
        ? nil
        : .init(
          properties: leftOut.map { .name($0) }, isOnly: false, direction: selection.direction)
    }
    own.writesNulls = rules.writesNulls
    own.before = rules.before
    return own
  }

  /// The relationships of an entity above a kind; nil if none take part.
  private mutating func links<Owner: PrimaryKeyed, Kind: PrimaryKeyed>(
    of owner: Owner.Type, in model: Kind.Type
  ) -> (any InheritedPlan<Kind>)? {
    let names = Owner.entity.relationships.map(\.declaration.name)
    if names.isEmpty { return nil }
    guard var own = self.rules as? MappingRules<Owner> ?? kindRules(of: owner) else { return nil }
    own.fields = []
    own.kind = nil
    own.kindMappings = []
    own.models = self.rules.models
    (own.list, own.keyedBy, own.unknown) = (.array, nil, .ignore)
    (own.after, own.afterWriting) = ([], [])
    own.selections.append(
      .init(properties: names.map { .name($0) }, isOnly: true, direction: .always))
    // Its faults are found with the mapping that it is a part of.
    guard let plan = InheritedLinks<Kind, Owner>(own), !plan.isEmpty else { return nil }
    return plan
  }

  /// Makes members that other kinds alone read known to the kinds that refuse unknown ones.
  private mutating func finishKinds() {
    guard rules.unknown == .refuse || kinds.contains(where: \.isStrict) else { return }
    let paths = [readPaths] + kinds.map(\.readPaths)
    for path in paths[1...].joined() where !Self.overlaps(path, readPaths) {
      reading.add(path[...], .otherKind)
    }
    for (index, kind) in kinds.enumerated() {
      let own = paths[index + 1]
      let others = paths.enumerated().filter { $0.offset != index + 1 }.flatMap(\.element)
      kinds[index] = kind.knowing(others.filter { !Self.overlaps($0, own) })
    }
  }

  /// The paths that attributes and relationships are read from.
  private var readPaths: [[PathStep]] { columns.flatMap(\.sources) + links.flatMap(\.sources) }

  private static func overlaps(_ path: [PathStep], _ others: [[PathStep]]) -> Bool {
    others.contains { $0.starts(with: path) || path.starts(with: $0) }
  }
}

extension KindRule {
  /// The path of the member; nil for a text that is none.
  var path: [PathStep]? {
    JSONKeyPath.steps(of: member).flatMap { $0.contains(.each) ? nil : $0 }
  }

  /// The text that is written for a model; nil if none stands for it.
  func text(of entity: String) -> String? {
    models.isEmpty
      ? kinds.first : models.first { $0.model.name == entity }.flatMap { $0.kinds.first }
  }
}

extension MembersBeside {
  /// The members of the relationships that a kind inherits.
  fileprivate init<Kind>(_ inherited: [any InheritedPlan<Kind>]) {
    var count = 0
    for plan in inherited {
      read += plan.readPaths
      written += plan.writtenPaths.map { ($0.path, count + $0.link) }
      count += plan.linkCount
    }
  }
}
