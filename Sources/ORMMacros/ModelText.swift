#if Macros
  /// Writes a model's members.
  struct ModelText {
    private let model: Model
    /// The position of the (first) column of each attribute.
    private var columns: [ColumnText] = []
    /// The same as text of the row initialiser.
    private var readColumns: [ColumnText] = []
    /// The number of columns the attributes have.
    private let columnCount: ColumnText
    /// The number of each relationship.
    private var numbers: [Int] = []

    init(_ model: Model) {
      self.model = model
      var column = ColumnText()
      var readColumn = ColumnText()
      // The to-ones of the key are declared with it, before other relationships.
      var number = model.properties.count { $0.kind.isLinkedKey }
      var keyNumber = 0
      for property in model.properties {
        columns.append(column)
        readColumns.append(readColumn)
        numbers.append(property.kind.isLinkedKey ? keyNumber : number)
        switch property.kind {
        case .key, .attribute, .derived, .json:
          column = column + 1
          readColumn = readColumn + 1
        case .compositeKey(let key):
          column = column + key.parts.count
          readColumn = readColumn + key.parts.count
        case .embedded(_, let count):
          column = column + count
          // An extension does not see the types that lie beside its own.
          readColumn =
            readColumn
            + (model.isNested && !model.isClass
              ? "type(of: \(property.codeInRow)).columnCount" : count)
        case .linkedKey: keyNumber += 1
        case .toOne, .toMany: number += 1
        }
      }
      columnCount = column
    }

    /// The extension with all that it may hold.
    func extensionText(conformances: [String]) -> String {
      let inheritance = conformances.isEmpty ? "" : ": " + conformances.joined(separator: ", ")
      let members =
        (model.isNested ? [] : description + id) + (model.isClass ? [] : [rowInitializer])
        + (model.isNested ? [] : [encoder])
      let availability = model.availability.map { $0 + "\n" }.joined()
      let isolation = model.isNonisolated ? "nonisolated " : ""
      if members.isEmpty {
        return "\(availability)\(isolation)extension \(model.type)\(inheritance) {}"
      }
      return """
        \(availability)\(isolation)extension \(model.type)\(inheritance) {
        \(members.joined(separator: "\n\n"))
        }
        """
    }

    /// The members that must be in the type itself.
    ///
    /// These are the initializer of a class, and members that may name types beside a nested one.
    var memberTexts: [String] {
      (model.isNested ? description + id : []) + (model.isClass ? [rowInitializer] : [])
        + (model.isNested ? [encoder] : [])
    }

    private var description: [String] { [entity] + (model.canBeEmbedded ? [count] : []) }

    /// `static let entity`.
    private var entity: String {
      let parts =
        model.inherited.map { inheritance(of: $0) }
        + model.properties.flatMap { property in
          declarations(of: property).map { located($0, at: property.origin) }
        }
        + model.indexes.map { ".index(\($0))" } + model.uniques.map { ".unique(\($0))" }
        + model.properties.flatMap { property in
          relationship(property).map { located($0, at: property.origin) }
        }
      let more = model.parts.map { "\(model.type).\($0)" }
      let arguments = model.entityArguments.joined(separator: ", ")
      return """
        \(model.access)static let entity = ORM.Entity<\(model.type)>(\(arguments)) {
        \(([parts.joined(separator: "\n  ")] + more).joined(separator: "\n"))
        }
        """
    }

    /// A part of the entity, so that an error in it is reported where its property is written.
    ///
    /// The part begins a statement of its own, indented so far that its name is where the type is.
    private func located(_ part: String, at origin: Model.SourceOrigin?, name: Int = 1) -> String {
      guard let origin else { return part }
      let indentation = String(repeating: " ", count: max(origin.column - 1 - name - 8, 0))
      return "#sourceLocation(file: \(origin.file), line: \(origin.line))\n"
        + "\(indentation)\(part)\n#sourceLocation()"
    }

    /// A declaration that compiles if a type that the class inherits is a protocol.
    ///
    /// The stored properties of a superclass would be lost, and the macro does not see them. No type is
    /// of two classes, so the compiler names both: the superclass, and one whose name describes the
    /// fault.
    private func inheritance(of inherited: Model.Inherited) -> String {
      located(
        "let _: (any \(inherited.type) & ORM.ModelsInheritFromNoClass).Type? = nil",
        at: inherited.origin, name: 12)
    }

    /// `id`, where the key's property has another name.
    private var id: [String] {
      if let key = model.linkedKey { return linkedID(key) }
      guard let key = model.namedKey, !key.declaresID else { return [] }
      return [
        """
        \(model.access)var id: \(key.type) {
        get { \(key.code) }
        set { \(key.code) = newValue }
        }
        """
      ]
    }

    /// `ID` and `id`, where properties are the parts of the key.
    private func linkedID(_ key: Model.LinkedKey) -> [String] {
      var members: [String] = []
      if !key.declaresType {
        let parameters = key.parts.map { "\($0.code): \($0.type)" }.joined(separator: ", ")
        members.append(
          """
          \(model.access)struct ID: ORM.CompositeKey {
          \(key.parts.map { "\(model.access)var \($0.code): \($0.type)" }.joined(separator: "\n"))

          \(model.access)init(\(parameters)) {
          \(key.parts.map { "self.\($0.code) = \($0.code)" }.joined(separator: "\n"))
          }
          }
          """)
      }
      if !key.declaresID {
        let values = key.parts.map { "\($0.code): \($0.code)\($0.isLink ? ".id" : "")" }
        let setters = key.parts.map {
          $0.isLink ? "\($0.code).setKey(newValue.\($0.code))" : "\($0.code) = newValue.\($0.code)"
        }
        members.append(
          """
          \(model.access)var id: ID {
          get { ID(\(values.joined(separator: ", "))) }
          set {
          \(setters.joined(separator: "\n"))
          }
          }
          """)
      }
      return members
    }

    /// `columnCount`, for models that embed this one as a struct of attributes.
    private var count: String {
      """
      \(model.access)static var columnCount: Int {
      \(columnCount)
      }
      """
    }

    private func declarations(of property: Model.Property) -> [String] {
      let path = "\\.\(property.code)"
      func part(_ word: String, _ options: [String]) -> [String] {
        [".\(word)(\(([property.name, path] + options).joined(separator: ", ")))"]
      }
      switch property.kind {
      case .key(let options):
        if model.linkedKey != nil { return part("key", options + ["id: \\.id.\(property.code)"]) }
        return part("key", options + (model.namedKey == nil ? [] : ["id: \\.id"]))
      case .linkedKey(let arguments):
        return part("key", arguments + ["id: \\.id.\(property.code)"])
      case .compositeKey(let key):
        return key.parts.map {
          let id = model.namedKey == nil ? "" : ", id: \\.id.\($0)"
          return ".key(\"\($0.unquoted)\", \(path).\($0)\(id))"
        }
      case .attribute(let options, fallback: _): return part("attribute", options)
      case .derived(let arguments): return part("derived", arguments)
      case .embedded(let arguments, count: _): return part("embedded", arguments)
      case .json(let options): return part("json", options)
      case .toOne, .toMany: return []
      }
    }

    private func relationship(_ property: Model.Property) -> [String] {
      switch property.kind {
      case .toOne(let arguments), .toMany(let arguments):
        let all = [property.name, "\\.\(property.code)"] + arguments
        return [".relationship(\(all.joined(separator: ", ")))"]
      default: return []
      }
    }

    /// `init(row:)`: attributes by position, then to-ones by number; to-manys are not loaded.
    ///
    /// Swift builds a struct of more than six fields that an initializer assigns one by one in memory,
    /// and copies it at the end: some 200 instructions a row, which the memberwise initializer saves.
    private var rowInitializer: String {
      let body: [String]
      if callsMemberwiseInitializer {
        let arguments = model.properties.indices.map {
          "\(model.properties[$0].code.asLabel): \(valueInRow(of: $0))"
        }
        body = ["self.init(\n" + arguments.joined(separator: ",\n") + ")"]
      } else {
        let links = model.properties.indices.filter { model.properties[$0].kind.isLink }
        let attributes = model.properties.indices.filter { !model.properties[$0].kind.isLink }
        body = (attributes + links).map {
          "\(model.properties[$0].codeInRow) = \(valueInRow(of: $0))"
        }
      }
      return """
        \(model.access)init<R: ORM.RowReader & ~Copyable>(row: borrowing R) throws {
        \(body.joined(separator: "\n"))
        }
        """
    }

    /// True if the row initializer delegates, and refers to no property of its own.
    private var callsMemberwiseInitializer: Bool {
      model.hasMemberwiseInitializer && model.properties.count > 6
        && !(model.isNested && model.properties.contains(where: \.kind.isEmbedded))
    }

    /// The value of a property in a row.
    private func valueInRow(of index: Int) -> String {
      let column = readColumns[index]
      let hasOrigin = model.properties[index].origin != nil
      switch model.properties[index].kind {
      case .attribute(options: _, let fallback?):
        return "try row.value(at: \(column), fallback: \(fallback))"
      case .key, .attribute, .derived:
        return hasOrigin ? "try row.value(at: \(column))" : "try row[\(column)]"
      case .embedded: return "try row.embedded(at: \(column))"
      case .json: return "try row.decodeJSON(at: \(column))"
      case .compositeKey(let key): return read(key, at: column)
      case .toOne, .linkedKey: return "try row.toOne(\(numbers[index]), of: \(model.type).self)"
      case .toMany: return ".notLoaded"
      }
    }

    private func read(_ key: Model.CompositeKey, at column: ColumnText) -> String {
      let columns = key.parts.indices.map { column + $0 }
      guard let initializer = key.initializer else {
        let list = columns.map(\.description).joined(separator: ", ")
        return "try .read(from: row, at: [\(list)])"
      }
      let arguments = zip(key.parts, columns).map { "\($0): row[\($1)]" }
      return "try \(initializer)(\(arguments.joined(separator: ", ")))"
    }

    /// `encode(into:)`: attributes by position, then to-ones by number.
    private var encoder: String {
      var attributes: [String] = []
      var links: [String] = []
      for (index, property) in model.properties.enumerated() {
        let value = property.codeInRow
        let column = columns[index]
        switch property.kind {
        case .key, .attribute, .derived:
          let label = property.origin == nil ? "" : "value: "
          attributes.append("try row.write(\(label)\(value), at: \(column))")
        case .embedded:
          attributes.append("try row.write(embedded: \(value), at: \(column))")
        case .json: attributes.append("try row.encodeJSON(\(value), at: \(column))")
        case .compositeKey(let key):
          for (offset, part) in key.parts.enumerated() {
            attributes.append("try row.write(\(value).\(part), at: \(column + offset))")
          }
        case .toOne, .linkedKey:
          links.append(
            "try row.write(\(value), toOne: \(numbers[index]), of: \(model.type).self)")
        case .toMany: break
        }
      }
      return """
        \(model.access)func encode<W: ORM.RowWriter & ~Copyable>(into row: inout W) throws {
        \((attributes + links).joined(separator: "\n"))
        }
        """
    }
  }

  /// The position of a column: a number, and the columns of the structs before it.
  struct ColumnText: CustomStringConvertible {
    private var number = 0
    private var counts: [String] = []

    static func + (column: ColumnText, number: Int) -> ColumnText {
      var next = column
      next.number += number
      return next
    }

    static func + (column: ColumnText, count: String) -> ColumnText {
      var next = column
      next.counts.append(count)
      return next
    }

    var description: String {
      let number = number == 0 && !counts.isEmpty ? [] : ["\(number)"]
      return (number + counts).joined(separator: " + ")
    }
  }

  extension Model.Kind {
    /// True if the property is a to-one that is part of the key.
    fileprivate var isLinkedKey: Bool { if case .linkedKey = self { true } else { false } }

    /// True if the property is a struct of attributes.
    fileprivate var isEmbedded: Bool { if case .embedded = self { true } else { false } }

    /// True if the property is a relationship.
    fileprivate var isLink: Bool {
      switch self {
      case .linkedKey, .toOne, .toMany: true
      default: false
      }
    }
  }

  extension Model.Property {
    /// The property where `row` is a parameter.
    fileprivate var codeInRow: String { code == "row" ? "self.row" : code }
  }

  extension String {
    /// An identifier without its backticks.
    var unquoted: String {
      hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }

    /// The identifier as an argument label, where a keyword needs no backticks but for three.
    fileprivate var asLabel: String {
      let isWord = unquoted.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      return isWord && !["inout", "let", "var"].contains(unquoted) ? unquoted : self
    }
  }
#endif
