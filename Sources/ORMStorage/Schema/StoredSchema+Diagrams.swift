public import ORMValues

extension StoredSchema: CustomStringConvertible {
  /// The schema for a person: an entity a paragraph, an attribute a line.
  ///
  /// A subentity has its own attributes alone, and the name of its parent behind its own. Earlier names
  /// that remain come last.
  public var description: String {
    let entities = drawn.map { drawn in
      let entity = drawn.entity
      var lines = [
        entity.modelName + (entity.parent.map { ": \($0)" } ?? "")
          + (entity.name == entity.modelName ? "" : " (\(entity.name))")
      ]
      for position in drawn.columns {
        let column = entity.columns[position]
        let name = entity.parent == nil ? column.name : column.ownName
        var line = "  \(column.attribute): \(column.type)\(column.isOptional ? "?" : "")"
        if name != column.attribute { line += " as \(name)" }
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
      for index in drawn.indexes {
        let terms = index.terms.map { term -> String in
          var text = entity.columns[term.column].attribute
          if term.form != .value { text += " (\(term.form.rawValue))" }
          return text + (term.isDescending ? " descending" : "")
        }
        lines.append(
          "  \(index.isUnique ? "unique" : "index"): " + terms.joined(separator: ", "))
      }
      return lines.joined(separator: "\n")
    }
    let names = aliases.map { [$0.map { "alias: \($0)" }.joined(separator: "\n")] } ?? []
    return (entities + names).joined(separator: "\n\n")
  }

  /// The schema as a Mermaid entity-relationship diagram.
  ///
  /// A name that Mermaid does not take is written with underscores, and in full beside it. A
  /// subentity has its own attributes alone, and a line to its parent.
  public var mermaid: String {
    var lines = ["erDiagram"]
    for drawn in drawn {
      let entity = drawn.entity
      let word = Self.word(entity.modelName)
      let label =
        word == entity.modelName ? "" : "[\"\(Self.unquoted(entity.modelName))\"]"
      if drawn.columns.isEmpty {
        lines.append("  \(word)\(label)")
        continue
      }
      lines.append("  \(word)\(label) {")
      for position in drawn.columns {
        let column = entity.columns[position]
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
    for entity in everyEntity {
      guard let parent = entity.parent else { continue }
      lines.append("  \(Self.word(parent)) ||--o| \(Self.word(entity.modelName)) : \"is a\"")
    }
    return lines.joined(separator: "\n")
  }

  /// The schema as a Graphviz digraph of records.
  ///
  /// A subentity has its own attributes alone, and an arrow to its parent.
  public var dot: String {
    var lines = ["digraph schema {", "  node [shape=record];"]
    let drawn = drawn
    for (number, part) in drawn.enumerated() {
      let entity = part.entity
      let fields = part.columns.map { position in
        let column = entity.columns[position]
        return Self.escaped("\(column.attribute): \(column.type)")
          + (column.isOptional ? "?" : "") + (entity.key.contains(position) ? " (key)" : "")
      }
      lines.append(
        "  e\(number) [label=\"{\(Self.escaped(entity.modelName))|"
          + fields.map { $0 + "\\l" }.joined() + "}\"];")
    }
    for (number, part) in drawn.enumerated() {
      let above = drawn.firstIndex { $0.entity.modelName == part.entity.parent }
      if let above { lines.append("  e\(number) -> e\(above) [arrowhead=empty];") }
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// An entity as it is drawn, without the columns that it inherits or holds for its subentities.
  private struct Drawn {
    var entity: StoredEntity
    var columns: [Int]
    var indexes: [StoredIndex]
  }

  private var drawn: [Drawn] {
    everyEntity.map { entity in
      let columns = entity.columns.indices.filter { position in
        let column = entity.columns[position]
        return entity.parent == nil
          ? !column.isOfSubentities
          : declaring(column.attribute, of: entity).name == entity.name
      }
      let indexes = entity.indexes.filter { index in
        let own = index.terms.filter { columns.contains($0.column) }
        return entity.parent == nil ? own.count == index.terms.count : !own.isEmpty
      }
      return Drawn(entity: entity, columns: columns, indexes: indexes)
    }
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

  /// Returns a text for the label of a record, with a backslash before each character that has a meaning
  /// there.
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
    if case .array(let element) = self { "array of \(element)" } else { name }
  }
}
