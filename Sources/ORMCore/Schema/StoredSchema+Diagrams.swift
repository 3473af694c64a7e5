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
        if let threshold = column.externalThreshold { line += ", external over \(threshold) bytes" }
        if column.derived == nil, column.defaultValue != nil || column.computedDefault != nil {
          line += ", with a default"
        }
        if let derived = column.derived { line += ", derived: \(derived)" }
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
  ///
  /// A name that Mermaid does not take is written with underscores, and in full beside it.
  public var mermaid: String {
    var lines = ["erDiagram"]
    for entity in entities {
      let word = Self.word(entity.modelName)
      let label =
        word == entity.modelName ? "" : "[\"\(Self.unquoted(entity.modelName))\"]"
      lines.append("  \(word)\(label) {")
      for (position, column) in entity.columns.enumerated() {
        let unique = entity.indexes.contains {
          $0.isUnique && $0.terms.map(\.column) == [position]
        }
        let mark = entity.key.contains(position) ? " PK" : unique ? " UK" : ""
        let word = Self.word(column.attribute)
        let comment =
          word == column.attribute ? "" : " \"\(Self.unquoted(column.attribute))\""
        lines.append("    \(Self.word("\(column.type)")) \(word)\(mark)\(comment)")
      }
      lines.append("  }")
    }
    return lines.joined(separator: "\n")
  }

  /// The schema as a Graphviz digraph of records.
  public var dot: String {
    var lines = ["digraph schema {", "  node [shape=record];"]
    for (number, entity) in entities.enumerated() {
      let fields = entity.columns.enumerated().map { position, column in
        Self.escaped("\(column.attribute): \(column.type)")
          + (column.isOptional ? "?" : "") + (entity.key.contains(position) ? " (key)" : "")
      }
      lines.append(
        "  e\(number) [label=\"{\(Self.escaped(entity.modelName))|"
          + fields.joined(separator: "\\l") + "\\l}\"];")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// A name of ASCII letters, digits and underscores that does not begin with a digit.
  private static func word(_ text: String) -> String {
    let word = String(
      text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "_" })
    return word.first?.isNumber == false ? word : "_" + word
  }

  /// A text for the inside of Mermaid's quotes, which know no escape.
  private static func unquoted(_ text: String) -> String {
    String(text.map { $0 == "\"" ? "'" : $0.isNewline ? " " : $0 })
  }

  /// A text for the label of a record: what has a meaning there stands behind a backslash.
  private static func escaped(_ text: String) -> String {
    var label = ""
    for character in text {
      if "\\\"{}|<>".contains(character) { label.append("\\") }
      label.append(character.isNewline ? " " : character)
    }
    return label
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
