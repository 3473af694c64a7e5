internal import ORM

/// The mapping of an entity's rows while it is being checked and worked out.
struct DynamicDraft {
  private let mapping: DynamicMapping
  /// True if the mapping was made of that of an entity above, where its names were checked.
  private let isDerived: Bool
  /// The mapping of the relationships of entities above.
  private let above: DynamicMapping
  let whole: DynamicEntity
  let entity: EntityDescription
  private let isReading: Bool
  private let target: (String) -> EntityDescription?
  /// The to-ones whose keys are attributes, by these.
  private var owners: [String: (link: RelationshipDescription, part: Int)] = [:]
  private var structPaths: [String: [PathStep]] = [:]
  /// The marks of embedded structs that may be nil.
  private let marks: Set<String>
  private var faults: [StoreError] = []
  let tree = PathTree()
  private(set) var columns: [ColumnPlan] = []
  private(set) var writing = WriteTree.empty
  private(set) var keyColumn: Int?
  private(set) var kind: KindRule?
  private(set) var lookups: [DynamicPlan.Lookup] = []

  init(
    _ mapping: DynamicMapping, _ whole: DynamicEntity, _ direction: JSONDirection,
    above: DynamicMapping? = nil, isDerived: Bool = false,
    _ target: @escaping (String) -> EntityDescription?
  ) {
    self.mapping = mapping
    self.above = above ?? mapping
    self.isDerived = isDerived
    self.whole = whole
    entity = whole.description
    self.target = target
    isReading = direction == .reading
    let all = entity.attributes.map(\.name)
    marks = Set(all.filter { mark in all.contains { $0.hasPrefix(mark + ".") } })
    for relationship in entity.relationships where !relationship.isToMany {
      guard case .own(let keys, position: _)? = relationship.storage else { continue }
      for (part, key) in keys.enumerated() { owners[key] = (relationship, part) }
    }
  }

  private mutating func fault(_ message: String, _ name: String) {
    faults.append(
      StoreError(.invalidMapping, message, entity: entity.name, attributes: [name]))
  }

  func throwFaults() throws {
    guard let first = faults.first else { return }
    if faults.count == 1 { throw first }
    throw StoreError(
      .invalidMapping, "the mapping has \(faults.count) faults", entity: entity.name,
      failures: faults)
  }

  /// The embedded structs that may be nil.
  ///
  /// A missing part of one is null here, and the save fills or refuses it.
  var structs: [RecordPlan.OptionalStruct] {
    entity.attributes.indices.filter { marks.contains(entity.attributes[$0].name) }.map { mark in
      let prefix = entity.attributes[mark].name + "."
      return RecordPlan.OptionalStruct(
        mark: mark,
        columns: entity.attributes.indices
          .filter { entity.attributes[$0].name.hasPrefix(prefix) }.map { ($0, .value(.null)) })
    }
  }

  // MARK: - Names

  /// The mapping whose rules a property has.
  private func mapping(of name: String) -> DynamicMapping {
    whole.inherited.contains(name) ? above : mapping
  }

  /// The rules of the direction that a property has.
  private func part(of name: String) -> DynamicMapping.Part {
    isReading ? mapping(of: name).reading : mapping(of: name).writing
  }

  /// The JSON name of a name, by the mapping of a property.
  private func member(_ name: some StringProtocol, of property: String) -> PathStep {
    .name(mapping(of: property).names.strategy.attributeName(String(name)))
  }

  /// A struct's attributes have the names of its object and of their own.
  private func standardPath(of name: String) -> [PathStep] {
    var known = ""
    return name.split(separator: ".").reduce(into: []) { path, part in
      known += (known.isEmpty ? "" : ".") + part
      path = structPaths[known] ?? path + [member(part, of: name)]
    }
  }

  private mutating func steps(of source: String, _ name: String) -> [PathStep]? {
    if let steps = JSONKeyPath.steps(of: source) { return steps }
    fault("'\(source)' is not a path into JSON, such as price.amount or lines[0]", name)
    return nil
  }

  private func isAttribute(_ name: String) -> Bool {
    entity.position(of: name) != nil && !whole.inherited.contains(name)
  }

  private func isLink(_ name: String) -> Bool {
    entity.relationship(named: name) != nil && !whole.inherited.contains(name)
  }

  private func isStruct(_ name: String) -> Bool { entity.names(inStruct: name) != nil }

  /// Returns whether a property takes part, by the lists of those that do or do not.
  private func isSelected(_ name: String) -> Bool {
    func selects(_ only: [String]?, _ leaveOut: [String]) -> Bool {
      (only.map { isIn($0, name, around: true) } ?? true) && !isIn(leaveOut, name, around: false)
    }
    let (mapping, part) = (mapping(of: name), part(of: name))
    return selects(mapping.only, mapping.leaveOut) && selects(part.only, part.leaveOut)
  }

  /// Returns whether a list names a property, the struct or the link that it is a part of, or, if that
  /// is asked for, a part of it.
  private func isIn(_ names: [String], _ name: String, around: Bool) -> Bool {
    let link = owners[name]?.link.name
    return names.contains {
      name == $0 || link == $0 || name.hasPrefix($0 + ".") || (around && $0.hasPrefix(name + "."))
    }
  }

  private mutating func checkNames() {
    if isDerived { return }
    let parts = [mapping.reading, mapping.writing]
    let fields = Set(mapping.fields.keys).union(parts.flatMap(\.fields.keys))
    for name in fields.sorted() where !isAttribute(name) && !isStruct(name) {
      fault("the mapping names an attribute that the entity has not", name)
    }
    let links = Set(mapping.links.keys).union(parts.flatMap(\.links.keys))
      .union(mapping.counts.keys)
    for name in links.sorted() where !isLink(name) {
      fault("the mapping names a relationship that the entity has not", name)
    }
    for name in Set(parts.flatMap(\.fields.keys)).sorted() where isStruct(name) {
      fault("an embedded struct has one path, both ways, and no transform", name)
    }
    if !isReading {
      for name in mapping.counts.keys.sorted() {
        fault("an export by names writes no numbers of targets", name)
      }
    }
    let selected =
      [mapping.only ?? [], mapping.leaveOut]
      + parts.flatMap { [$0.only ?? [], $0.leaveOut] }
    for name in Set(selected.joined()).sorted()
    where !isAttribute(name) && !isStruct(name) && !isLink(name) {
      fault("the mapping names a property that the entity has not", name)
    }
  }

  private mutating func rule<Rule>(_ all: [String: Rule], _ own: [String: Rule], _ name: String)
    -> Rule?
  {
    if all[name] != nil, own[name] != nil {
      fault("two rules \(isReading ? "read" : "write") one property", name)
    }
    return own[name] ?? all[name]
  }

  // MARK: - Attributes

  mutating func makeColumns() {
    checkNames()
    for (name, field) in mapping.fields where isStruct(name) {
      guard field.from.count == 1, field.form == nil, let steps = steps(of: field.from[0], name)
      else {
        fault("an embedded struct has one path, both ways, and no transform", name)
        continue
      }
      structPaths[name] = steps
    }
    if let key = mapping.keyedBy {
      keyColumn = entity.position(of: key)
      let kind = keyColumn.map { entity.attributes[$0].type.kind }
      if kind != .string, kind != .int, kind != .uuid {
        fault(
          "the attribute that names the members of a list must be a text, an integer or a UUID", key
        )
      }
    }
    for (position, attribute) in entity.attributes.enumerated() { add(attribute, position) }
    if !isReading {
      for mark in marks where isSelected(mark) {
        if let position = entity.position(of: mark) {
          _ = writing.mark(standardPath(of: mark)[...], with: position)
        }
      }
    }
    for relationship in entity.relationships { check(relationship) }
  }

  private mutating func add(_ attribute: AttributeDescription, _ position: Int) {
    let name = attribute.name
    let isMark = marks.contains(name)
    let field =
      isMark ? nil : rule(mapping(of: name).fields, part(of: name).fields, name)
    var format = FieldFormat.plain
    if let form = field?.form {
      format = FieldFormat(form)
      if let message = format.fault(for: attribute.type) { fault(message, name) }
      do {
        format = try format.resolved(for: attribute.type)
      } catch {
        fault((error as? StoreError)?.message ?? "\(error)", name)
      }
    } else {
      format = Self.format(of: attribute.type)
    }
    if field != nil, let link = owners[name]?.link.name,
      mapping(of: link).links[link] != nil || part(of: link).links[link] != nil
    {
      fault("the key of the link \(link) has a rule of its own, beside that of the link", name)
    }
    let isKey = keyColumn == position
    var paths: [[PathStep]] = []
    if isSelected(name), !isKey, !(isReading && attribute.derived != nil) {
      paths = (field?.from ?? []).compactMap { steps(of: $0, name) }
      if field == nil, let owner = owners[name] {
        (paths, format) = keys(owner.link, owner.part, attribute, format)
      } else if field?.from.isEmpty ?? true {
        paths = [standardPath(of: name)]
      }
    }
    columns.append(
      ColumnPlan(
        attribute, isKeyOf: entity.key.contains(name) ? entity.keySource : nil, format: format,
        onNull: field?.onNull ?? .setNil, onAbsent: field?.onAbsent ?? .keep,
        sources: isReading && !isMark ? paths : []))
    if isReading {
      addReading(paths, attribute, position, isMark: isMark)
    } else if let path = paths.first, !isMark, !writing.add(path[...], .column(position)) {
      fault("\(JSONKeyPath.text(of: path)) is written for something else too", name)
    }
  }

  private mutating func addReading(
    _ paths: [[PathStep]], _ attribute: AttributeDescription, _ position: Int, isMark: Bool
  ) {
    for (rank, path) in paths.prefix(100).enumerated() {
      if path.contains(.each), attribute.type.kind != .array {
        fault("a path with [*] is for an attribute that is an array", attribute.name)
      }
      tree.add(
        path[...], isMark ? .presence(position) : .column(position, rank: UInt8(rank)))
    }
  }

  /// The usual form of a type, as lenient as fields of CSV are read.
  private static func format(of type: AttributeType) -> FieldFormat {
    switch type.kind {
    case .string: .text
    case .int, .unsigned, .double, .decimal: .number(orText: true, writesText: false)
    case .bool: .bool(writesNumber: false)
    case .date: .date([.iso8601, .secondsSince2001])
    default: .plain
    }
  }

  // MARK: - Relationships

  /// The paths and the form of an attribute that is a part of a to-one's key.
  private mutating func keys(
    _ link: RelationshipDescription, _ index: Int, _ attribute: AttributeDescription,
    _ format: FieldFormat
  ) -> ([[PathStep]], FieldFormat) {
    let standard = standardPath(of: attribute.name)
    guard let rule = rule(mapping(of: link.name).links, part(of: link.name).links, link.name),
      let target = target(link.target), target.key.indices.contains(index)
    else { return standardKeys(link, standard, format) }
    var format = format
    var paths = rule.from.compactMap { steps(of: $0, link.name) }
    if paths.isEmpty {
      paths = [[member(rule.nesting == .key ? link.name + "_id" : link.name, of: link.name)]]
    }
    let isWhole = target.key.count == 1
    switch rule.nesting {
    case .key:
      if isWhole, let form = rule.form {
        format = FieldFormat(form)
        if let message = format.fault(for: attribute.type) { fault(message, link.name) }
      }
      if !isWhole, !isReading {
        return (paths.map { $0 + [.name(target.key[index])] }, format)
      }
      return (paths, isWhole ? format : .member([.name(target.key[index])], format))
    case .link:
      if !isReading {
        fault("an export by names writes the key of a target, and not the target", link.name)
      }
      let inner = rule.mapping?.fields[target.key[index]]?.from.first
      let path =
        inner.flatMap { JSONKeyPath.steps(of: $0) } ?? [member(target.key[index], of: link.name)]
      return (paths, .member(path, format))
    case .save, .saveMissing:
      fault(
        isReading
          ? "an import by names saves no nested objects; link them by their keys"
          : "an export by names writes the key of a target, and not the target", link.name)
    case .linkBy:
      if isReading {
        if index == 0 { addLookup(link, rule, target, paths) }
      } else {
        fault("an export by names writes the key of a target, and not the target", link.name)
      }
      return ([], format)
    }
    return (paths, format)
  }

  /// The paths and the form of a link without a rule: its key, or in an import also the target's name
  /// with the key, or with an object that has it.
  private func standardKeys(
    _ link: RelationshipDescription, _ standard: [PathStep], _ format: FieldFormat
  ) -> ([[PathStep]], FieldFormat) {
    let name = [member(link.name, of: link.name)]
    let (mapping, part) = (mapping(of: link.name), part(of: link.name))
    let isElsewhere = (mapping.fields.values.map(\.from) + part.fields.values.map(\.from)).joined()
      .contains { JSONKeyPath.steps(of: $0)?.starts(with: name) == true }
    guard isReading, !isElsewhere, name != standard, let target = target(link.target),
      target.key.count == 1
    else { return ([standard], format) }
    return ([name, standard], .member([member(target.key[0], of: link.name)], format))
  }

  private mutating func addLookup(
    _ link: RelationshipDescription, _ rule: DynamicMapping.Link, _ target: EntityDescription,
    _ paths: [[PathStep]]
  ) {
    guard let name = rule.by, let position = target.position(of: name),
      case .own(let names, position: _)? = link.storage
    else { return fault("the targets are found by what is no attribute of theirs", link.name) }
    pending.append((link, rule, target.attributes[position], names, paths))
  }

  /// The to-ones that are found by an attribute, whose columns come after all others.
  private var pending:
    [(
      link: RelationshipDescription, rule: DynamicMapping.Link, attribute: AttributeDescription,
      names: [String], paths: [[PathStep]]
    )] = []

  /// Refuses rules of relationships that rows do not have, and adds those that are found.
  private mutating func check(_ relationship: RelationshipDescription) {
    let name = relationship.name
    if let found = pending.first(where: { $0.link.name == name }) {
      var format = found.rule.form.map { FieldFormat($0) } ?? Self.format(of: found.attribute.type)
      if let message = format.fault(for: found.attribute.type) { fault(message, name) }
      do {
        format = try format.resolved(for: found.attribute.type)
      } catch {
        fault((error as? StoreError)?.message ?? "\(error)", name)
      }
      let inner = found.rule.mapping?.fields[found.attribute.name]?.from.first
      let path =
        inner.flatMap { JSONKeyPath.steps(of: $0) } ?? [member(found.attribute.name, of: name)]
      var attribute = found.attribute
      attribute.isOptional = true
      attribute.name = name
      let position = columns.count
      columns.append(
        ColumnPlan(
          attribute, isKeyOf: nil, format: .member(path, format), onNull: .setNil, onAbsent: .keep,
          sources: found.paths))
      addReading(found.paths, attribute, position, isMark: false)
      lookups.append(
        DynamicPlan.Lookup(
          relationship: name, target: relationship.target, attribute: found.attribute.name,
          column: position, names: found.names, isRequired: relationship.isRequired))
      return
    }
    let isOwn = if case .own? = relationship.storage { true } else { false }
    guard !isOwn, mapping(of: name).links[name] != nil || part(of: name).links[name] != nil else {
      return
    }
    fault(
      "an import or export by names has the to-ones whose keys are attributes, and no others", name)
  }

  /// Adds the member that names the kind of a record.
  mutating func addKind() {
    guard let given = mapping.kind else { return }
    let kind = KindRule(given)
    guard let path = kind.path, !kind.kinds.isEmpty else {
      return fault("a kind needs a path to a member, and one text or more", "kind")
    }
    self.kind = kind
    var texts: Set<ExactText> = []
    for text in kind.kinds where !texts.insert(text).inserted && !kind.models.isEmpty {
      fault("the text '\(text)' stands for two kinds", "kind")
    }
    if isReading { return tree.add(path[...], .elsewhere) }
    guard let text = kind.text(of: entity.name) else { return }
    if !writing.add(path[...], .text(text)) {
      fault("\(kind.member) is written for something else, and cannot name the kind", "kind")
    }
  }

  /// Compiles the kinds, and throws their faults.
  func kinds(_ rule: DynamicMapping.Kind, _ entities: Schema) throws -> [DynamicKind] {
    let direction = isReading ? JSONDirection.reading : .writing
    func made(_ others: [[[PathStep]]]) throws -> [DynamicKind] {
      let models = KindRule(rule).models.filter { $0.model.name != entity.name }
      return try models.enumerated().map { index, model in
        let name = model.model.name
        guard let whole = DynamicEntity(name, below: entity.name, in: entities) else {
          throw StoreError(
            .invalidMapping, "\(name) is no subentity of \(entity.name)", entity: entity.name,
            attributes: ["kind"])
        }
        let given = rule.entities.first { $0.name == name && $0.mapping != nil }?.mapping
        var own = given ?? ofSubentity
        own.kind = .init(in: rule.member, model.kinds, otherwise: .keep)
        (own.list, own.keyedBy) = (mapping.list, mapping.keyedBy)
        var draft = DynamicDraft(
          own, whole, direction, above: mapping, isDerived: given == nil, target)
        draft.makeColumns()
        draft.addKind()
        for (other, paths) in others.enumerated() where other != index {
          for path in paths { draft.addOther(path) }
        }
        try draft.throwFaults()
        return DynamicKind(texts: model.kinds, plan: DynamicPlan(draft, own))
      }
    }
    let kinds = try made([])
    let own = [columns.flatMap(\.sources)]
    return try made(kinds.map(\.plan.readPaths) + own)
  }

  /// The mapping for a subentity, whose own attributes no list of the only ones leaves out.
  private var ofSubentity: DynamicMapping {
    var own = mapping
    own.counts = [:]
    func leftOut(_ only: [String]?) -> [String] {
      guard let only else { return [] }
      return entity.attributes.map(\.name).filter { !isIn(only, $0, around: true) }
    }
    (own.only, own.leaveOut) = (nil, mapping.leaveOut + leftOut(mapping.only))
    (own.reading.only, own.reading.leaveOut) = (
      nil, mapping.reading.leaveOut + leftOut(mapping.reading.only)
    )
    (own.writing.only, own.writing.leaveOut) = (
      nil, mapping.writing.leaveOut + leftOut(mapping.writing.only)
    )
    return own
  }

  /// Makes a member known that other kinds alone read, and that must be null.
  func addOther(_ path: [PathStep]) {
    guard mapping.unknown == .refuse, isReading else { return }
    let isRead = columns.flatMap(\.sources).contains {
      $0.starts(with: path) || path.starts(with: $0)
    }
    if !isRead { tree.add(path[...], .otherKind) }
  }
}
