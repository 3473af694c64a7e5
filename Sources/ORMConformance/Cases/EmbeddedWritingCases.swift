internal import ORM

extension ConformanceCase {
  /// Clauses 5.1 to 5.6 and 7.5 for embedded structs: updates, patches, policies, old files.
  static let embeddedWriting: [ConformanceCase] = [
    ConformanceCase("embedded: updates and patches set parts and wholes", "5.4", "1.8") { context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      var known = customers
      try context.expectEqual(
        try store.update(Customer.all.where { $0.home.city == "Aix" }) {
          $0.home.city = "Nice"
          $0.home[\.number] += 1
        }, 2)
      (known[0].home.city, known[4].home.city) = ("Nice", "Nice")
      known[0].home.number = 4
      try context.expectEqual(try store.fetch(Customer.all), known)
      try store.patch(Customer.self, 3) {
        $0.work.number = nil
        $0.work.spot.label = "x"
        $0.name = "Cat"
      }
      known[2].name = "Cat"
      known[2].work?.number = nil
      known[2].work?.spot?.label = "x"
      try store.patch(Customer.self, 1) {
        $0.work = PostalAddress("New St", "Aix", spot: Spot(1, 2))
      }
      known[0].work = PostalAddress("New St", "Aix", spot: Spot(1, 2))
      try store.update(Customer.all.where { $0.id > 1 && $0.id < 4 }) { $0.work = nil }
      (known[1].work, known[2].work) = (nil, nil)
      try store.patch(Customer.self, 4) { $0.work.spot = nil }
      known[3].work?.spot = nil
      try store.patch(Customer.self, 5) { $0.home = PostalAddress("A", "B") }
      known[4].home = PostalAddress("A", "B")
      try context.expectEqual(try store.fetch(Customer.all), known)
      try context.expectEqual(
        try store.ids(Customer.all.where { $0.work.street != nil }), [1, 4], "nothing is left")
      try context.expectEqual(try store.ids(Customer.all.where { $0.work.spot.label != nil }), [])
    },
    ConformanceCase("embedded: a struct that is nil has no parts to set", "5.4", "5.5", "1.8") {
      context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      try context.expectError(
        .missingValue, entity: "Customer", attributes: ["work"], key: [.int(1)]
      ) { try store.update(Customer.all) { $0.work.city = "Rome" } }
      try context.expectError(
        .missingValue, entity: "Customer", attributes: ["work.spot"], key: [.int(2)]
      ) { try store.patch(Customer.self, 2) { $0.work.spot.label = "x" } }
      try context.expectError(
        .missingValue, entity: "Customer", attributes: ["work"]
      ) {
        try store.patch(Customer.all.where { $0.id == 9 }, onMissing: .insert) {
          $0.home = PostalAddress("a", "b")
          $0.name = "n"
          $0.work.city = "c"
        }
      }
      try context.expectEqual(try store.fetch(Customer.all), customers)
      try store.patch(Customer.all.where { $0.id == 9 }, onMissing: .insert) {
        $0.home = PostalAddress("a", "b")
        $0.name = "n"
        $0.work = PostalAddress("c", "d")
      }
      try context.expectEqual(
        try store.find(Customer.self, 9),
        Customer(9, "n", home: PostalAddress("a", "b"), work: PostalAddress("c", "d")))
      try context.expectError(
        .invalidValue, entity: "Customer", attributes: ["home.spot.latitude"]
      ) { try store.patch(Customer.self, 2) { $0.home.spot.latitude = .nan } }
      try context.expectError(.invalidValue, entity: "Customer", attributes: ["work"]) {
        try store.patch(Customer.self, 2) { $0.set("work", to: .bool(false)) }
      }
      try context.expectError(.missingValue, entity: "Customer") {
        try store.patch(Customer.self, 1) { $0.set("work", to: .bool(true)) }
      }
      try store.patch(Customer.self, 2) { $0.set("work", to: .null) }
      try context.expectEqual(
        try store.ids(Customer.all.where { $0.work.street == "Oak St" }), [4])
    },
    ConformanceCase("embedded: saves by match and merge policies", "5.2", "5.4", "1.8") { context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      var known = customers
      // The whole struct, nil among its parts.
      try store.save(Customer(0, "Abe", home: customers[0].home), matchingOn: \.home)
      known[0].name = "Abe"
      try store.save(
        Customer(0, "Bea", home: PostalAddress("x", "y"), work: customers[1].work),
        matchingOn: \.work)
      known[1] = Customer(2, "Bea", home: PostalAddress("x", "y"), work: customers[1].work)
      try store.save(
        Customer(0, "Eva", home: PostalAddress("Fir St", "z")), matchingOn: \.home.street,
        onMissing: .ignore)
      known[4] = Customer(5, "Eva", home: PostalAddress("Fir St", "z"))
      try context.expectEqual(try store.fetch(Customer.all), known)
      var only = Customer(3, "no", home: PostalAddress("Ivy St", "w"))
      try store.save([only], merge: .only(\.home))
      known[2].home = only.home
      only.work = PostalAddress("q", "r")
      try store.save([only], merge: .only(\.work))
      known[2].work = only.work
      try store.save([Customer(4, "Dot", home: customers[3].home)], merge: .skippingNil)
      known[3].name = "Dot"
      try context.expectEqual(try store.fetch(Customer.all), known)
      try context.expectError(.invalidCondition, entity: "Customer") {
        try store.save([only], merge: .only(\.work!.city))
      }
    },
    ConformanceCase("embedded: unique rules and indexes", "5.1", "1.8") { context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      try context.expectError(
        .duplicate, entity: "Customer", attributes: ["name", "home.street"]
      ) { try store.insert(Customer(9, "Ann", home: PostalAddress("Elm St", "z"))) }
      let plan = try store.explain(Customer.all.where { $0.work.street == "Elm St" }, analyze: true)
      try context.expectEqual(
        try store.ids(
          Customer.all.where { $0.home.city == "Bonn" }.sorted(by: .descending(\.home.street))),
        [2, 3], "\(plan)")
      try context.expectEqual(try store.check().isSound, true)
    },
    ConformanceCase("embedded: rules of a struct are its referrer's", "5.6", "1.8") { context in
      let store = try context.open(try Schema(Customer.self))
      try store.save(customers)
      try context.expectError(.validationFailed, entity: "Customer", key: [.int(1)]) {
        try store.save(Customer(1, home: PostalAddress("", "", number: -1)))
      }
      try context.expectError(.validationFailed, entity: "Customer", key: [.int(1)]) {
        try store.save(Customer(1, work: PostalAddress("", "", number: -1)))
      }
      try context.expectError(.validationFailed, entity: "Customer") {
        try store.update(Customer.all) { $0.home[\.number] -= 4 }
      }
      try context.expectEqual(try store.fetch(Customer.all), customers)
    },
    ConformanceCase("embedded: structs that may be nil are added to old rows", "7.5", "1.8") {
      context in
      var plain = Customer.entity.description
      plain.attributes.removeAll { $0.name.hasPrefix("work") }
      plain.indexes.removeAll { $0.terms[0].attribute.hasPrefix("work") }
      var store = try context.open(try Schema(entities: [plain]))
      try store.write { transaction in
        _ = try transaction.insert([
          DynamicRow(
            "Customer",
            [
              "id": .int(1), "name": .string("Ann"), "home.street": .string("Elm St"),
              "home.city": .string("Aix"), "home.number": .int(3), "home.spot": .null,
              "home.spot.latitude": .null, "home.spot.longitude": .null, "home.spot.label": .null,
            ])
        ])
      }
      store = try context.reopen(store, Customer.self)
      try context.expectEqual(try store.fetch(Customer.all), [customers[0]])
      try store.save(customers)
      try context.expectEqual(try store.fetch(Customer.all), customers)
      let names = store.schema.entity(named: "Customer")?.columns.map(\.name) ?? []
      try context.expectEqual(
        names.filter { $0.hasPrefix("work") }.sorted(),
        [
          "work", "work_city", "work_number", "work_spot", "work_spot_caption",
          "work_spot_latitude", "work_spot_longitude", "work_street",
        ])
    },
  ]
}
