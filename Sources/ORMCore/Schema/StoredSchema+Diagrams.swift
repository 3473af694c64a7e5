extension StoredSchema: CustomStringConvertible {
  /// The schema for a person: an entity a paragraph, an attribute a line.
  public var description: String {
    entities.map { entity in
      var lines = [entity.modelName + (entity.name == entity.modelName ? "" : " (\(entity.name))")]
      for (position, column) in entity.columns.enumerated() {
        var line = "  \(column.attribute): \(column.type)\(column.isOptional ? "?" : "")"
        if column.name != column.attribute { line += " as \(column.name)" }
        if entity.key.contains(position) {
          line += " key" + (entity.keySource == .program ? "" : ", \(entity.keySource.rawValue)")
        }
        if column.isNormalized { line += ", normalized" }
        if column.defaultValue != nil || column.computedDefault != nil {
          line += ", with a default"
        }
        lines.append(line)
      }
      for index in entity.indexes {
        let terms = index.terms.map { term -> String in
          var text = entity.columns[term.column].attribute
          if term.form != .value { text += " (\(term.form.rawValue))" }
          return text + (term.isDescending ? " descending" : "")
        }
        lines.append(
          "  \(index.isUnique ? "unique" : "index"): " + terms.joined(separator: ", "))
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// The schema as a Mermaid entity-relationship diagram.
  public var mermaid: String {
    var lines = ["erDiagram"]
    for entity in entities {
      lines.append("  \(Self.word(entity.modelName)) {")
      for (position, column) in entity.columns.enumerated() {
        let unique = entity.indexes.contains {
          $0.isUnique && $0.terms.map(\.column) == [position]
        }
        let mark = entity.key.contains(position) ? " PK" : unique ? " UK" : ""
        lines.append(
          "    \(Self.word("\(column.type)")) \(Self.word(column.attribute))\(mark)")
      }
      lines.append("  }")
    }
    return lines.joined(separator: "\n")
  }

  /// The schema as a Graphviz digraph of records.
  public var dot: String {
    var lines = ["digraph schema {", "  node [shape=record];"]
    for entity in entities {
      let fields = entity.columns.enumerated().map { position, column in
        "\(Self.word(column.attribute)): \(Self.word("\(column.type)"))"
          + (column.isOptional ? "?" : "") + (entity.key.contains(position) ? " (key)" : "")
      }
      let name = Self.word(entity.modelName)
      lines.append(
        "  \"\(name)\" [label=\"{\(name)|" + fields.joined(separator: "\\l") + "\\l}\"];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// A name that both languages take: letters, digits and underscores.
  private static func word(_ text: String) -> String {
    String(text.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
  }
}

extension AttributeType: CustomStringConvertible {
  /// The type's name, such as `int64` or `array of string`.
  public var description: String {
    switch self {
    case .bool: "bool"
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .uint8: "uint8"
    case .uint16: "uint16"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .decimal: "decimal"
    case .array(let element): "array of \(element)"
    case .json: "json"
    }
  }
}
