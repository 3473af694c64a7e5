internal import ORM

extension ModelDraft {
  /// Adds the members beside the mapping's own, and the one that names the kind of a record.
  func addKindAndBeside() {
    for path in rules.beside.read { reading.add(path[...], .elsewhere) }
    for path in rules.beside.others { reading.add(path[...], .otherKind) }
    for member in rules.beside.written
    where !writing.add(member.path[...], .link(links.count + member.link)) {
      fault("\(JSONKeyPath.text(of: member.path)) is written for a relationship of its parent too")
    }
    addKind()
    if rules.kind == nil, !rules.kindMappings.isEmpty {
      fault("a mapping is given for a kind, but the mapping names no models of kinds")
    }
  }

  /// Adds the mappings of the kinds, whose faults are faults of this one.
  func addKinds() {
    guard let rule = rules.kind, !rule.models.isEmpty, rule.path != nil else { return }
    if !(Model.self is any PrimaryKeyed.Type) {
      fault("records of several kinds need a model with a primary key")
    }
    checkKindMappings(rule)
    for kind in rule.models where kind.model.name != entity.name {
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

  private func checkKindMappings(_ rule: KindRule) {
    var known: Set<String> = []
    for given in rules.kindMappings {
      let name = given.model.name
      if name == entity.name {
        fault("the mapping of the records that are a \(name) is this one")
      } else if !rule.models.contains(where: { $0.model.name == name }) {
        fault("a mapping is given for \(name), which is none of the kinds")
      } else if !known.insert(name).inserted {
        fault("two mappings are given for \(name)")
      }
    }
  }

  private func add<Kind: PrimaryKeyed>(
    _ model: Kind.Type, _ texts: [String], _ rule: KindRule
  ) {
    let name = Kind.entity.written.name
    guard let above = Self.entities(from: model) else {
      return fault("\(name) is no subentity of \(entity.name)")
    }
    guard let mapping = kindMapping(of: model) else {
      return fault(
        "the hooks after and afterWriting take a \(entity.name), and no \(name); give \(name) "
          + "a mapping of its own")
    }
    var inherited: [any InheritedPlan<Kind>] = []
    for owner in above {
      if let plan = links(of: owner, in: model) { inherited.append(plan) }
    }
    let own = mapping.adding {
      $0.kind = KindRule(member: rule.member, kinds: texts, otherwise: .keep)
      $0.kindMappings = []
      ($0.models, $0.list, $0.keyedBy) = (rules.models, rules.list, rules.keyedBy)
      $0.beside = MembersBeside(inherited)
    }
    kinds.append(
      SubentityPlan<Model, Kind>(
        depth: above.count, texts: texts, mapping: own, inherited: inherited))
  }

  private func addFaults<Kind: KindPlan>(of kind: Kind) {
    do {
      _ = try kind.mapping.plan
    } catch let error as StoreError {
      for fault in error.failures.isEmpty ? [error] : error.failures { add(fault) }
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

  /// The mapping of the records of a kind: the one that was given, that of its model, or one with these
  /// rules; nil where these have a hook that does not take its objects.
  private func kindMapping<Kind: PrimaryKeyed>(of model: Kind.Type) -> JSONMapping<Kind>? {
    let name = Kind.entity.written.name
    switch rules.kindMappings.first(where: { $0.model.name == name })?.mapping {
    case .mapping(let mapping): if let own = mapping as? JSONMapping<Kind> { return own }
    case .data(let data): return JSONMapping(data)
    case nil: break
    }
    return ImportOptions<Kind>.ownMapping ?? (hooks.isEmpty ? JSONMapping(rulesOfSubentity) : nil)
  }

  /// The relationships of an entity above a kind; nil if none take part.
  private func links<Owner: PrimaryKeyed, Kind: PrimaryKeyed>(
    of owner: Owner.Type, in model: Kind.Type
  ) -> (any InheritedPlan<Kind>)? {
    let names = Owner.entity.relationships.map(\.declaration.name)
    if names.isEmpty { return nil }
    guard var own = Owner.self == Model.self ? rules : kindMapping(of: owner)?.rules else {
      return nil
    }
    own.fields = []
    own.kind = nil
    own.kindMappings = []
    own.models = rules.models
    (own.list, own.keyedBy, own.unknown) = (.array, nil, .ignore)
    own.selections.append(
      .init(properties: names.map { .name($0) }, isOnly: true, direction: .always))
    // Its faults are found with the mapping that it is a part of.
    return InheritedLinks<Kind, Owner>(own)
  }

  /// Makes members that other kinds alone read known to the kinds that refuse unknown ones.
  private func finishKinds() {
    guard rules.unknown == .refuse || kinds.contains(where: \.isStrict) else { return }
    let paths = [readPaths] + kinds.map(\.readPaths)
    addOthers(Array(paths[1...].joined()), beside: readPaths)
    for (index, kind) in kinds.enumerated() {
      let own = paths[index + 1]
      let others = paths.enumerated().filter { $0.offset != index + 1 }.flatMap(\.element)
      kinds[index] = kind.knowing(others.filter { !Self.overlaps($0, own) })
    }
  }

  /// The paths that attributes and relationships are read from.
  private var readPaths: [[PathStep]] { columns.flatMap(\.sources) + links.flatMap(\.sources) }
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
