import ORM

/// The row as a Codable model with an index on its score, as a newcomer writes it.
package struct CodedPlayer: Codable, Persistable, PrimaryKeyed {
  package var id: Int64
  package var name: String
  package var team: Int64?
  package var score: Int64
  package var rating: Double
  package var country: String
  package var isActive: Bool
  package var note: String?

  package static let entity = Entity<CodedPlayer>("Player") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("team", \.team)
      .attribute("score", \.score, .indexed)
      .attribute("rating", \.rating)
      .attribute("country", \.country)
      .attribute("isActive", \.isActive)
      .attribute("note", \.note)
  }

  package init(_ data: PlayerData) {
    (id, name, team, score) = (data.id, data.name, data.team, data.score)
    (rating, country, isActive, note) = (data.rating, data.country, data.isActive, data.note)
  }

  package var data: PlayerData {
    PlayerData(
      id: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}

/// The row as a Codable model without an index.
package struct CodedPlain: Codable, Persistable, PrimaryKeyed {
  package var id: Int64
  package var name: String
  package var team: Int64?
  package var score: Int64
  package var rating: Double
  package var country: String
  package var isActive: Bool
  package var note: String?

  package static let entity = Entity<CodedPlain>("PlainPlayer") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("team", \.team)
      .attribute("score", \.score)
      .attribute("rating", \.rating)
      .attribute("country", \.country)
      .attribute("isActive", \.isActive)
      .attribute("note", \.note)
  }

  package init(_ data: PlayerData) {
    (id, name, team, score) = (data.id, data.name, data.team, data.score)
    (rating, country, isActive, note) = (data.rating, data.country, data.isActive, data.note)
  }
}

/// Ten integers as a Codable model.
package struct CodedNumbers: Codable, Persistable, PrimaryKeyed {
  package var id: Int64
  package var a: Int64
  package var b: Int64
  package var c: Int64
  package var d: Int64
  package var e: Int64
  package var f: Int64
  package var g: Int64
  package var h: Int64
  package var i: Int64

  package static let entity = Entity<CodedNumbers>("Numbers") {
    .key("id", \.id)
      .attribute("a", \.a)
      .attribute("b", \.b)
      .attribute("c", \.c)
      .attribute("d", \.d)
      .attribute("e", \.e)
      .attribute("f", \.f)
      .attribute("g", \.g)
      .attribute("h", \.h)
      .attribute("i", \.i)
  }

  package init(_ data: NumberData) {
    (id, a, b, c, d) = (data.id, data.a, data.b, data.c, data.d)
    (e, f, g, h, i) = (data.e, data.f, data.g, data.h, data.i)
  }

  package var data: NumberData {
    NumberData(id: id, a: a, b: b, c: c, d: d, e: e, f: f, g: g, h: h, i: i)
  }
}
