internal import ORM

extension MappingDraft {
  /// Adds the attributes.
  mutating func addAttributes() {
    checkSelections()
    let marks = Model.entity.embedded.filter(\.isOptional).map(\.columns.lowerBound)
    let (reading, writing) = fieldRules()
    keyColumn = rules.keyedBy.flatMap { position(of: $0) }
    if rules.keyedBy != nil {
      let kind = keyColumn.map { description.attributes[$0].type.kind }
      if kind != .string, kind != .int, kind != .uuid {
        fault("the attribute that names the members of a list must be a text, an integer or a UUID")
      }
    }
    for position in 0..<declaredCount {
      let attribute = description.attributes[position]
      let sources = addReading(position, reading[position], isMark: marks.contains(position))
      columns.append(
        ColumnPlan(
          attribute,
          isKeyOf: description.key.contains(attribute.name) ? description.keySource : nil,
          format: format(of: reading[position], attribute),
          written: format(of: writing[position], attribute),
          onNull: reading[position]?.onNull ?? .setNil,
          onAbsent: reading[position]?.onAbsent ?? .keep, sources: sources))
    }
    for position in 0..<declaredCount where !marks.contains(position) {
      addWriting(position, writing[position])
    }
    for part in Model.entity.embedded where part.isOptional {
      addOptionalStruct(part)
    }
  }

  /// The rules of attributes by their positions, for reading and for writing.
  private mutating func fieldRules() -> (reading: [Int: FieldRule], writing: [Int: FieldRule]) {
    var reading: [Int: FieldRule] = [:]
    var writing: [Int: FieldRule] = [:]
    for rule in rules.fields {
      if let part = embeddedStruct(of: rule.property) {
        addStruct(part, rule)
        continue
      }
      guard let position = position(of: rule.property) else {
        fault("the key path of a field is not an attribute: \(rule.property.description)")
        continue
      }
      let attribute = description.attributes[position]
      if let message = rule.format.fault(for: attribute.type) { fault(message, attribute.name) }
      if rule.direction.reads, reading.updateValue(rule, forKey: position) != nil {
        fault("two fields read one attribute", attribute.name)
      }
      if rule.direction.writes, writing.updateValue(rule, forKey: position) != nil {
        fault("two fields write one attribute", attribute.name)
      }
    }
    return (reading, writing)
  }

  /// The form of an attribute that has a rule.
  private mutating func format(
    of rule: FieldRule?, _ attribute: AttributeDescription
  ) -> FieldFormat {
    rule.map { resolved($0.format, attribute, attribute.name) } ?? .plain
  }

  /// A form for an attribute; a fault of a property for words that stand for no values of its type.
  mutating func resolved(
    _ format: FieldFormat, _ attribute: AttributeDescription, _ property: String
  ) -> FieldFormat {
    do {
      return try format.resolved(for: attribute.type)
    } catch {
      fault((error as? StoreError)?.message ?? "\(error)", property)
      return .plain
    }
  }

  private mutating func addStruct(_ part: EmbeddedStruct, _ rule: FieldRule) {
    guard rule.sources.count == 1, rule.direction == .always, case .plain = rule.format,
      let steps = steps(of: rule.sources[0], part.name)
    else {
      fault("an embedded struct has one path, both ways, and no transform", part.name)
      return
    }
    if steps.contains(where: { if case .name = $0 { false } else { true } }) {
      fault("the path of an embedded struct leads through objects alone", part.name)
    }
    structPaths[part.name] = steps
  }

  /// The path of a name that is no rule's: an attribute of a struct lies in the object of the struct.
  func standardPath(of name: String) -> [PathStep] {
    var known = ""
    return name.split(separator: ".").reduce(into: []) { path, part in
      known += (known.isEmpty ? "" : ".") + part
      path = structPaths[known] ?? path + [member(String(part))]
    }
  }

  /// Adds the paths from which an attribute is read, and returns them.
  private mutating func addReading(
    _ position: Int, _ rule: FieldRule?, isMark: Bool
  ) -> [[PathStep]] {
    let attribute = description.attributes[position]
    guard isSelected(attribute.name, reading: true), attribute.derived == nil else { return [] }
    if isMark {
      reading.add(standardPath(of: attribute.name)[...], .presence(position))
      return []
    }
    if keyColumn == position { return [] }
    var paths = (rule?.sources ?? []).compactMap { steps(of: $0, attribute.name) }
    if paths.isEmpty { paths = [standardPath(of: attribute.name)] }
    for (rank, path) in paths.prefix(100).enumerated() {
      if path.contains(.each), attribute.type.kind != .array {
        fault("a path with [*] is for an attribute that is an array", attribute.name)
      }
      reading.add(path[...], .column(position, rank: UInt8(rank)))
    }
    return paths
  }

  private mutating func addWriting(_ position: Int, _ rule: FieldRule?) {
    let attribute = description.attributes[position]
    guard isSelected(attribute.name, reading: false), keyColumn != position else { return }
    let given = (rule?.sources.first).flatMap { JSONKeyPath.steps(of: $0) }
    let path = given ?? standardPath(of: attribute.name)
    if !writing.add(path[...], .column(position)) {
      fault(
        "\(JSONKeyPath.text(of: path)) is written for something else too, or is both a value and "
          + "an object; leave one of them out when writing", attribute.name)
    }
  }

  private mutating func addOptionalStruct(_ part: EmbeddedStruct) {
    let mark = part.columns.lowerBound
    if isSelected(part.name, reading: false) {
      _ = writing.mark(standardPath(of: part.name)[...], with: mark)
    }
    func inner<Value: Persistable>(_ model: Value.Type) -> [AttributeDescription] {
      Value.entity.written.attributes
    }
    let attributes = inner(part.model)
    optionalStructs.append(
      .init(
        mark: mark,
        columns: attributes.enumerated().map { offset, attribute in
          let plan = ColumnPlan(attribute, isKeyOf: nil, rule: nil, sources: [])
          return (part.start + offset, plan.initial)
        }))
  }
}
