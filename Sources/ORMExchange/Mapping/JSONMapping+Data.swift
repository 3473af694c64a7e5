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
    self.init(MappingRules(data))
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
  /// Makes the rules of data.
  init(_ data: DynamicMapping) {
    self.init(names: data.names.strategy, unknown: data.unknown)
    let always = DynamicMapping.Part(
      fields: data.fields, links: data.links, only: data.only, leaveOut: data.leaveOut)
    add(always, .always)
    add(data.reading, .reading)
    add(data.writing, .writing)
    for (name, member) in data.counts.sorted(by: { $0.key < $1.key }) {
      links.append(
        LinkRule(
          property: .name(name), sources: [member], form: .count, mapping: nil,
          direction: .writing))
    }
    kind = data.kind.map { KindRule($0) }
    for entity in data.kind?.entities ?? [] {
      guard let mapping = entity.mapping else { continue }
      kindMappings.append(KindMapping(model: .name(entity.name), mapping: .data(mapping)))
    }
    list = data.list
    keyedBy = data.keyedBy.map { .name($0) }
    writesNulls = !data.leavesOutNulls
  }

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
  func data(_ closures: inout [MappingClosure]) throws -> DynamicMapping {
    try check()
    var maker = DataMaker(self, closures)
    defer { closures = maker.closures }
    return try maker.data()
  }

  /// The rules as a text, equal for equal mappings alone; of closures, their number and names.
  var identityText: String {
    var closures: [MappingClosure] = []
    let data = try? data(&closures)
    let text = data.flatMap { try? JSONCoding.encode($0) } ?? ""
    return closures.isEmpty ? text : text + " " + closures.map(\.name).joined(separator: ",")
  }
}

extension DataMapping {
  /// The mapping as data.
  ///
  /// - Throws: `invalidMapping` for a rule with a closure.
  func data() throws -> DynamicMapping {
    var closures: [MappingClosure] = []
    let data = try data(&closures)
    if let first = closures.first { throw first.fault }
    return data
  }
}

/// A part of a mapping that is made of closures, and so no data.
struct MappingClosure {
  /// The part in an identity of the mapping.
  let name: String
  let fault: StoreError
}

/// Makes the data of a mapping without faults, and lists its closures, which are left out.
private struct DataMaker<Model: Persistable> {
  private let rules: MappingRules
  private let hooks: MappingHooks<Model>
  private let entity = Model.entity.description
  private var parts: [JSONDirection: DynamicMapping.Part] = [:]
  private(set) var closures: [MappingClosure]

  init(_ mapping: JSONMapping<Model>, _ closures: [MappingClosure]) {
    rules = mapping.rules.named(in: Model.self)
    hooks = mapping.hooks
    self.closures = closures
  }

  private mutating func addClosure(_ name: String, _ message: String, _ attribute: String? = nil) {
    let fault = StoreError(
      .invalidMapping, message, entity: entity.name, attributes: attribute.map { [$0] } ?? [])
    closures.append(MappingClosure(name: name, fault: fault))
  }

  mutating func data() throws -> DynamicMapping {
    for (hooks, name) in [
      (rules.before.count, "before"), (hooks.after.count, "after"),
      (hooks.afterWriting.count, "afterWriting"),
    ] where hooks > 0 {
      addClosure("\(name) \(hooks)", "the rule '\(name)' is a closure, which is no data")
    }
    if rules.names.attributeForm == nil {
      addClosure("names", "the strategy of names is made of closures, which are no data")
    }
    for rule in rules.fields { try add(rule) }
    for rule in rules.links where !rule.isCount { try add(rule) }
    for selection in rules.selections { add(selection) }
    let always = parts[.always] ?? .init()
    return DynamicMapping(
      fields: always.fields, links: always.links, only: always.only, leaveOut: always.leaveOut,
      reading: parts[.reading] ?? .init(), writing: parts[.writing] ?? .init(),
      unknown: rules.unknown,
      names: rules.names.attributeForm ?? .asIs == .asIs ? .asIs : .snakeCase,
      counts: Dictionary(
        rules.links.filter(\.isCount).map { ($0.property.name ?? "", $0.sources.first ?? "") },
        uniquingKeysWith: { $1 }),
      kind: try rules.kind.map { try kind($0) }, list: rules.list, keyedBy: rules.keyedBy?.name,
      leavesOutNulls: !rules.writesNulls)
  }

  private mutating func kind(_ rule: KindRule) throws -> DynamicMapping.Kind {
    if rule.models.isEmpty {
      return .init(in: rule.member, rule.kinds, otherwise: rule.otherwise)
    }
    let entities = try rule.models.map { kind in
      let name = kind.model.name
      var mapping = rules.kindMappings.first { $0.model.name == name }?.mapping
      if mapping == nil, case .type(let model) = kind.model, name != entity.name {
        mapping = Self.ownMapping(of: model)
      }
      return DynamicMapping.KindEntity(name, kind.kinds, mapping: try data(of: mapping))
    }
    return .init(in: rule.member, entities: entities, otherwise: rule.otherwise)
  }

  private static func ownMapping<Kind: PrimaryKeyed>(of model: Kind.Type) -> TargetMapping? {
    ImportOptions<Kind>.ownMapping.map { .mapping($0) }
  }

  private mutating func data(of mapping: TargetMapping?) throws -> DynamicMapping? {
    switch mapping {
    case .mapping(let mapping): try mapping.data(&closures)
    case .data(let data): data
    case nil: nil
    }
  }

  private mutating func add(_ rule: FieldRule) throws {
    let name = rule.property.name ?? ""
    let form = try entity.position(of: name).flatMap {
      try self.form(rule.format, entity.attributes[$0].type, name)
    }
    parts[rule.direction, default: .init()].fields[name] = DynamicMapping.Field(
      from: rule.sources, as: form, onNull: rule.onNull, onAbsent: rule.onAbsent)
  }

  private mutating func form(
    _ format: FieldFormat, _ type: AttributeType, _ name: String
  ) throws -> JSONForm? {
    if case .custom(let custom) = format {
      addClosure(
        "\(name) \(custom.name)",
        "the transform '\(custom.name)' is made of closures, which are no data", name)
      return nil
    }
    do {
      return try format.form(of: type)
    } catch let error as StoreError {
      throw StoreError(
        .invalidMapping, error.message, entity: entity.name, attributes: [name])
    }
  }

  private mutating func add(_ rule: LinkRule) throws {
    let name = rule.property.name ?? ""
    guard let end = Model.entity.relationships.first(where: { $0.declaration.name == name }) else {
      return
    }
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
    link.mapping = try data(of: rule.mapping)
    parts[rule.direction, default: .init()].links[name] = link
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
  private mutating func add(_ selection: MappingRules.Selection) {
    var names = selection.properties.compactMap(\.name)
    var part = parts[selection.direction] ?? .init()
    defer { parts[selection.direction] = part }
    if selection.isOnly {
      guard part.only != nil else { return part.only = names }
      names = properties.filter { !selection.selects($0) }
    }
    part.leaveOut += names.filter { !part.leaveOut.contains($0) }
  }

  /// The names of all attributes and relationships.
  private var properties: [String] {
    Model.entity.written.attributes.map(\.name)
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
