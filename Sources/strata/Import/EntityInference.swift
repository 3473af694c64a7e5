import ORM
import TextImport

/// Declares an entity for a file: every attribute is of the first type that all its rows allow, of
/// integer, double, boolean, date and text.
struct EntityInference {
  let entity: String
  let key: String?
  /// Types named by the user, such as `stops=integer,iata=text`.
  let types: String?

  private static let candidates: [AttributeType] = [.int64, .double, .bool, .date, .string]
  private static let names: [String: AttributeType] = [
    "integer": .int64, "int": .int64, "double": .double, "boolean": .bool, "bool": .bool,
    "date": .date, "text": .string, "string": .string, "decimal": .decimal, "uuid": .uuid,
    "json": .json, "list": .array(.string),
  ]

  fileprivate struct Column {
    var name: String
    var candidates: [AttributeType]
    var filled = 0
  }

  /// The entity that holds every record of the file.
  ///
  /// - Throws: `invalidImport` for a file without records, a key that is empty somewhere, and what
  ///   reading throws.
  func description(of source: ImportSource) throws -> EntityDescription {
    let declared = try declaredTypes()
    var columns: [Column] = []
    var positions: [String: Int] = [:]
    var records = 0
    try source.forEach { record in
      records += 1
      for (name, field) in record.fields {
        let position: Int
        if let known = positions[name] {
          position = known
        } else {
          position = columns.count
          positions[name] = position
          columns.append(
            Column(name: name, candidates: declared[name].map { [$0] } ?? Self.candidates))
        }
        if field.isEmpty { continue }
        columns[position].filled += 1
        columns[position].narrow(to: field, isDeclared: declared[name] != nil)
      }
    }
    for name in declared.keys where positions[name] == nil {
      throw StoreError(.invalidImport, "the file has no attribute \(name)", entity: entity)
    }
    guard records > 0 else {
      throw StoreError(.invalidImport, "the file has no records", entity: entity)
    }
    let keyName = key ?? (positions["id"] == nil ? nil : "id")
    if let keyName {
      guard let position = positions[keyName], columns[position].filled == records else {
        throw StoreError(
          .invalidImport, "the key is missing in the file or in some of its rows", entity: entity,
          attributes: [keyName])
      }
    }
    return EntityDescription(
      name: entity,
      attributes: columns.map { column in
        AttributeDescription(
          column.name, column.filled == 0 ? .string : column.candidates.first ?? .string,
          isOptional: column.filled < records)
      }, key: keyName.map { [$0] } ?? [], keySource: keyName == nil ? .hidden : .program)
  }

  private func declaredTypes() throws -> [String: AttributeType] {
    var declared: [String: AttributeType] = [:]
    for pair in (types ?? "").split(separator: ",") {
      let parts = pair.split(separator: "=")
      guard parts.count == 2, let type = Self.names[String(parts[1])] else {
        throw StoreError(
          .invalidImport,
          "\(pair) is no type; write NAME=TYPE with a type of "
            + Self.names.keys.sorted().joined(separator: ", "), entity: entity)
      }
      declared[String(parts[0])] = type
    }
    return declared
  }
}

extension EntityInference.Column {
  /// Drops the types that the field does not allow.
  fileprivate mutating func narrow(to field: ImportSource.Field, isDeclared: Bool) {
    if isDeclared { return }
    switch field {
    case .text(let text):
      // Integers with a leading zero are codes, and stay as they are written.
      let isCode = text.utf8.count > 1 && text.first == "0" && text.allSatisfy(\.isNumber)
      candidates.removeAll { type in
        if type == .string { return false }
        if isCode { return true }
        if type == .bool { return !["true", "false"].contains(text.lowercased()) }
        return TextValue.value(of: text, as: type) == nil
      }
    case .value(let value):
      if case .array(let elements) = value {
        let kinds = Set(elements.map(\.kind))
        candidates = [.array(kinds == [.int] ? .int64 : .string)]
      } else {
        candidates.removeAll { type in
          type != .string && TextValue.value(of: value, as: type) == nil
        }
      }
    }
  }
}
