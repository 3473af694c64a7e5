internal import ORM

extension TargetPlan {
  func isWritten(_ model: End.Model) -> Bool {
    switch form {
    case .objects, .missingObjects, .linkedObjects:
      end.targets(of: model) != nil || holdsKeys(model)
    case .attribute: end.targets(of: model) != nil || isNull(model)
    case .keys, .count, .standard: end.ids(of: model) != nil
    }
  }

  /// Returns whether a to-one that is not loaded can be written as its key.
  private func holdsKeys(_ model: End.Model) -> Bool {
    !end.declaration.isToMany && end.ids(of: model) != nil
  }

  func isNull(_ model: End.Model) -> Bool {
    !end.declaration.isToMany && end.ids(of: model)?.isEmpty == true
  }

  func write(_ model: End.Model, to writer: inout JSONWriter, _ writing: JSONWriting) throws {
    switch form {
    case .count: writer.literal(String(end.ids(of: model)?.count ?? 0))
    case .objects, .missingObjects, .linkedObjects:
      guard let targets = end.targets(of: model) else {
        return try writeKeys(of: model, to: &writer)
      }
      let plan = try targetPlan(writing.targets)
      if end.declaration.isToMany {
        try write(list: targets, by: plan, to: &writer, writing)
      } else if let target = targets.first {
        try write(target, by: plan, to: &writer, writing)
      } else {
        writer.literal("null")
      }
    case .attribute: try writeAttributes(of: end.targets(of: model) ?? [], to: &writer)
    case .keys, .standard: try writeKeys(of: model, to: &writer)
    }
  }

  private func write(
    list targets: [End.Target], by plan: MappingPlan<End.Target>, to writer: inout JSONWriter,
    _ writing: JSONWriting
  ) throws {
    if case .keyed = plan.list, targets.allSatisfy({ writing.canOpen($0) }) {
      return try plan.write(list: targets, to: &writer, writing)
    }
    writer.beginArray()
    for target in targets { try write(target, by: plan, to: &writer, writing) }
    writer.end()
  }

  /// Writes a target as an object, or as its key inside of itself.
  private func write(
    _ target: End.Target, by plan: MappingPlan<End.Target>, to writer: inout JSONWriter,
    _ writing: JSONWriting
  ) throws {
    if writing.canOpen(target) {
      try plan.write(target, to: &writer, writing)
    } else {
      try write(key: target.id, to: &writer)
    }
  }

  /// Writes the attribute by which targets are found.
  private func writeAttributes(of targets: [End.Target], to writer: inout JSONWriter) throws {
    guard let column else { return writer.literal("null") }
    func value(of target: End.Target) throws -> StoredValue {
      let position = End.Target.entity.description.position(of: column.name)
      return try position.map { try BufferedRow(encoding: target).values[$0] } ?? .null
    }
    guard end.declaration.isToMany else {
      return try column.write(targets.first.map { try value(of: $0) } ?? .null, to: &writer)
    }
    writer.beginArray()
    for target in targets { try column.write(value(of: target), to: &writer) }
    writer.end()
  }

  private func writeKeys(of model: End.Model, to writer: inout JSONWriter) throws {
    let ids = end.ids(of: model) ?? []
    guard end.declaration.isToMany else {
      guard let id = ids.first else { return writer.literal("null") }
      return try write(key: id, to: &writer)
    }
    writer.beginArray()
    for id in ids { try write(key: id, to: &writer) }
    writer.end()
  }

  /// Writes a key: a scalar, or an object of the parts of a key of several attributes.
  private func write(key: End.Target.ID, to writer: inout JSONWriter) throws {
    let values = try key.keyValues()
    let entity = End.Target.entity.description
    let attributes = entity.key.compactMap { entity.position(of: $0) }.map { entity.attributes[$0] }
    let format: FieldFormat = if case .keys(let format) = form { format } else { .plain }
    let parts = zip(attributes, values)
    if values.count > 1 { writer.beginObject() }
    for (attribute, value) in parts {
      if values.count > 1 { writer.key(attribute.name) }
      try ColumnPlan(attribute, format: format).write(value, to: &writer)
    }
    if values.count > 1 { writer.end() }
  }
}
