import FoundationEssentials
import ORMCore
import Testing

private struct Ship: PrimaryKeyed, Codable {
  var shipCode: String
  var id: String {
    get { shipCode }
    set { shipCode = newValue }
  }
  var mates: ToMany<CrewMate> = ToMany()
  var guests: ToMany<CrewMate> = ToMany()
  var flags: ToMany<Flag> = ToMany()
  var boats: ToMany<Boat> = ToMany()
  static let entity = Entity<Ship>("Ship") {
    .key("shipCode", \.id)
      .relationship("mates", \.mates, ordered: true, storedName: "hands")
      .relationship("guests", \.guests)
      .relationship("flags", \.flags, shared: true, storedName: "colours")
      .relationship("boats", \.boats, storedName: "dinghies")
  }
}

private struct CrewMate: PrimaryKeyed, Codable {
  var id: Int64
  var homeShip: ToOne<Ship> = ToOne()
  var nextShip: ToOne<Ship> = ToOne()
  static let entity = Entity<CrewMate>("CrewMate") {
    .key("id", \.id)
      .relationship("homeShip", \.homeShip, inverse: \Ship.mates, storedName: "vessel")
      .relationship("nextShip", \.nextShip, inverse: \Ship.guests)
  }
}

private struct Flag: PrimaryKeyed, Codable {
  var id: Int64
  static let entity = Entity<Flag>("Flag") { .key("id", \.id) }
}

private struct Boat: PrimaryKeyed, Codable {
  var id: Int64
  static let entity = Entity<Boat>("Boat") { .key("id", \.id) }
}

/// Names of relationships in the store: clauses 5.8 and 7.6.
@Suite struct StoredLinkNameTests {
  private func schema(_ naming: NamingStrategy = .asIs) throws -> Schema {
    try Schema(Ship.self, CrewMate.self, Flag.self, Boat.self, naming: naming)
  }

  @Test("5.8: a stored name replaces the relationship's name in the columns of its links")
  func names() throws {
    let stored = try schema().stored
    let mate = try #require(stored["CrewMate"])
    #expect(
      mate.columns.map(\.attribute) == [
        "id", "homeShip_shipCode", "nextShip_shipCode", "_Ship_mates_position",
      ])
    #expect(
      mate.columns.map(\.name)
        == ["id", "vessel_shipCode", "nextShip_shipCode", "_Ship_hands_position"])
    #expect(mate.indexes.map(\.name).contains("CrewMate.vessel_shipCode"))
    let join = try #require(stored["Ship_colours"])
    #expect(join.modelName == "Ship_flags")
    #expect(join.columns.map(\.name) == ["Ship_shipCode", "colours_id"])
    #expect(stored["Boat"]?.columns.map(\.name) == ["id", "_Ship_dinghies_shipCode"])
    let copy = try JSONDecoder().decode(StoredSchema.self, from: JSONEncoder().encode(stored))
    #expect(copy == stored)
    #expect(try Schema(stored).stored == stored, "declared by what a store keeps")
  }

  @Test("5.8: a strategy names the parts around a stored name one by one")
  func strategies() throws {
    let stored = try schema(.snakeCase).stored
    #expect(
      stored["crew_mate"]?.columns.map(\.name)
        == ["id", "vessel_ship_code", "next_ship_ship_code", "_ship_hands_position"])
    #expect(stored["ship_colours"]?.columns.map(\.name) == ["ship_ship_code", "colours_id"])
    #expect(stored["boat"]?.columns.map(\.name) == ["id", "_ship_dinghies_ship_code"])
  }

  /// The messages about a schema in which relationships of `Ship` have other stored names.
  private func failures(_ names: [String: String]) throws -> [String] {
    var entities = try schema().entities
    for (name, storedName) in names {
      let position = entities[0].relationships.firstIndex { $0.name == name }
      entities[0].relationships[try #require(position)].storedName = storedName
    }
    do {
      _ = try Schema(entities: entities)
      return []
    } catch let error as StoreError {
      #expect(error.code == .invalidSchema)
      return error.failures.map(\.message)
    }
  }

  @Test("7.6: a stored name that names nothing, or is taken, is refused")
  func refusals() throws {
    #expect(try failures(["mates": "sailors"]).isEmpty)
    #expect(
      try failures(["guests": "visitors"]) == [
        "its name in the store names nothing: CrewMate.nextShip names its links; name that one"
      ])
    #expect(
      try failures(["flags": "Dinghies"])
        == ["it has the same name in the store as flags, apart from case"])
    #expect(
      try failures(["boats": "guests"])
        == ["it has the same name in the store as guests, apart from case"])
    #expect(try failures(["boats": "a.b"]).first?.hasPrefix("its name in the store ") == true)
  }
}
