internal import ORM

extension JSONMapping {
  /// Makes a mapping of data.
  ///
  /// ```swift
  /// let data = DynamicMapping(fields: ["name": .init(from: ["title"])])
  /// let mapping = JSONMapping<Snack>(data)
  /// ```
  ///
  /// Names that are no properties of the model are faults when the mapping is checked.
  ///
  /// - Parameter data: the rules.
  public init(_ data: DynamicMapping) {
    var rules = MappingRules<Model>(names: data.names.strategy, unknown: data.unknown)
    let always = DynamicMapping.Part(
      fields: data.fields, links: data.links, only: data.only, leaveOut: data.leaveOut)
    rules.add(always, .always)
    rules.add(data.reading, .reading)
    rules.add(data.writing, .writing)
    for (name, member) in data.counts.sorted(by: { $0.key < $1.key }) {
      rules.links.append(
        LinkRule(
          property: .name(name), sources: [member], form: .count, mapping: nil,
          direction: .writing))
    }
    rules.kind = data.kind.map { KindRule($0) }
    for entity in data.kind?.entities ?? [] {
      guard let mapping = entity.mapping else { continue }
      rules.kindMappings.append(KindMapping(model: .name(entity.name), mapping: .data(mapping)))
    }
    rules.list =
      switch data.list {
      case .array: .array
      case .oneOrMany: .oneOrMany
      case .keyed: .keyed
      }
    rules.keyedBy = data.keyedBy.map { .name($0) }
    rules.writesNulls = !data.leavesOutNulls
    self.init(rules)
  }
}

extension JSONMapping: Codable {
  /// Decodes a mapping from the form of ``DynamicMapping``.
  public init(from decoder: any Decoder) throws {
    self.init(try DynamicMapping(from: decoder))
  }

  /// Encodes the mapping in the form of ``DynamicMapping``.
  ///
  /// - Throws: `invalidMapping` for a mapping with faults, and for a rule that is made of closures,
  ///   which the message names.
  public func encode(to encoder: any Encoder) throws {
    try data().encode(to: encoder)
  }
}

extension DynamicMapping.Names {
  var strategy: NamingStrategy { self == .asIs ? .asIs : .snakeCase }
}

extension MappingRules {
  /// Adds the rules of data that hold in a direction.
  fileprivate mutating func add(_ part: DynamicMapping.Part, _ direction: JSONDirection) {
    for (name, field) in part.fields.sorted(by: { $0.key < $1.key }) {
      fields.append(
        FieldRule(
          property: .name(name), sources: field.from, format: FieldFormat(field.form),
          onNull: field.onNull, onAbsent: field.onAbsent, direction: direction))
    }
    for (name, link) in part.links.sorted(by: { $0.key < $1.key }) {
      let form: LinkForm =
        switch link.nesting {
        case .save: .objects
        case .saveMissing: .missingObjects
        case .link: .linkedObjects
        case .key: .keys(FieldFormat(link.form))
        case .linkBy: .attribute(.name(link.by ?? ""), FieldFormat(link.form))
        }
      links.append(
        LinkRule(
          property: .name(name), sources: link.from, form: form,
          mapping: link.mapping.map { .data($0) }, unlisted: link.missing,
          order: link.order, direction: direction))
    }
    if let only = part.only {
      selections.append(
        Selection(properties: only.map { .name($0) }, isOnly: true, direction: direction))
    }
    if !part.leaveOut.isEmpty {
      selections.append(
        Selection(
          properties: part.leaveOut.map { .name($0) }, isOnly: false, direction: direction))
    }
  }
}

// MARK: - Encoding

extension JSONMapping: DataMapping {
  func data() throws -> DynamicMapping {
    try check()
    var maker = DataMaker(rules)
    return try maker.data()
  }

  func data(_ closures: inout [String]) throws -> DynamicMapping {
    try check()
    var maker = DataMaker(rules)
    maker.closures = []
    let data = try maker.data()
    closures += maker.closures ?? []
    return data
  }

  /// The rules as a text, equal for equal mappings alone; of closures, their number and names.
  var identityText: String {
    var closures: [String] = []
    let data = try? data(&closures)
    let text = data.flatMap { try? JSONCoding.encode($0) } ?? ""
    return closures.isEmpty ? text : text + " " + closures.joined(separator: ",")
  }
}

/// Makes the data of a mapping without faults.
private struct DataMaker<Model: Persistable> {
  private let rules: MappingRules<Model>
  private let draft: MappingDraft<Model>
  private var always = DynamicMapping.Part()
  private var reading = DynamicMapping.Part()
  private var writing = DynamicMapping.Part()
  /// The closures that were left out; nil where they are faults.
  var closures: [String]?

  init(_ rules: MappingRules<Model>) {
    self.rules = rules
    draft = MappingDraft(rules)
  }

  private func fault(_ message: String, _ attribute: String? = nil) -> StoreError {
    StoreError(
      .invalidMapping, message, entity: draft.description.name,
      attributes: attribute.map { [$0] } ?? [])
  }

  private mutating func change(
    _ direction: JSONDirection, _ body: (inout DynamicMapping.Part) -> Void
  ) {
    switch direction {
    case .always: body(&always)
    case .reading: body(&reading)
    case .writing: body(&writing)
    }
  }

  mutating func data() throws -> DynamicMapping {
    for (hooks, name) in [
      (rules.before.count, "before"), (rules.after.count, "after"),
      (rules.afterWriting.count, "afterWriting"),
    ] where hooks > 0 {
      if closures == nil { throw fault("the rule '\(name)' is a closure, which is no data") }
      closures? += ["\(name) \(hooks)"]
    }
    if rules.names.attributeForm == nil {
      if closures == nil {
        throw fault("the strategy of names is made of closures, which are no data")
      }
      closures? += ["names"]
    }
    let names = rules.names.attributeForm ?? .asIs
    for rule in rules.fields { try add(rule) }
    var counts: [String: String] = [:]
    for rule in rules.links {
      let name = draft.name(of: rule.property) ?? ""
      if case .count = rule.form { counts[name] = rule.sources.first } else { try add(rule, name) }
    }
    for selection in rules.selections { add(selection) }
    let list: DynamicMapping.List =
      switch rules.list {
      case .array: .array
      case .oneOrMany: .oneOrMany
      case .keyed: .keyed
      }
    return DynamicMapping(
      fields: always.fields, links: always.links, only: always.only, leaveOut: always.leaveOut,
      reading: reading, writing: writing, unknown: rules.unknown,
      names: names == .asIs ? .asIs : .snakeCase, counts: counts,
      kind: try rules.kind.map { try kind($0) },
      list: list, keyedBy: rules.keyedBy.flatMap { draft.name(of: $0) },
      leavesOutNulls: !rules.writesNulls)
  }

  private mutating func data(of mapping: any DataMapping) throws -> DynamicMapping {
    guard var known = closures else { return try mapping.data() }
    defer { closures = known }
    return try mapping.data(&known)
  }

  private mutating func kind(_ rule: KindRule) throws -> DynamicMapping.Kind {
    if rule.models.isEmpty {
      return .init(in: rule.member, rule.kinds, otherwise: rule.otherwise)
    }
    let entities = try rule.models.map { kind in
      let name = kind.model.name
      var mapping: DynamicMapping?
      switch rules.kindMappings.first(where: { $0.model.name == name })?.mapping {
      case .mapping(let given): mapping = try data(of: given)
      case .data(let data): mapping = data
      case nil:
        if case .type(let model) = kind.model, name != draft.description.name {
          mapping = try ownMapping(of: model)
        }
      }
      return DynamicMapping.KindEntity(name, kind.kinds, mapping: mapping)
    }
    return .init(in: rule.member, entities: entities, otherwise: rule.otherwise)
  }

  private mutating func ownMapping<Kind: PrimaryKeyed>(
    of model: Kind.Type
  ) throws -> DynamicMapping? {
    try ImportOptions<Kind>.ownMapping.map { try data(of: $0) }
  }

  private mutating func add(_ rule: FieldRule) throws {
    let name = draft.name(of: rule.property) ?? ""
    var form: JSONForm?
    if let position = draft.position(of: rule.property) {
      form = try self.form(rule.format, draft.description.attributes[position].type, name)
    }
    let field = DynamicMapping.Field(
      from: rule.sources, as: form, onNull: rule.onNull, onAbsent: rule.onAbsent)
    change(rule.direction) { $0.fields[name] = field }
  }

  private mutating func form(
    _ format: FieldFormat, _ type: AttributeType, _ name: String
  ) throws -> JSONForm? {
    if closures != nil, case .custom(let custom) = format {
      closures? += ["\(name) \(custom.name)"]
      return nil
    }
    do {
      return try format.form(of: type)
    } catch let error as StoreError {
      throw fault(error.message, name)
    }
  }

  private mutating func add(_ rule: LinkRule, _ name: String) throws {
    guard let end = draft.relationship(of: rule.property) else { return }
    let target = Self.entity(of: end)
    var link = DynamicMapping.Link(
      from: rule.sources, order: rule.order, missing: rule.unlisted)
    switch rule.form {
    case .objects, .standard, .count: link.nesting = .save
    case .missingObjects: link.nesting = .saveMissing
    case .linkedObjects: link.nesting = .link
    case .keys(let format):
      link.nesting = .key
      let key = target.key.first.flatMap { target.position(of: $0) }
      link.form = try key.flatMap { try form(format, target.attributes[$0].type, name) }
    case .attribute(let property, let format):
      link.nesting = .linkBy
      guard let position = Self.position(of: property, end) else { break }
      link.by = target.attributes[position].name
      link.form = try form(format, target.attributes[position].type, name)
    }
    switch rule.mapping {
    case .mapping(let mapping): link.mapping = try data(of: mapping)
    case .data(let data): link.mapping = data
    case nil: break
    }
    change(rule.direction) { [link] in $0.links[name] = link }
  }

  private static func entity<End: RelationshipEnd>(of end: End) -> EntityDescription {
    End.Target.entity.description
  }

  private static func position<End: RelationshipEnd>(
    of property: MappedProperty, _ end: End
  ) -> Int? {
    End.Target.entity.position(of: property)
  }

  /// Adds a list of properties that take part, or do not; of several lists of the only ones, all but
  /// the first become lists of those that are left out.
  private mutating func add(_ selection: MappingRules<Model>.Selection) {
    let names = selection.properties.compactMap { draft.name(of: $0) }
    let direction = selection.direction
    if !selection.isOnly {
      return change(direction) {
        $0.leaveOut += names.filter { [known = $0.leaveOut] in !known.contains($0) }
      }
    }
    var isFirst = false
    change(direction) { part in
      isFirst = part.only == nil
      if isFirst { part.only = names }
    }
    if isFirst { return }
    let others = properties.filter { !selection.selects($0, names) }
    change(direction) { part in
      part.leaveOut += others.filter { !part.leaveOut.contains($0) }
    }
  }

  /// The names of all attributes and relationships.
  private var properties: [String] {
    draft.description.attributes.prefix(draft.declaredCount).map(\.name)
      + Model.entity.relationships.map(\.declaration.name)
  }
}

extension Entity {
  /// The position of the attribute that a rule names.
  func position(of property: MappedProperty) -> Int? {
    switch property {
    case .path(let path): position(of: path)
    case .name(let name): description.position(of: name)
    }
  }
}

extension MappingRules.Selection {
  /// Returns whether the list lets a property take part, of which these are the names.
  func selects(_ name: String, _ names: [String]) -> Bool {
    let isNamed = names.contains { name == $0 || name.hasPrefix($0 + ".") }
    // An attribute of a struct that may be nil brings the mark of the struct with it.
    let isAround = names.contains { $0.hasPrefix(name + ".") }
    return isOnly ? isNamed || isAround : !isNamed
  }
}
