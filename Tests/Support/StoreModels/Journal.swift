package import ORM

/// The trace of a numbered transaction: the greatest key that any had given an ``Entry``.
package struct Journal: PrimaryKeyed, Codable, Equatable {
  package var id: Int
  package var greatest: Int64

  package init(_ id: Int, greatest: Int64) {
    self.id = id
    self.greatest = greatest
  }

  package static let entity = Entity<Journal>("Journal") {
    .key("id", \.id)
      .attribute("greatest", \.greatest)
  }
}

/// A number that processes count up.
package struct Counter: PrimaryKeyed, Codable, Equatable {
  package var id: Int
  package var value: Int

  package init(_ id: Int, value: Int = 0) {
    self.id = id
    self.value = value
  }

  package static let entity = Entity<Counter>("Counter") {
    .key("id", \.id)
      .attribute("value", \.value)
  }
}

/// The content of a file of these tests.
package enum StoreModels {
  package static func schema() throws -> Schema {
    try Schema(Entry.self, Journal.self, Counter.self)
  }
}
