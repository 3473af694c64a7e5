package import ORMStorage

extension StoredEntity {
  /// The to-one whose key, or a part of it, a column holds.
  private func toOne(holding column: StoredColumn) -> String? {
    relationships.first {
      if case .own(let names, position: _) = $0.storage {
        names.contains(column.attribute)
      } else {
        false
      }
    }?.name
  }

  /// A value that comes without a Swift type, in the form its column keeps.
  ///
  /// - Throws: `missingValue`, `invalidValue`, naming entity and attribute.
  package func checked(_ value: StoredValue, at position: Int) throws -> StoredValue {
    let column = columns[position]
    if let fault = column.type.fault(of: value, isOptional: column.isOptional) {
      throw StoreError(
        value.isNull ? .missingValue : .invalidValue, "the value \(fault)", entity: modelName,
        attributes: [toOne(holding: column) ?? column.attribute])
    }
    return value.normalized(for: column)
  }
}

extension StoredEntity {
  /// The columns of attributes and embedded structs; the name of a struct stands for all of it.
  ///
  /// - Throws: `unknownAttribute`; `invalidCondition` for a part of a struct that may be nil, which
  ///   is written as a whole.
  package func columns(only names: [String]) throws -> [Int] {
    let marks = structMarks
    return try names.flatMap { name in
      if let mark = name.structNames.first(where: { marks.contains($0) && !names.contains($0) }) {
        throw StoreError(
          .invalidCondition,
          "it belongs to the optional struct \(mark), which is merged as a whole; name that "
            + "instead",
          entity: modelName, attributes: [name])
      }
      let inside = columns.indices.filter { columns[$0].attribute.lies(in: name) }
      return try column(ofAttribute: name).map { [$0] + inside }
        ?? (inside.isEmpty ? [column(named: name)] : inside)
    }
  }

  /// The column of an attribute.
  ///
  /// - Throws: `unknownAttribute`.
  package func column(named attribute: String) throws -> Int {
    guard let column = column(ofAttribute: attribute) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name", entity: modelName,
        attributes: [attribute])
    }
    return column
  }
}
