/// The rows of a hierarchy of beasts, of their dens and of their tags, with delete rules.
struct NaiveHerd: Equatable {
  struct Animal: Equatable {
    var entity: String
    var name: String
    var den: Int?
    /// The mane of a lion, or the lion of a cub.
    var number: Int?
  }

  /// A row that is deleted: of which of the three, and its key.
  struct RowName: Hashable {
    let entity: String
    let id: Int64
  }

  static let animals = ["Beast", "Lion", "Cub"]

  var animals: [Int64: Animal] = [:]
  /// The guardians of the dens.
  var dens: [Int64: Int?] = [:]
  /// The beasts of the tags.
  var tags: [Int64: Int?] = [:]

  /// Returns the row as an entity shows it; nil if it has none.
  func row(_ entity: String, _ id: Int64) -> DraftRow? {
    switch entity {
    case "Den": return dens[id].map { DraftRow(text: "", number: $0) }
    case "BeastTag": return tags[id].map { DraftRow(text: "", number: $0) }
    case "Beast": return animals[id].map { DraftRow(text: $0.name, number: $0.den) }
    default:
      guard let animal = animals[id], animal.entity == entity else { return nil }
      return DraftRow(text: animal.name, number: animal.number)
    }
  }

  /// Writes the attributes of an entity to a stored row.
  mutating func update(_ entity: String, _ id: Int64, text: String?, number: Int??) {
    if let text, Self.animals.contains(entity) { animals[id]?.name = text }
    guard let number else { return }
    switch entity {
    case "Den": dens[id] = .some(number)
    case "BeastTag": tags[id] = .some(number)
    case "Beast": animals[id]?.den = number
    default: animals[id]?.number = number
    }
  }

  mutating func insert(_ entity: String, _ id: Int64, _ row: DraftRow) {
    switch entity {
    case "Den": dens[id] = .some(row.number)
    case "BeastTag": tags[id] = .some(row.number)
    case "Beast":
      animals[id] = Animal(entity: entity, name: row.text, den: row.number, number: nil)
    default: animals[id] = Animal(entity: entity, name: row.text, den: nil, number: row.number)
    }
  }

  func has(_ entity: String, _ id: Int64) -> Bool {
    switch entity {
    case "Den": dens[id] != nil
    case "BeastTag": tags[id] != nil
    default: animals[id] != nil
    }
  }

  /// Returns whether the row's number leads to a row that is there, or is no link.
  func hasTarget(_ entity: String, _ number: Int?) -> Bool {
    guard let number else { return true }
    switch entity {
    case "Beast": return dens[Int64(number)] != nil
    case "Cub", "Den": return animals[Int64(number)]?.entity == "Lion"
    case "BeastTag": return animals[Int64(number)] != nil
    default: return true
    }
  }

  /// Deletes rows together, by the delete rules.
  ///
  /// - Returns: false if a den that stays has a guardian that is deleted; then nothing is deleted.
  mutating func delete(_ rows: Set<RowName>) -> Bool {
    var lost = Set(rows.filter { Self.animals.contains($0.entity) }.map(\.id))
    for (id, animal) in animals where animal.entity == "Cub" {
      if let lion = animal.number, lost.contains(Int64(lion)) { lost.insert(id) }
    }
    var new = self
    for row in rows where row.entity == "Den" { new.dens[row.id] = nil }
    for row in rows where row.entity == "BeastTag" { new.tags[row.id] = nil }
    for case let guardian? in new.dens.values where lost.contains(Int64(guardian)) { return false }
    for id in lost { new.animals[id] = nil }
    new.tags = new.tags.filter { _, beast in beast.map { !lost.contains(Int64($0)) } ?? true }
    for (id, animal) in new.animals {
      if let den = animal.den, new.dens[Int64(den)] == nil { new.animals[id]?.den = nil }
    }
    self = new
    return true
  }
}
