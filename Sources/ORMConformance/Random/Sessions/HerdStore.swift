internal import ORM

// Writes to rows of a herd, by the name of an entity.
extension Store {
  func insert(_ entity: String, _ id: Int64, _ row: DraftRow) throws {
    switch entity {
    case "Beast": try insert(Beast.make(id, row.text, row.number))
    case "Lion": try insert(Lion.make(id, row.text, row.number))
    case "Cub": try insert(Cub.make(id, row.text, row.number))
    case "Den": try insert(Den.make(id, row.text, row.number))
    default: try insert(BeastTag.make(id, row.text, row.number))
    }
  }

  func delete(_ entity: String, _ id: Int64) throws {
    switch entity {
    case "Beast": try delete(Beast.self, id: id)
    case "Lion": try delete(Lion.self, id: id)
    case "Cub": try delete(Cub.self, id: id)
    case "Den": try delete(Den.self, id: id)
    default: try delete(BeastTag.self, id: id)
    }
  }

  func update(_ entity: String, _ id: Int64, _ text: String, _ number: Int?) throws {
    switch entity {
    case "Beast": try update(Beast.self, id, text, number)
    case "Lion": try update(Lion.self, id, text, number)
    case "Cub": try update(Cub.self, id, text, number)
    case "Den": try update(Den.self, id, text, number)
    default: try update(BeastTag.self, id, text, number)
    }
  }

  private func update<Model: Draftable>(
    _ model: Model.Type, _ id: Int64, _ text: String, _ number: Int?
  ) throws {
    guard var row = try find(model, id) else { return }
    row.draftText = text
    row.draftNumber = number
    try update(row)
  }
}
