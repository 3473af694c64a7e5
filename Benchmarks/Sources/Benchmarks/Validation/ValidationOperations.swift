import ORM

/// A model in its store.
protocol ValidationOperations: Sendable {
  func clear() throws
  func insert(_ rows: Int) throws -> Int
  func update(round: Int64) throws -> Int
  func raise() throws -> Int
}

struct ValidationRunner<Row: ValidatedRow>: ValidationOperations {
  let store: any Store

  func clear() throws { try store.deleteAll(Row.self) }

  func insert(_ rows: Int) throws -> Int {
    let models = (1...Int64(rows)).map {
      Row(id: $0, name: "Row number \($0)", score: $0 % 1000, rating: Double($0 % 100) / 100)
    }
    return try store.insert(models).inserted
  }

  func update(round: Int64) throws -> Int {
    var models = try store.fetch(Row.all)
    for index in models.indices { models[index].score += round }
    return try store.save(models).updated
  }

  func raise() throws -> Int {
    // By names: a key path through the protocol is no attribute's.
    try store.write {
      try $0.update(
        DynamicQuery(Row.entity.description.name),
        ["score": .arithmetic(.add, .attribute("score"), .value(.int(1)))])
    }
  }
}
