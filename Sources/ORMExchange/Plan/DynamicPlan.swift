internal import ORM

/// The mapping of an entity's rows by names, worked out.
struct DynamicPlan {
  let record: RecordPlan
  let writing: WriteTree
  let writesNulls: Bool
  let list: ListForm
  let kind: KindRule?
  /// The to-ones that are found by an attribute of their targets.
  let lookups: [Lookup]

  /// A to-one that is found by an attribute of its target.
  struct Lookup {
    let relationship: String
    let target: String
    /// The attribute of the target.
    let attribute: String
    /// The position of the attribute's value among those of a record, after the attributes.
    let column: Int
    /// The attributes with the key.
    let names: [String]
    let isRequired: Bool
  }

  /// Works out the mapping of an entity in one direction.
  ///
  /// - Parameters:
  ///   - mapping: the mapping.
  ///   - name: the entity's name.
  ///   - schema: the schema of the store.
  ///   - direction: reading or writing.
  /// - Throws: `unknownEntity`, `invalidMapping` with every fault.
  init(
    _ mapping: DynamicMapping, of name: String, in schema: StoredSchema, _ direction: JSONDirection
  ) throws {
    let entities = try Schema(schema)
    guard let entity = entities[name] else {
      throw StoreError(.unknownEntity, "the store has no entity of this name", entity: name)
    }
    var draft = DynamicDraft(mapping, entity, direction) { entities[$0] }
    draft.makeColumns()
    draft.addKind()
    try draft.throwFaults()
    record = RecordPlan(
      entity: entity.name, columnCount: draft.columns.count, columns: draft.columns,
      reading: draft.tree, isStrict: mapping.unknown == .refuse, keyColumn: draft.keyColumn,
      structs: draft.structs)
    writing = draft.writing
    writesNulls = !mapping.leavesOutNulls
    list = mapping.list == .keyed ? .keyed : mapping.list == .oneOrMany ? .oneOrMany : .array
    kind = draft.kind
    lookups = draft.lookups
  }
}

/// The mapping of an entity's rows while it is being checked and worked out.
private struct DynamicDraft {
  private let mapping: DynamicMapping
  private let entity: EntityDescription
  private let isReading: Bool
  private let target: (String) -> EntityDescription?
  private let part: DynamicMapping.Part
  private let names: NamingStrategy
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
    _ mapping: DynamicMapping, _ entity: EntityDescription, _ direction: JSONDirection,
    _ target: @escaping (String) -> EntityDescription?
  ) {
    self.mapping = mapping
    self.entity = entity
    self.target = target
    isReading = direction == .reading
    part = isReading ? mapping.reading : mapping.writing
    names = mapping.names.strategy
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

  /// The embedded structs that may be nil; what a missing part of one needs is found by the save.
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

  private func member(_ name: some StringProtocol) -> PathStep {
    .name(names.attributeName(String(name)))
  }

  /// A struct's attributes have the names of its object and of their own.
  private func standardPath(of name: String) -> [PathStep] {
    var known = ""
    return name.split(separator: ".").reduce(into: []) { path, part in
      known += (known.isEmpty ? "" : ".") + part
      path = structPaths[known] ?? path + [member(part)]
    }
  }

  private mutating func steps(of source: String, _ name: String) -> [PathStep]? {
    if let steps = JSONKeyPath.steps(of: source) { return steps }
    fault("'\(source)' is not a path into JSON, such as price.amount or lines[0]", name)
    return nil
  }

  private func isAttribute(_ name: String) -> Bool { entity.position(of: name) != nil }
  private func isStruct(_ name: String) -> Bool { entity.names(inStruct: name) != nil }

  /// Returns whether a property takes part, by the lists of those that do or do not.
  private func isSelected(_ name: String) -> Bool {
    let link = owners[name]?.link.name
    func selects(_ only: [String]?, _ leaveOut: [String]) -> Bool {
      func isIn(_ names: [String], around: Bool) -> Bool {
        names.contains {
          name == $0 || link == $0 || name.hasPrefix($0 + ".")
            || (around && $0.hasPrefix(name + "."))
        }
      }
      return (only.map { isIn($0, around: true) } ?? true) && !isIn(leaveOut, around: false)
    }
    return selects(mapping.only, mapping.leaveOut) && selects(part.only, part.leaveOut)
  }

  private mutating func checkNames() {
    let parts = [mapping.reading, mapping.writing]
    let fields = Set(mapping.fields.keys).union(parts.flatMap(\.fields.keys))
    for name in fields.sorted() where !isAttribute(name) && !isStruct(name) {
      fault("the mapping names an attribute that the entity has not", name)
    }
    let links = Set(mapping.links.keys).union(parts.flatMap(\.links.keys))
      .union(mapping.counts.keys)
    for name in links.sorted() where entity.relationship(named: name) == nil {
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
    where !isAttribute(name) && !isStruct(name) && entity.relationship(named: name) == nil {
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
      isMark ? nil : rule(mapping.fields, part.fields, name)
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
      mapping.links[link] != nil || part.links[link] != nil
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
    guard let rule = rule(mapping.links, part.links, link.name),
      let target = target(link.target), target.key.indices.contains(index)
    else { return standardKeys(link, standard, format) }
    var format = format
    var paths = rule.from.compactMap { steps(of: $0, link.name) }
    if paths.isEmpty {
      paths = [[member(rule.nesting == .key ? link.name + "_id" : link.name)]]
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
      let path = inner.flatMap { JSONKeyPath.steps(of: $0) } ?? [member(target.key[index])]
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
    let name = [member(link.name)]
    let isElsewhere = (mapping.fields.values.map(\.from) + part.fields.values.map(\.from)).joined()
      .contains { JSONKeyPath.steps(of: $0)?.starts(with: name) == true }
    guard isReading, !isElsewhere, name != standard, let target = target(link.target),
      target.key.count == 1
    else { return ([standard], format) }
    return ([name, standard], .member([member(target.key[0])], format))
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
      let path = inner.flatMap { JSONKeyPath.steps(of: $0) } ?? [member(found.attribute.name)]
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
    guard !isOwn, mapping.links[name] != nil || part.links[name] != nil else { return }
    fault(
      "an import or export by names has the to-ones whose keys are attributes, and no others", name)
  }

  /// Works out the member that names the kind of a record.
  mutating func addKind() {
    guard let kind = mapping.kind else { return }
    guard let path = steps(of: kind.member, "kind"), !path.contains(.each), !kind.kinds.isEmpty
    else { return fault("a kind needs a path to a member, and one text or more", "kind") }
    self.kind = KindRule(member: kind.member, kinds: kind.kinds, otherwise: kind.otherwise)
    if isReading {
      tree.add(path[...], .elsewhere)
    } else if !writing.add(path[...], .text(kind.kinds[0])) {
      fault("\(kind.member) is written for something else, and cannot name the kind", "kind")
    }
  }
}
