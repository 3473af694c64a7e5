import Foundation
import StrataKit

/// The five files of a flights folder, read into models once.
struct FlightData {
  var countries: [Country] = []
  var airlines: [Airline] = []
  var airports: [Airport] = []
  var routes: [Route] = []
  var planes: [Plane] = []
  init(folder: String) throws {
    func file(_ name: String) throws -> [FlightRecord] {
      var records: [FlightRecord] = []
      try ImportFrom.csv(.file("\(folder)/\(name).csv")).forEachRecord { fields in
        records.append(FlightRecord(fields))
      }
      return records
    }
    countries = try file("countries").map { try Country($0) }
    airlines = try file("airlines").map { try Airline($0) }
    airports = try file("airports").map { try Airport($0) }
    let knownAirlines = Set(airlines.map(\.id))
    let knownAirports = Set(airports.map(\.id))
    for fields in try file("routes") {
      // An id without a target stays as it is, and makes no link.
      func link<Target: PrimaryKeyed>(
        _ name: String, among known: Set<Int64>
      ) -> ToOne<Target> where Target.ID == Int64 {
        guard let id = fields[name].flatMap({ Int64($0) }), known.contains(id) else { return nil }
        return .key(id)
      }
      routes.append(
        try Route(
          fields, airline: link("airline_id", among: knownAirlines),
          source: link("source_id", among: knownAirports),
          destination: link("destination_id", among: knownAirports)))
    }
    planes = try file("planes").map { try Plane($0) }
  }

  var rowCount: Int {
    countries.count + airlines.count + airports.count + routes.count + planes.count
  }
}

/// One record by field names; an empty field is nil.
struct FlightRecord {
  private let line: Int
  private let values: [String: String]

  init(_ fields: [(name: String, field: SourceField, location: ImportLocation)]) {
    line = fields.first?.location.line ?? 1
    var values: [String: String] = [:]
    for (name, field, _) in fields {
      if case .text(let text) = field, !text.isEmpty { values[name] = text }
    }
    self.values = values
  }

  subscript(name: String) -> String? { values[name] }

  func required(_ name: String) throws -> String {
    guard let text = values[name] else { throw fault(name) }
    return text
  }

  func integer(_ name: String) throws -> Int64 {
    guard let number = Int64(try required(name)) else { throw fault(name) }
    return number
  }

  func double(_ name: String) throws -> Double {
    guard let number = Double(try required(name)) else { throw fault(name) }
    return number
  }

  private func fault(_ name: String) -> StoreError {
    StoreError(
      .invalidImport,
      "line \(line): the field '\(name)' is missing or has a value of the wrong type")
  }
}

extension Country {
  init(_ fields: FlightRecord) throws {
    name = try fields.required("name")
    isoCode = fields["iso_code"]
  }
}

extension Airline {
  init(_ fields: FlightRecord) throws {
    id = try fields.integer("id")
    name = try fields.required("name")
    iata = fields["iata"]
    callsign = fields["callsign"]
    country = fields["country"]
    isActive = fields["active"] == "Y"
  }
}

extension Airport {
  init(_ fields: FlightRecord) throws {
    id = try fields.integer("id")
    name = try fields.required("name")
    city = fields["city"]
    country = fields["country"]
    iata = fields["iata"]
    latitude = try fields.double("latitude")
    longitude = try fields.double("longitude")
    altitude = Int(try fields.integer("altitude_ft"))
  }
}

extension Route {
  init(
    _ fields: FlightRecord, airline: ToOne<Airline>, source: ToOne<Airport>,
    destination: ToOne<Airport>
  ) throws {
    airlineID = fields["airline_id"].flatMap { Int64($0) }
    sourceID = fields["source_id"].flatMap { Int64($0) }
    destinationID = fields["destination_id"].flatMap { Int64($0) }
    self.airline = airline
    self.source = source
    self.destination = destination
    airlineCode = try fields.required("airline")
    sourceCode = try fields.required("source")
    destinationCode = try fields.required("destination")
    isCodeshare = fields["codeshare"] == "Y"
    stops = Int(try fields.integer("stops"))
    equipment = (fields["equipment"] ?? "").split(separator: " ").map(String.init)
  }
}

extension Plane {
  init(_ fields: FlightRecord) throws {
    name = try fields.required("name")
    iata = fields["iata"]
    icao = fields["icao"]
  }
}
