import StrataKit

/// One step of the scenario: a closure that works on a store and describes the outcome.
struct Step {
  let name: String
  let run: (any Store) throws -> String

  init(_ name: String, _ run: @escaping (any Store) throws -> String) {
    self.name = name
    self.run = run
  }
}

/// The steps that run on every store: import, a dozen queries, upsert, update, delete.
enum Scenario {
  static func steps(_ data: FlightData) -> [Step] {
    imports(data) + queries() + GraphScenario.steps() + writes(data)
  }

  static func imports(_ data: FlightData) -> [Step] {
    [
      Step("import countries, airlines, airports, planes") { store in
        try store.write { transaction in
          let parts = [
            try transaction.insert(data.countries).inserted,
            try transaction.insert(data.airlines).inserted,
            try transaction.insert(data.airports).inserted,
            try transaction.insert(data.planes).inserted,
          ]
          return parts.map(String.init).joined(separator: " + ") + " rows"
        }
      },
      Step("import routes, four indexes") { store in
        "\(try store.insert(data.routes).inserted) rows"
      },
    ]
  }

  private static func queries() -> [Step] {
    [
      Step("find one airport by key") { store in
        let all = try store.fetch(Airport.all.limit(1).offset(10))
        guard let key = all.first?.id, let airport = try store.find(Airport.self, key) else {
          return "none"
        }
        return airport.name
      },
      Step("the three highest airports") { store in
        try store.fetch(Airport.all.sorted(by: .descending(\.altitude)).limit(3))
          .map { "\($0.name) \($0.altitude) ft" }.joined(separator: ", ")
      },
      Step("the northernmost airport") { store in
        try store.first(Airport.all.sorted(by: .descending(\.latitude)))?.name ?? "none"
      },
      Step("airports of Iceland, highest first") { store in
        let query = Airport.all.where { $0.country == "Iceland" }
          .sorted(by: .descending(\.altitude))
        let airports = try store.fetch(query)
        return "\(airports.count), first \(airports.first?.name ?? "none")"
      },
      Step("airports between two parallels") { store in
        "\(try store.count(Airport.all.where { $0.latitude.isBetween(-1, 1) }))"
      },
      Step("name CONTAINS[c] 'inter'") { store in
        "\(try store.count(Airport.all.where { $0.name.contains("inter", .caseInsensitive) }))"
      },
      Step("city ==[cd] 'sao paulo'") { store in
        let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
        return "\(try store.count(Airport.all.where { $0.city.equals("sao paulo", options) }))"
      },
      Step("airline name BEGINSWITH[c] 'air '") { store in
        let query = Airline.all.where { $0.name.beginsWith("air ", .caseInsensitive) }
        return "\(try store.count(query))"
      },
      Step("airports without a code") { store in
        "\(try store.count(Airport.all.where { $0.iata == nil }))"
      },
      Step("mean altitude of all airports") { store in
        "\(try store.average(Airport.all, \.altitude) ?? 0)"
      },
      Step("sum of all latitudes, exact") { store in
        "\(try store.sum(Airport.all, \.latitude))"
      },
      Step("routes flown by a 747") { store in
        let query = Route.all.where { $0.equipment.contains("747") || $0.equipment.contains("744") }
        return "\(try store.count(query))"
      },
      Step("routes with stops, or to nowhere known") { store in
        "\(try store.count(Route.all.where { $0.stops > 0 || $0.destination == nil }))"
      },
      Step("ids of airports in routes that point at nothing") { store in
        let sources = try store.count(Route.all.where { $0.sourceID != nil && $0.source == nil })
        let destinations = try store.count(
          Route.all.where { $0.destinationID != nil && $0.destination == nil })
        return "\(sources + destinations)"
      },
      Step("all airports by name, in pages of 100") { store in
        let query = Airport.all.sorted(by: .ascending(\.name))
        var cursor: QueryCursor?
        var count = 0
        var pages = 0
        var lastName = ""
        while true {
          let page = try store.fetch(query.after(cursor).limit(100))
          guard let last = page.last else { break }
          count += page.count
          pages += 1
          lastName = last.name
          cursor = try query.cursor(after: last)
        }
        return "\(count) in \(pages) pages, last \(lastName)"
      },
    ]
  }

  private static func writes(_ data: FlightData) -> [Step] {
    [
      Step("upsert all airports, every tenth changed, 100 new") { store in
        var airports = data.airports
        for index in stride(from: 0, to: airports.count, by: 10) { airports[index].altitude += 1 }
        let first = (airports.map(\.id).max() ?? 0) + 1
        for offset in 0..<100 {
          var airport = airports[offset % airports.count]
          airport.id = first + Int64(offset)
          airport.iata = nil
          airports.append(airport)
        }
        let result = try store.save(airports)
        return "\(result.inserted) new, \(result.updated) changed, \(result.unchanged) the same"
      },
      Step("raise the airports of Iceland by 10 ft") { store in
        let count = try store.update(Airport.all.where { $0.country == "Iceland" }) {
          $0[\.altitude] += 10
        }
        return "\(count) rows"
      },
      Step("delete the routes with stops") { store in
        "\(try store.delete(Route.all.where { $0.stops > 0 })) rows"
      },
      Step("a write block that throws leaves nothing") { store in
        struct Refusal: Error {}
        do {
          try store.write { transaction in
            try transaction.deleteAll(Country.self)
            throw Refusal()
          }
        } catch is Refusal {}
        return "\(try store.count(Country.self)) countries"
      },
    ]
  }
}
