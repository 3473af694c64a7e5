internal import ORM
internal import ORMCore
internal import ORMMigrations

/// One step of a random plan, as a step of the library and as a change of naive tables.
enum NaiveMigration: CustomStringConvertible {
  case renameTable(String, to: String)
  case rename(String, String, to: String)
  case renameLink(String, String, to: String)
  case dropTable(String)
  case drop(String, String)
  case dropLink(String, String)
  case add(String, String, AttributeType, StoredValue?)
  /// Adds a number to the value of another attribute, of rows whose value is greater than a bound.
  case set(String, String, from: String, plus: Int64, above: Int64?)
  case optional(String, String)
  case required(String, String, StoredValue)
  case textOfNumber(String, String)
  case numberOfText(String, String, StoredValue?)
  case rows(String, String, Int64)
  case split(String, [String], into: String, link: String)
  case unique(String, String, keepsFirst: Bool)
  /// Makes a new attribute with a text for each row the key.
  case key(String, String)
  /// Takes the attributes of a link's target, with a letter before their names.
  case fold(String, link: String)
  /// Moves an attribute from a link's target to the table that has the link, or back.
  case move(String, from: String, to: String, link: String)
  /// Makes the rows of a table rows of another; those that agree in the attributes become one.
  case merge(String, into: String, on: [String])

  var description: String {
    switch self {
    case .renameTable(let table, let new): "rename \(table) to \(new)"
    case .rename(let table, let name, let new), .renameLink(let table, let name, let new):
      "rename \(table).\(name) to \(new)"
    case .dropTable(let table): "drop \(table)"
    case .drop(let table, let name), .dropLink(let table, let name): "drop \(table).\(name)"
    case .add(let table, let name, let type, let value):
      "add \(table).\(name) \(type) \(value.map { "\($0)" } ?? "")"
    case .set(let table, let name, let source, let number, let bound):
      "set \(table).\(name) to \(source) + \(number) above \(bound.map { "\($0)" } ?? "nothing")"
    case .optional(let table, let name): "\(table).\(name) optional"
    case .required(let table, let name, let value): "\(table).\(name) required, else \(value)"
    case .textOfNumber(let table, let name): "\(table).\(name) as text"
    case .numberOfText(let table, let name, let value):
      "\(table).\(name) as number, else \(value.map { "\($0)" } ?? "nil")"
    case .rows(let table, let name, let number): "rows \(table).\(name) by \(number)"
    case .split(let table, let names, let new, let link):
      "split \(names) of \(table) into \(new) by \(link)"
    case .unique(let table, let name, let keepsFirst):
      "unique \(table).\(name), \(keepsFirst ? "first" : "last")"
    case .key(let table, let name): "key of \(table): \(name)"
    case .fold(let table, let link): "fold \(table).\(link)"
    case .move(let name, let from, let to, let link):
      "move \(from).\(name) to \(to) through \(link)"
    case .merge(let table, let other, let names): "merge \(table) into \(other) on \(names)"
    }
  }

  /// The steps of the library.
  var steps: [MigrationStep] {
    switch self {
    case .renameTable(let table, let new): [.renameEntity(table, to: new)]
    case .rename(let table, let name, let new): [.renameAttribute(name, to: new, in: table)]
    case .renameLink(let table, let name, let new): [.renameRelationship(name, to: new, in: table)]
    case .dropTable(let table): [.dropEntity(table)]
    case .drop(let table, let name): [.dropAttributes([name], in: table)]
    case .dropLink(let table, let name): [.dropRelationship(name, in: table)]
    case .add(let table, let name, let type, let value):
      [.addAttribute(name, type, in: table, default: value)]
    case .set(let table, let name, let source, let number, let bound):
      [
        .set(
          name, in: table, to: "\(source) + \(number)", where: bound.map { "\(source) > \($0)" })
      ]
    case .optional(let table, let name): [.makeOptional(name, in: table)]
    case .required(let table, let name, let value):
      [.makeRequired(name, in: table, default: value)]
    case .textOfNumber(let table, let name):
      [
        .changeType(of: name, to: .string, in: table, by: .text)
          .undone(by: [.changeType(of: name, to: .int64, in: table)])
      ]
    case .numberOfText(let table, let name, let value):
      [
        .changeType(
          of: name, to: .int64, in: table, onFailure: value.map { .value($0) } ?? .null)
      ]
    case .rows(let table, let name, let number):
      [
        Self.adding(number, table, name).undone(by: [Self.adding(-number, table, name)])
      ]
    case .split(let table, let names, let new, let link):
      [.split(table, into: new, moving: names, link: link)]
    case .unique(let table, let name, let keepsFirst):
      [.removeDuplicates(of: [name], in: table, keeping: keepsFirst ? .first : .last)]
    case .key(let table, let name):
      [
        .addAttribute(name, .string, in: table, default: .string("")),
        .rows(of: table, named: "codes", revision: 1) { row in
          if case .int(let id) = row["id"] { row[name] = .string("c\(id)") }
        }.undone(by: []),
        .changeKey(of: table, to: [name])
          .undone(by: [.changeKey(of: table, to: ["id"], isGenerated: true)]),
      ]
    case .fold(let table, let link): [.fold(link, into: table, prefix: "f")]
    case .move(let name, let from, let to, let link):
      [.move(name, from: from, to: to, through: link)]
    case .merge(let table, let other, let names): [.merge([table], into: other, on: names)]
    }
  }

  private static func adding(_ number: Int64, _ table: String, _ name: String) -> MigrationStep {
    .rows(of: table, named: "add", revision: 1) { row in
      if case .int(let value) = row[name] { row[name] = .int(value + number) }
    }
  }

  /// Changes naive tables.
  func run(on all: inout NaiveTables) {
    switch self {
    case .renameTable(let table, let new):
      all[table].name = new
      for position in all.tables.indices {
        for link in all.tables[position].links.indices
        where all.tables[position].links[link].target == table {
          all.tables[position].links[link].target = new
        }
      }
    case .rename(let table, let name, let new):
      let index = all[table].attributes.firstIndex { $0.name == name } ?? 0
      all[table].attributes[index].name = new
      change(&all[table]) { row in row[new] = row.removeValue(forKey: name) }
    case .renameLink(let table, let name, let new):
      let index = all[table].links.firstIndex { $0.name == name } ?? 0
      all[table].links[index].name = new
      change(&all[table]) { row in row[new] = row.removeValue(forKey: name) }
    case .dropTable(let table):
      for position in all.tables.indices {
        for link in all.tables[position].links where link.target == table {
          drop(link.name, &all.tables[position])
        }
      }
      all.tables.removeAll { $0.name == table }
    case .drop(let table, let name), .dropLink(let table, let name): drop(name, &all[table])
    case .add(let table, let name, let type, let value):
      all[table].attributes.append(
        .init(name: name, type: type, isOptional: value == nil, hasDefault: value != nil))
      change(&all[table]) { row in row[name] = value ?? .null }
    case .set(let table, let name, let source, let number, let bound):
      change(&all[table]) { row in
        guard case .int(let value)? = row[source] else {
          if bound == nil { row[name] = .null }
          return
        }
        if let bound, value <= bound { return }
        row[name] = .int(value + number)
      }
    case .optional(let table, let name): edit(&all[table], name) { $0.isOptional = true }
    case .required(let table, let name, let value):
      edit(&all[table], name) { $0.isOptional = false }
      change(&all[table]) { row in if row[name]?.isNull != false { row[name] = value } }
    case .textOfNumber(let table, let name):
      edit(&all[table], name) { $0.type = .string }
      change(&all[table]) { row in
        if case .int(let value)? = row[name] { row[name] = .string("\(value)") }
      }
    case .numberOfText(let table, let name, let value):
      edit(&all[table], name) { $0.type = .int64 }
      change(&all[table]) { row in
        guard case .string(let text)? = row[name] else { return }
        row[name] = Self.number(text).map { .int($0) } ?? value ?? .null
      }
    case .rows(let table, let name, let number):
      change(&all[table]) { row in
        if case .int(let value)? = row[name] { row[name] = .int(value + number) }
      }
    case .split(let table, let names, let new, let link):
      var target = NaiveTables.Table(
        name: new, attributes: [.init(name: "id", type: .int64, isOptional: false)])
      target.attributes += names.compactMap { all[table].attribute($0) }
      all[table].attributes.removeAll { names.contains($0.name) }
      all[table].links.append(.init(name: link, target: new))
      all[table].rows = all[table].ordered
      change(&all[table]) { row in
        defer { for name in names { row[name] = nil } }
        guard names.contains(where: { row[$0]?.isNull == false }) else { return }
        let id = StoredValue.int(Int64(target.rows.count + 1))
        row[link] = id
        var moved: [String: StoredValue] = ["id": id]
        for name in names { moved[name] = row[name] }
        target.rows.append(moved)
      }
      target.greatest = Int64(target.rows.count)
      all.tables.append(target)
    case .unique(let table, let name, let keepsFirst):
      var distinct: [[String: StoredValue]] = []
      var gone: [StoredValue] = []
      let rows = keepsFirst ? all[table].ordered : all[table].ordered.reversed()
      for row in rows {
        if row[name]?.isNull == false, distinct.contains(where: { $0[name] == row[name] }) {
          gone.append(row[all[table].key] ?? .null)
        } else {
          distinct.append(row)
        }
      }
      all[table].rows = distinct
      // Links to rows that are deleted become nil.
      for position in all.tables.indices {
        for link in all.tables[position].links where link.target == table {
          change(&all.tables[position]) { row in
            if let key = row[link.name], gone.contains(key) { row[link.name] = .null }
          }
        }
      }
    case .key(let table, let name):
      func code(_ value: StoredValue?) -> StoredValue {
        if case .int(let id)? = value { .string("c\(id)") } else { .null }
      }
      all[table].attributes.append(.init(name: name, type: .string, isOptional: false))
      all[table].key = name
      all[table].isGenerated = false
      change(&all[table]) { row in row[name] = code(row["id"]) }
      for position in all.tables.indices {
        for link in all.tables[position].links where link.target == table {
          change(&all.tables[position]) { row in row[link.name] = code(row[link.name]) }
        }
      }
    case .fold(let table, let link): fold(table, link, &all)
    case .move(let name, let from, let to, let link): move(name, from, to, link, &all)
    case .merge(let table, let other, let names): merge(table, other, names, &all)
    }
  }

  /// Drops an attribute or a link with its values, which a later one of its name does not have.
  private func drop(_ name: String, _ table: inout NaiveTables.Table) {
    table.attributes.removeAll { $0.name == name }
    table.links.removeAll { $0.name == name }
    change(&table) { row in row[name] = nil }
  }

  /// Reads a text of digits, digit by digit.
  private static func number(_ text: String) -> Int64? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for character in digits.utf8 {
      guard (48...57).contains(character) else { return nil }
      number = number * 10 + Int64(character - 48)
    }
    return text.hasPrefix("-") ? -number : number
  }

  func change(
    _ table: inout NaiveTables.Table, _ body: (inout [String: StoredValue]) -> Void
  ) {
    for position in table.rows.indices { body(&table.rows[position]) }
  }

  func edit(
    _ table: inout NaiveTables.Table, _ name: String, _ body: (inout NaiveTables.Attribute) -> Void
  ) {
    for position in table.attributes.indices where table.attributes[position].name == name {
      body(&table.attributes[position])
    }
  }
}
