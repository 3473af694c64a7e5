internal import ORM
internal import ORMMigrations

// Tables that become one.
extension NaiveMigration {
  /// Makes the rows of a table rows of another, in the order of their keys.
  func merge(_ name: String, _ into: String, _ on: [String], _ all: inout NaiveTables) {
    let (source, target) = (all[name], all[into])
    let added = source.attributes.filter { attribute in
      attribute.name != source.key && target.attribute(attribute.name) == nil
    }
    let isByKey = on == [target.key]
    var last = target.greatest
    var keys: [(old: StoredValue, new: StoredValue)] = []
    for row in source.ordered {
      let isWhole = !on.isEmpty && on.allSatisfy { row[$0]?.isNull == false }
      let found = target.rows.first { other in
        isWhole && on.allSatisfy { other[$0] == row[$0] }
      }
      var key = found?[target.key] ?? row[source.key] ?? .null
      if found == nil, target.isGenerated, !isByKey {
        last += 1
        key = .int(last)
      }
      keys.append((row[source.key] ?? .null, key))
    }
    all[into].greatest = last
    func moved(_ key: StoredValue?) -> StoredValue {
      keys.first { $0.old == key }?.new ?? .null
    }
    for position in all.tables.indices {
      for link in all.tables[position].links.indices
      where all.tables[position].links[link].target == name {
        let property = all.tables[position].links[link].name
        change(&all.tables[position]) { row in row[property] = moved(row[property]) }
        all.tables[position].links[link].target = into
      }
    }
    for position in all[into].attributes.indices {
      let attribute = all[into].attributes[position]
      let isOptional = source.attribute(attribute.name)?.isOptional ?? true
      if attribute.name != target.key, isOptional {
        all[into].attributes[position].isOptional = true
      }
    }
    for var attribute in added {
      attribute.isOptional = true
      all[into].attributes.append(attribute)
      change(&all[into]) { row in row[attribute.name] = .null }
    }
    for link in all[name].links {
      all[into].links.append(link)
      change(&all[into]) { row in row[link.name] = .null }
    }
    for row in all[name].ordered {
      let key = moved(row[source.key])
      var values = row
      values[source.key] = nil
      if let index = all[into].rows.firstIndex(where: { $0[target.key] == key }) {
        for (property, value) in values where !value.isNull {
          all[into].rows[index][property] = value
        }
      } else {
        var new: [String: StoredValue] = [target.key: key]
        for attribute in all[into].attributes where attribute.name != target.key {
          new[attribute.name] = values[attribute.name] ?? .null
        }
        for link in all[into].links { new[link.name] = values[link.name] ?? .null }
        all[into].rows.append(new)
      }
    }
    all.tables.removeAll { $0.name == name }
  }

  /// A merge of two tables without conflicts, whose keys are of one sort.
  static func makeMerge(_ all: NaiveTables, _ random: inout SeededGenerator) -> NaiveMigration? {
    guard all.tables.count > 1 else { return nil }
    let (source, target) = (random.pick(all.tables), random.pick(all.tables))
    guard source.name != target.name, source.key == "id", target.key == "id",
      source.isGenerated, target.isGenerated
    else { return nil }
    let shared = source.attributes.filter { target.attribute($0.name) != nil }
    let names = Set(source.attributes.map(\.name) + source.links.map(\.name))
    let columns = source.links.map { "\($0.name)_\(all[$0.target].key)" }
    guard shared.allSatisfy({ target.attribute($0.name)?.type == $0.type }),
      target.links.allSatisfy({ !names.contains($0.name) }),
      source.links.allSatisfy({ target.attribute($0.name) == nil }),
      columns.allSatisfy({ target.attribute($0) == nil }),
      target.attributes.allSatisfy({ !$0.hasDefault || source.attribute($0.name) != nil })
    else { return nil }
    let on = shared.filter { $0.name != "id" }.map(\.name)
    if random.chance(3) { return .merge(source.name, into: target.name, on: []) }
    if on.isEmpty { return nil }
    // All that both have are compared, so that nothing is in conflict, and no row agrees with another.
    func isUnique(_ rows: [[String: StoredValue]]) -> Bool {
      var known: [[StoredValue]] = []
      for row in rows {
        let values = on.map { row[$0] ?? .null }
        if values.contains(where: \.isNull) { continue }
        if known.contains(values) { return false }
        known.append(values)
      }
      return true
    }
    return isUnique(source.rows) && isUnique(target.rows)
      ? .merge(source.name, into: target.name, on: on) : nil
  }
}
