internal import ORM
internal import ORMCore

/// Tables as arrays of rows, which migration steps change as the contract says.
struct NaiveTables {
  /// One attribute.
  struct Attribute {
    var name: String
    var type: AttributeType
    var isOptional: Bool
    /// True if a step of the plan has added it with a default, which the store may still have.
    var hasDefault = false
  }

  /// A to-one without an inverse, whose column is named after it and the target's key.
  struct Link {
    var name: String
    var target: String
  }

  struct Table {
    var name: String
    /// The attribute of the key, one of `attributes`.
    var key = "id"
    var isGenerated = true
    var attributes: [Attribute]
    var links: [Link] = []
    /// The values by attribute, and of links the target's key by the link's name.
    var rows: [[String: StoredValue]] = []
    /// The greatest key that the table ever had, if its keys are integers.
    var greatest: Int64 = 0

    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

    var ordered: [[String: StoredValue]] {
      rows.sorted { a, b in
        switch (a[key], b[key]) {
        case (.int(let a)?, .int(let b)?): a < b
        case (.string(let a)?, .string(let b)?): Array(a.utf8).lexicographicallyPrecedes(b.utf8)
        default: false
        }
      }
    }
  }

  var tables: [Table] = []

  subscript(name: String) -> Table {
    get { tables.first { $0.name == name } ?? Table(name: name, attributes: []) }
    set {
      if let position = tables.firstIndex(where: { $0.name == name }) {
        tables[position] = newValue
      }
    }
  }

  /// The declaration of the tables.
  func schema(version: Int) throws -> Schema {
    try Schema(
      entities: tables.map { table in
        let columns = table.links.map { link in
          let target = self[link.target]
          return AttributeDescription(
            "\(link.name)_\(target.key)", target.attribute(target.key)?.type ?? .int64,
            isOptional: true)
        }
        return EntityDescription(
          name: table.name,
          attributes: table.attributes.map {
            AttributeDescription($0.name, $0.type, isOptional: $0.isOptional)
          } + columns, key: [table.key], keySource: table.isGenerated ? .generated : .program,
          indexes: table.attributes.filter { $0.name != table.key && $0.type == .int64 }.map {
            IndexDescription([.init($0.name)])
          } + columns.map { IndexDescription([.init($0.name)]) },
          relationships: table.links.map { link in
            let target = self[link.target]
            return RelationshipDescription(
              link.name, target: link.target, isToMany: false,
              storage: .own(["\(link.name)_\(target.key)"], position: nil))
          })
      }, version: version)
  }

  /// Every row, a line each.
  var lines: [String] {
    tables.flatMap { table in
      table.ordered.map { row in
        let links = table.links.map { "\($0.name)_\(self[$0.target].key)=\(row[$0.name] ?? .null)" }
        let values = table.attributes.map { "\($0.name)=\(row[$0.name] ?? .null)" }
        return "\(table.name) \((values + links).sorted())"
      }
    }
  }
}
