import Foundation
import StrataKit

struct Country: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var name: String
  var isoCode: String?

  static let entity = Entity<Country>("Country") {
    .key("id", \.id, .generated)
      .attribute("name", \.name, .indexed)
      .attribute("isoCode", \.isoCode)
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    isoCode = try row[2]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(isoCode, at: 2)
  }
}

struct Airline: Persistable, PrimaryKeyed {
  var id: Int64
  var name: String
  var iata: String?
  var callsign: String?
  var country: String?
  var isActive: Bool
  var routes: ToMany<Route> = .notLoaded

  static let entity = Entity<Airline>("Airline") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed(.caseInsensitive))
      .attribute("iata", \.iata, .indexed)
      .attribute("callsign", \.callsign)
      .attribute("country", \.country, .indexed)
      .attribute("isActive", \.isActive)
      .relationship("routes", \.routes, inverse: \Route.airline, delete: .cascade)
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    iata = try row[2]
    callsign = try row[3]
    country = try row[4]
    isActive = try row[5]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(iata, at: 2)
    try row.write(callsign, at: 3)
    try row.write(country, at: 4)
    try row.write(isActive, at: 5)
  }
}

struct Airport: Persistable, PrimaryKeyed, Equatable {
  var id: Int64
  var name: String
  var city: String?
  var country: String?
  var iata: String?
  var latitude: Double
  var longitude: Double
  var altitude: Int
  var departures: ToMany<Route> = .notLoaded
  var arrivals: ToMany<Route> = .notLoaded

  static let entity = Entity<Airport>("Airport") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .attribute("city", \.city)
      .attribute("country", \.country)
      .attribute("iata", \.iata, .unique)
      .attribute("latitude", \.latitude, .indexed)
      .attribute("longitude", \.longitude)
      .attribute("altitude", \.altitude, .default(0))
      .index("country", .descending("altitude"))
      .relationship("departures", \.departures, inverse: \Route.source, delete: .deny)
      .relationship("arrivals", \.arrivals, inverse: \Route.destination)
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    city = try row[2]
    country = try row[3]
    iata = try row[4]
    latitude = try row[5]
    longitude = try row[6]
    altitude = try row[7]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(city, at: 2)
    try row.write(country, at: 3)
    try row.write(iata, at: 4)
    try row.write(latitude, at: 5)
    try row.write(longitude, at: 6)
    try row.write(altitude, at: 7)
  }
}

struct Route: Persistable, PrimaryKeyed {
  var id: Int64 = 0
  var airlineCode: String
  var sourceCode: String
  var destinationCode: String
  var isCodeshare: Bool
  var stops: Int
  var equipment: [String]
  /// The ids as the data has them; some lead nowhere, and stay.
  var airlineID: Int64?
  var sourceID: Int64?
  var destinationID: Int64?
  var airline: ToOne<Airline>
  var source: ToOne<Airport>
  var destination: ToOne<Airport>

  static let entity = Entity<Route>("Route") {
    .key("id", \.id, .generated)
      .attribute("airlineCode", \.airlineCode)
      .attribute("sourceCode", \.sourceCode)
      .attribute("destinationCode", \.destinationCode)
      .attribute("isCodeshare", \.isCodeshare)
      .attribute("stops", \.stops)
      .attribute("equipment", \.equipment, .indexed(.elements))
      .attribute("airlineID", \.airlineID)
      .attribute("sourceID", \.sourceID)
      .attribute("destinationID", \.destinationID)
      .relationship("airline", \.airline)
      .relationship("source", \.source)
      .relationship("destination", \.destination)
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    airlineCode = try row[1]
    sourceCode = try row[2]
    destinationCode = try row[3]
    isCodeshare = try row[4]
    stops = try row[5]
    equipment = try row[6]
    airlineID = try row[7]
    sourceID = try row[8]
    destinationID = try row[9]
    airline = try row.toOne(0, of: Route.self)
    source = try row.toOne(1, of: Route.self)
    destination = try row.toOne(2, of: Route.self)
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(airlineCode, at: 1)
    try row.write(sourceCode, at: 2)
    try row.write(destinationCode, at: 3)
    try row.write(isCodeshare, at: 4)
    try row.write(stops, at: 5)
    try row.write(equipment, at: 6)
    try row.write(airlineID, at: 7)
    try row.write(sourceID, at: 8)
    try row.write(destinationID, at: 9)
    try row.write(airline, toOne: 0, of: Route.self)
    try row.write(source, toOne: 1, of: Route.self)
    try row.write(destination, toOne: 2, of: Route.self)
  }
}

/// The Codable way, for comparison: no row initialiser, no encoder.
struct Plane: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var iata: String?
  var icao: String?

  static let entity = Entity<Plane>("Plane") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("iata", \.iata, .indexed)
      .attribute("icao", \.icao)
  }
}
