internal import ORM
internal import ORMMigrations

// Steps along links, and steps that are undone.
extension NaiveMigration {
  /// Takes the attributes of a link's target into the table that has the link.
  func fold(_ table: String, _ link: String, _ all: inout NaiveTables) {
    guard let target = all.target(of: link, table) else { return }
    let names = target.attributes.filter { !target.isGenerated || $0.name != target.key }
    all[table].links.removeAll { $0.name == link }
    for var attribute in names {
      attribute.name = "f\(attribute.name)"
      all[table].attributes.append(attribute)
    }
    change(&all[table]) { row in
      let linked = target.row(row.removeValue(forKey: link))
      for attribute in names {
        row["f\(attribute.name)"] = linked?[attribute.name] ?? .null
      }
    }
    all.tables.removeAll { $0.name == target.name }
  }

  /// Moves an attribute from one end of a link to the other.
  func move(_ name: String, _ from: String, _ to: String, _ link: String, _ all: inout NaiveTables)
  {
    let giver = all[from]
    guard let attribute = giver.attribute(name) else { return }
    let target = all.target(of: link, to)?.name == from ? nil : all.target(of: link, from)
    change(&all[to]) { row in
      if let target {
        let key = row[target.key]
        row[name] = giver.rows.first { $0[link] == key }?[name] ?? .null
      } else {
        row[name] = giver.row(row[link])?[name] ?? .null
      }
    }
    all[to].attributes.append(attribute)
    all[from].attributes.removeAll { $0.name == name }
  }

  /// Returns whether the inverse of the step gives back every row of the tables.
  func isUndone(in all: NaiveTables) -> Bool {
    switch self {
    case .renameTable, .rename, .renameLink, .add, .rows, .split, .textOfNumber, .move: true
    case .key(let table, _): all[table].isGenerated
    case .optional(let table, let name): all[table].attribute(name)?.isOptional == false
    case .required(let table, let name, _):
      all[table].attribute(name)?.isOptional == true
        && all[table].rows.allSatisfy { $0[name]?.isNull == false }
    case .dropTable, .drop, .dropLink, .set, .numberOfText, .unique, .fold, .merge: false
    }
  }

  /// A fold or a move that loses nothing.
  static func makeAlongLink(
    _ all: NaiveTables, _ random: inout SeededGenerator
  ) -> NaiveMigration? {
    let links = all.tables.flatMap { table in table.links.map { (table, $0) } }
    if links.isEmpty { return nil }
    let (table, link) = random.pick(links)
    guard let target = all.target(of: link.name, table.name), target.name != table.name else {
      return nil
    }
    let keys = table.rows.map { $0[link.name] ?? .null }
    let isWhole = keys.allSatisfy { !$0.isNull }
    let alone = target.rows.filter { !keys.contains($0[target.key] ?? .null) }
    func isFree(_ name: String, _ table: NaiveTables.Table) -> Bool {
      table.attribute(name) == nil && !table.links.contains { $0.name == name }
    }
    func hasNone(_ name: String, _ rows: [[String: StoredValue]]) -> Bool {
      rows.allSatisfy { $0[name]?.isNull != false }
    }
    if random.chance(2) {
      let names = target.attributes.filter { !target.isGenerated || $0.name != target.key }
      let isOther = links.contains { other, another in
        another.target == target.name && (other.name, another.name) != (table.name, link.name)
      }
      let fits = names.allSatisfy {
        isFree("f\($0.name)", table) && (isWhole || $0.isOptional) && hasNone($0.name, alone)
      }
      return isOther || !target.links.isEmpty || !fits ? nil : .fold(table.name, link: link.name)
    }
    let giver = random.chance(2) ? target : table
    let receiver = giver.name == target.name ? table : target
    let names = giver.attributes.map(\.name).filter { name in
      guard name != giver.key, name != "id", isFree(name, receiver),
        let isOptional = giver.attribute(name)?.isOptional
      else { return false }
      if giver.name == target.name { return hasNone(name, alone) && (isWhole || isOptional) }
      let isEqual = target.rows.allSatisfy { row in
        let values = table.rows.filter { $0[link.name] == row[target.key] }.map { $0[name] }
        return values.allSatisfy { $0 == values.first }
      }
      return isEqual && (alone.isEmpty || isOptional)
        && hasNone(name, table.rows.filter { $0[link.name]?.isNull != false })
    }
    return names.isEmpty
      ? nil
      : .move(random.pick(names), from: giver.name, to: receiver.name, link: link.name)
  }
}

extension NaiveTables {
  /// The table that a link leads to.
  fileprivate func target(of link: String, _ table: String) -> Table? {
    self[table].links.first { $0.name == link }.map { self[$0.target] }
  }
}

extension NaiveTables.Table {
  /// The row with a key.
  fileprivate func row(_ key: StoredValue?) -> [String: StoredValue]? {
    rows.first { $0[self.key] == key }
  }
}
