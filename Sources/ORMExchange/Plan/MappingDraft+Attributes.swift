internal import ORM

extension MappingDraft {
  /// Adds the attributes.
  func addAttributes() {
    checkNames()
    let (reading, writing) = fieldRules()
    addKeyColumn()
    for position in 0..<attributeCount {
      let attribute = entity.attributes[position]
      let read = reads ? addReading(position, reading[position]) : nil
      let written = writes ? addWriting(position, writing[position]) : nil
      columns.append(
        ColumnPlan(
          attribute, isKeyOf: entity.key.contains(attribute.name) ? entity.keySource : nil,
          format: read?.format ?? written ?? .plain, written: written,
          onNull: reading[position]?.onNull ?? .setNil,
          onAbsent: reading[position]?.onAbsent ?? .keep, sources: read?.sources ?? []))
    }
    for mark in marks.sorted() where writes {
      let name = entity.attributes[mark].name
      if isSelected(name, reading: false) {
        _ = self.writing.mark(standardPath(of: name)[...], with: mark)
      }
    }
  }

  /// The rules of attributes by their positions, for reading and for writing.
  private func fieldRules() -> (reading: [Int: FieldRule], writing: [Int: FieldRule]) {
    var reading: [Int: FieldRule] = [:]
    var writing: [Int: FieldRule] = [:]
    for rule in fields {
      guard let name = rule.property.name else { continue }
      if entity.names(inStruct: name) != nil {
        addStruct(name, rule)
        continue
      }
      let (isRead, isWritten) = (reads && rule.direction.reads, writes && rule.direction.writes)
      guard let position = position(of: name), isRead || isWritten else { continue }
      if let message = rule.format.fault(for: entity.attributes[position].type) {
        fault(message, name)
      }
      if isRead, reading.updateValue(rule, forKey: position) != nil {
        fault("two fields read one attribute", name)
      }
      if isWritten, writing.updateValue(rule, forKey: position) != nil {
        fault("two fields write one attribute", name)
      }
    }
    return (reading, writing)
  }

  /// The form of an attribute.
  private func format(of rule: FieldRule?, _ attribute: AttributeDescription) -> FieldFormat {
    switch rule?.format {
    case nil, .plain: usualFormat(of: attribute.type)
    case let format?: resolved(format, attribute, attribute.name)
    }
  }

  /// A form for an attribute; a fault of a property for words that stand for no values of its type.
  func resolved(
    _ format: FieldFormat, _ attribute: AttributeDescription, _ property: String
  ) -> FieldFormat {
    do {
      return try format.resolved(for: attribute.type)
    } catch {
      fault((error as? StoreError)?.message ?? "\(error)", property)
      return .plain
    }
  }

  private func addStruct(_ name: String, _ rule: FieldRule) {
    guard rule.sources.count == 1, rule.direction == .always, case .plain = rule.format,
      let steps = steps(of: rule.sources[0], name)
    else { return fault("an embedded struct has one path, both ways, and no transform", name) }
    structPaths[name] = steps
  }

  private func addKeyColumn() {
    guard let key = rules.keyedBy else { return }
    keyColumn = key.name.flatMap { position(of: $0) }
    let kind = keyColumn.map { entity.attributes[$0].type.kind }
    if kind != .string, kind != .int, kind != .uuid {
      fault(
        "the attribute that names the members of a list must be a text, an integer or a UUID",
        key.name)
    }
  }

  /// Adds the paths from which an attribute is read, and returns them with its form.
  private func addReading(
    _ position: Int, _ rule: FieldRule?
  ) -> (sources: [[PathStep]], format: FieldFormat) {
    let attribute = entity.attributes[position]
    var format = format(of: rule, attribute)
    guard isSelected(attribute.name, reading: true), attribute.derived == nil else {
      return ([], format)
    }
    if marks.contains(position) {
      reading.add(standardPath(of: attribute.name)[...], .presence(position))
      return ([], format)
    }
    if keyColumn == position { return ([], format) }
    var paths = (rule?.sources ?? []).compactMap { steps(of: $0, attribute.name) }
    if rule == nil, let members = keyMembers(of: attribute, format, reading: true) {
      (paths, format) = members
    } else if paths.isEmpty {
      paths = [standardPath(of: attribute.name)]
    }
    addReading(paths, attribute, position)
    return (paths, format)
  }

  /// Adds the paths from which a column is read.
  func addReading(_ paths: [[PathStep]], _ attribute: AttributeDescription, _ position: Int) {
    for (rank, path) in paths.prefix(100).enumerated() {
      if path.contains(.each), attribute.type.kind != .array {
        fault("a path with [*] is for an attribute that is an array", attribute.name)
      }
      reading.add(path[...], .column(position, rank: UInt8(rank)))
    }
  }

  /// Adds the path to which an attribute is written, and returns its form.
  private func addWriting(_ position: Int, _ rule: FieldRule?) -> FieldFormat {
    let attribute = entity.attributes[position]
    var format = format(of: rule, attribute)
    guard isSelected(attribute.name, reading: false), keyColumn != position,
      !marks.contains(position)
    else { return format }
    var path = (rule?.sources ?? []).compactMap { steps(of: $0, attribute.name) }.first
    if rule == nil, let members = keyMembers(of: attribute, format, reading: false) {
      (path, format) = (members.paths.first, members.format)
      if path == nil { return format }
    }
    let written = path ?? standardPath(of: attribute.name)
    if !writing.add(written[...], .column(position)) {
      fault(
        "\(JSONKeyPath.text(of: written)) is written for something else too, or is both a value and "
          + "an object; leave one of them out when writing", attribute.name)
    }
    return format
  }
}
