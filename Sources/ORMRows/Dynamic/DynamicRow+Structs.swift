internal import ORMStorage

extension Array where Element == DynamicRow {
  /// The rows with the assignments that follow from a struct that is nil.
  ///
  /// - Throws: as a change does; a row that sets a part names the mark of the struct too.
  func completingStructs(
    of entity: StoredEntity, in store: any Store
  ) throws -> [DynamicRow] {
    if entity.structMarks.isEmpty { return self }
    return try map { row in
      let embedded = try EmbeddedAssignments(
        row.values.map { (.attribute($0.key), .value($0.value)) }, of: entity
      ) { store.runtime.neededParts(of: entity) }
      if let mark = embedded.needed.first {
        throw EmbeddedAssignments.missing(mark, of: entity)
      }
      var row = row
      for case (.path(let path), .value(let value)) in embedded.assignments {
        row.values[path.names[0]] = value
      }
      return row
    }
  }
}
