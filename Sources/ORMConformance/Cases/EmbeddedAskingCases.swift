internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 2.1, 2.8, 3.1, 3.2, 4.1, 4.2 and 7.4 for embedded structs: conditions, orders and results that
  /// name their attributes.
  static let embeddedAsking: [ConformanceCase] = [
    ConformanceCase("embedded: conditions of every front end", "2.1", "2.8", "1.8") { context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      func expect(_ query: Query<Customer>, _ ids: [Int64], line: Int = #line) throws {
        try context.expectEqual(try store.ids(query), ids, "\(query.filter)", line: line)
        let matching = try customers.filter { try query.filter.matches($0) }.map(\.id)
        try context.expectEqual(matching, ids, "in memory: \(query.filter)", line: line)
        let printed = try Filter<Customer>(format: query.filter.formatString)
        try context.expectEqual(printed, query.filter, "printed", line: line)
      }
      try expect(Customer.all.where { $0.home.street == "Elm St" }, [1, 2])
      try expect(Customer.all.where { $0.work.street == "Elm St" }, [3])
      try expect(Customer.all.where { $0.work.street != "Elm St" }, [1, 2, 4, 5])
      try expect(Customer.all.where { $0.work.street.beginsWith("O") }, [2, 4])
      try expect(Customer.all.where { $0.home.number > 3 || $0.work.number == 9 }, [2, 3])
      try expect(Customer.all.where { $0.home.spot == nil }, [1, 3, 5])
      try expect(Customer.all.where { $0.work.spot == nil }, [1, 2, 5])
      try expect(Customer.all.where { $0.work.spot.label == nil }, [1, 2, 4, 5])
      try expect(Customer.all.where { $0.work.spot.latitude > 40 }, [3, 4])
      try expect(Customer.all.where { $0.home.spot.longitude == 0 }, [4])
      try expect(Customer.all.where { $0.home.city == $0.work.city }, [2])
      try expect(Customer.all.where { $0.home.number + 4 == $0.work.number }, [5])
      try expect(Customer.all.where { $0.home[\.city].isIn(["Aix", "Cork"]) }, [1, 4, 5])
      try expect(Customer.all.where { $0.work[\.city] == "" }, [4])
      try expect(Customer.all.where(\.home.city == "Bonn" && \.home.number == nil), [2])
      try expect(Customer.all.where(\.work!.number == 7 || \.work!.spot!.latitude > 51), [3, 4])
      try expect(Customer.all.whose(\.home.street).like("?? St").or(\.work!.city).isNil(), [1, 5])
      try expect(Customer.all.where(attribute: "work.spot.label", equals: "lab"), [3])
      try expect(Customer.all.where("home.city BEGINSWITH 'B' AND work.number > 7"), [2])
      try expect(Customer.all.where("work == nil OR work.spot.label == 'lab'"), [1, 3, 5])
      try expect(Customer.all.where("work.spot != nil AND home.spot == nil"), [3])
      try expect(Customer.all.where("home.street ==[c] 'ELM ST'"), [1, 2])
    },
    ConformanceCase("embedded: #Predicate", "2.1", "2.8", "1.8") { context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      func expect(_ predicate: Predicate<Customer>, _ ids: [Int64], line: Int = #line) throws {
        let filter = Filter(predicate)
        try context.expectEqual(
          try store.ids(Customer.all.where(filter)), ids, "\(filter)", line: line)
        try context.expectEqual(
          try customers.filter { try predicate.evaluate($0) }.map(\.id), ids, line: line)
      }
      try expect(#Predicate { $0.home.city == "Bonn" }, [2, 3])
      try expect(#Predicate { $0.home.number == nil }, [2, 5])
      try expect(#Predicate { $0.work == nil }, [1, 5])
      try expect(#Predicate { $0.work?.street == "Oak St" }, [2, 4])
      try expect(#Predicate { $0.work?.spot?.label == "lab" }, [3])
      try expect(#Predicate { $0.work?.street != "Oak St" }, [1, 3, 5])
    },
    ConformanceCase("embedded: through a to-one", "2.8", "2.9", "1.8") { context in
      let store = try context.open(Customer.self, Parcel.self)
      try store.save(customers)
      try store.save([
        Parcel(1, receiver: .key(2)), Parcel(2, receiver: .key(5)), Parcel(3),
        Parcel(4, receiver: .key(3)),
      ])
      func expect(_ query: Query<Parcel>, _ ids: [Int64], line: Int = #line) throws {
        try context.expectEqual(try store.ids(query), ids, "\(query.filter)", line: line)
      }
      try expect(Parcel.all.where { $0.receiver.home.city == "Bonn" }, [1, 4])
      try expect(Parcel.all.where { $0.receiver.work.street == "Elm St" }, [4])
      try expect(Parcel.all.where { $0.receiver.work == nil }, [2, 3])
      try expect(Parcel.all.where { $0.receiver.work.spot.label == "lab" }, [4])
      try expect(
        Parcel.all.where("receiver.home.city == 'Bonn' AND receiver.work.spot == nil"), [1])
      try context.expectEqual(
        try store.ids(Parcel.all.sorted(by: .descending { $0.receiver.home.street })),
        [2, 1, 4, 3])
      let parcels = try store.fetch(Parcel.all.prefetch(\.receiver))
      try context.expectEqual(parcels[3].receiver.loaded?.work, customers[2].work)
    },
    ConformanceCase(
      "embedded: orders, groups, aggregates and selections", "3.1", "4.1", "4.2", "1.8"
    ) {
      context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      try context.expectEqual(
        try store.ids(
          Customer.all.sorted(by: .ascending(\.home.city), .descending(\.home.number))),
        [1, 5, 3, 2, 4])
      try context.expectEqual(
        try store.ids(Customer.all.sorted(by: .descending { $0.work.number })), [2, 3, 5, 4, 1])
      try context.expectEqual(
        try store.ids(Customer.all.sorted(by: .ascending(\.work!.spot!.latitude))),
        [1, 2, 5, 3, 4])
      try context.expectEqual(try store.sum(Customer.all, \.home.number), 11)
      try context.expectEqual(try store.max(Customer.all) { $0.work.spot.latitude }, 51.75)
      try context.expectEqual(try store.countDistinct(Customer.all, \.home.city), 3)
      let cities = try store.fetch(
        Customer.all.grouped(by: \.home.city) { ($0.count(), $0.max(\.home.number)) })
      try context.expectEqual(cities.map(\.0), ["Aix", "Bonn", "Cork"])
      try context.expectEqual(cities.map(\.1), [2, 2, 1])
      try context.expectEqual(cities.map(\.2), [3, 5, 3])
      let streets = try store.fetch(
        Customer.all.grouped(by: { $0.work.street }) { $0.count() })
      try context.expectEqual(streets.map(\.0), [nil, "Elm St", "Oak St"])
      try context.expectEqual(streets.map(\.1), [2, 1, 2])
      let numbers = try store.fetch(Customer.all.select { ($0.home.number, $0.work.spot.label) })
      try context.expectEqual(numbers.map(\.0), [3, nil, 5, 3, nil])
      try context.expectEqual(numbers.map(\.1), [nil, nil, "lab", nil, nil])
      let distinct: [String] = try store.fetch(Customer.all.select(\.home.city).distinct())
      try context.expectEqual(distinct, ["Aix", "Bonn", "Cork"])
      let rows = try store.read { transaction in
        try transaction.fetch(
          DynamicQuery(
            "Customer",
            where: .compare(
              .attribute("work.spot.label"), .equal, .value(.string("lab")), [])))
      }
      try context.expectEqual(rows.map { $0["home.city"] }, [.string("Bonn")])
    },
    ConformanceCase("embedded: names that are none", "7.4", "1.8") { context in
      let store = try context.open(Customer.self)
      let error = try context.expectError(.unknownAttribute, entity: "Customer") {
        try store.fetch(Customer.all.where("home.stret == 'x'"))
      }
      try context.expect(error.message.contains("did you mean home.street?"), error.message)
      try context.expectError(.invalidCondition, entity: "Customer") {
        try store.fetch(Customer.all.where("home == nil"))
      }
      try context.expectError(.unknownAttribute, entity: "Customer") {
        try store.fetch(Customer.all.where(attribute: "home.zip", equals: "x"))
      }
      try context.expectError(.unknownAttribute, entity: "Customer") {
        try store.fetch(Customer.all.where(\.work?.street == "x"))
      }
    },
  ]
}
