import StrataKit

/// The steps of the demo that use relationships.
enum GraphScenario {
  static func steps() -> [Step] {
    [
      Step("routes from Iceland, through a to-one") { store in
        "\(try store.count(Route.all.where { $0.source.country == "Iceland" }))"
      },
      Step("airports with over 100 departures, by a count") { store in
        "\(try store.count(Airport.all.where { $0.departures.count > 100 }))"
      },
      Step("airports with a flight inside their country") { store in
        let query = Airport.all.where { airport in
          airport.departures.any { $0.destination.country == airport.country }
        }
        return "\(try store.count(query))"
      },
      Step("airlines that fly, and only as a codeshare") { store in
        let query = Airline.all.where {
          $0.routes.count > 0 && $0.routes.all { $0.isCodeshare == true }
        }
        return "\(try store.count(query))"
      },
      Step("the five busiest airports, by a count") { store in
        let query = Airport.all.sorted(by: .descending { $0.departures.count }).limit(5)
        return try store.fetch(query).map { $0.iata ?? "?" }.joined(separator: " ")
      },
      Step("where one can fly from the busiest, as a graph") { store in
        let query = Airport.all.sorted(by: .descending { $0.departures.count }).limit(1)
          .prefetch(\.departures) { $0.prefetch(\.destination) }
        let routes = try store.first(query)?.departures.loaded ?? []
        let cities = Set(routes.compactMap { $0.destination.loaded?.city })
        return "\(routes.count) routes to \(cities.count) cities"
      },
      Step("deleting an airport with departures is denied") { store in
        do {
          let busy = try store.first(Airport.all.where { $0.departures.count > 0 })
          if let busy { try store.delete(busy) }
          return "it was not"
        } catch let error as StoreError where error.code == .denied {
          return "denied"
        }
      },
      Step("deleting the airlines of Iceland takes their routes along") { store in
        let before = try store.count(Route.self)
        let airlines = try store.delete(Airline.all.where { $0.country == "Iceland" })
        return "\(airlines) airlines, \(before - (try store.count(Route.self))) routes"
      },
    ]
  }
}
