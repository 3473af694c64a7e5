internal import ORMStorage

/// The assignments of a change to optional embedded structs, completed before the store is asked.
///
/// Removing a struct removes its attributes; a struct that is set must be set whole. A part alone
/// can be set only if the struct is present.
package struct EmbeddedAssignments {
  package typealias Assignment = (attribute: Operand, value: Operand)

  /// The assignments, with those that follow from them.
  package private(set) var assignments: [Assignment]
  /// The marks of presence of structs that must be there in every row that is changed.
  package private(set) var needed: [String] = []

  /// Completes assignments by those that follow from them.
  ///
  /// - Throws: `missingValue` for a struct that is set without all of its attributes. The same holds for
  ///   one of them that is nil and must not be, if the Swift type is known. `invalidValue` for a mark
  ///   that is neither true nor nil.
  package init(
    _ assignments: [Assignment], of entity: StoredEntity, needing neededParts: () -> Set<String>
  ) throws {
    self.assignments = assignments
    var known: [String: Operand] = [:]
    for case (.path(let path), let value) in assignments where path.names.count == 1 {
      known[path.names[0]] = value
    }
    for mark in entity.structMarks {
      let parts = entity.columns.map(\.attribute).filter { $0.lies(in: mark) }
      func fault(_ code: StoreError.Code, _ message: String, _ name: String) -> StoreError {
        StoreError(code, message, entity: entity.modelName, attributes: [name])
      }
      switch known[mark] {
      case .value(.null)?:
        for part in parts {
          guard let value = known[part] else {
            known[part] = .value(.null)
            self.assignments.append((.attribute(part), .value(.null)))
            continue
          }
          guard value == .value(.null) else {
            throw fault(
              .invalidValue,
              "it has a value, but the struct that contains it is set to nil", part)
          }
        }
      case .value(.bool(true))?:
        if let missing = parts.first(where: { known[$0] == nil }) {
          throw fault(
            .missingValue,
            "the struct that contains it is set without it; set every attribute, or the struct "
              + "as a whole", missing)
        }
        try checkNeeded(parts, known, fault)
      case .some:
        throw fault(
          .invalidValue,
          "the attribute that marks an embedded struct as present must be true or nil", mark)
      case nil:
        let sets = parts.contains { known[$0].map { $0 != .value(.null) } ?? false }
        if sets { needed.append(mark) }
        try checkNeeded(parts, known, fault)
      }
    }

    /// A part without which there is no struct is not taken away alone.
    func checkNeeded(
      _ parts: [String], _ known: [String: Operand],
      _ fault: (StoreError.Code, String, String) -> StoreError
    ) throws {
      guard parts.contains(where: { known[$0] == .value(.null) }) else { return }
      let names = neededParts()
      // Parts of an inner struct that is nil itself are removed with it.
      func isRemoved(_ part: String) -> Bool {
        part.structNames.contains { known[$0] == .value(.null) }
      }
      if let part = parts.first(where: {
        known[$0] == .value(.null) && names.contains($0) && !isRemoved($0)
      }) {
        throw fault(
          .missingValue,
          "it is required in its struct; to remove the struct, set the struct itself to nil", part
        )
      }
    }
  }

  /// The error of a row in which a struct is nil whose part is set.
  package static func missing(_ mark: String, of entity: StoredEntity) -> StoreError {
    StoreError(
      .missingValue,
      "the struct is nil, so its attributes cannot be set one by one; set it as a whole",
      entity: entity.modelName, attributes: [mark])
  }
}

extension StoredEntity {
  /// The marks of presence of embedded structs that may be nil, an outer one before those inside it.
  package var structMarks: [String] {
    let names = columns.lazy.map(\.attribute).filter { $0.utf8.contains(UInt8(ascii: ".")) }
    let referrers = Set(names.flatMap(\.structNames))
    return referrers.isEmpty ? [] : columns.map(\.attribute).filter { referrers.contains($0) }
  }
}

extension WriteTransaction {
  /// Checks that structs are there in every row of a request.
  ///
  /// - Throws: `missingValue`, naming entity, attribute and key.
  package func require(_ marks: [String], in request: FetchRequest, of entity: StoredEntity) throws
  {
    if marks.isEmpty { return }
    let columns = try marks.map { try entity.column(named: $0) }
    var search = NilSearch(marks: columns.count)
    try live().visit(request.selecting(columns + entity.key, of: entity), &search)
    guard let (mark, key) = search.found else { return }
    var error = EmbeddedAssignments.missing(marks[mark], of: entity)
    error.key = key
    throw error
  }
}

/// Looks for the first row in which a mark is nil.
private struct NilSearch: RowVisitor {
  let marks: Int
  var found: (mark: Int, key: [StoredValue])?

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    for mark in 0..<marks where try row.isNull(at: mark) {
      found = (mark, try (marks..<row.columnCount).map { try row.value(at: $0) })
      return .stop
    }
    return .next
  }
}

extension StoreRuntime {
  /// Returns the attributes without which an embedded struct of an entity's model cannot be made; none
  /// where the Swift type is not known.
  package func neededParts(of entity: StoredEntity) -> Set<String> {
    models[entity.modelName]?.neededParts() ?? []
  }
}
