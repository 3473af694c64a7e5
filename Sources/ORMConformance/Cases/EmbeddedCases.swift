internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 1.1, 1.2, 1.3 and 1.4 for embedded structs: the values that are stored, and those that are
  /// refused.
  static let embedded: [ConformanceCase] = [
    ConformanceCase("embedded structs come back as they were saved", "1.1", "1.2", "1.8") {
      context in
      let store = try context.open(Customer.self)
      try store.save(customers)
      try context.expectEqual(try store.fetch(Customer.all), customers)
      try context.expectEqual(try store.find(Customer.self, 4), customers[3])
      let again = try store.save(customers)
      try context.expectEqual(again.unchanged, 5)
      var changed = customers[1]
      changed.work = nil
      changed.home.spot = Spot(0, -0.0, label: "")
      try store.save(changed)
      try context.expectEqual(try store.find(Customer.self, 2), changed)
    },
    ConformanceCase("nil and a struct of nils are not the same", "1.2", "2.1", "1.8") { context in
      let store = try context.open(Customer.self)
      let empty = PostalAddress("", "")
      try store.save([Customer(1, "a"), Customer(2, "b", work: empty)])
      try context.expectEqual(
        try store.fetch(Customer.all).map(\.work), [nil, PostalAddress("", "")])
      try context.expectEqual(try store.ids(Customer.all.where { $0.work == nil }), [1])
      try context.expectEqual(try store.ids(Customer.all.where { $0.work != nil }), [2])
      try context.expectEqual(try store.ids(Customer.all.where { $0.work.isNil() }), [1])
      try context.expectEqual(
        try store.ids(Customer.all.where { $0.work != nil && $0.work.number == nil }), [2])
    },
    ConformanceCase("embedded structs of models that are Codable", "1.1", "1.2", "1.8") { context in
      let store = try context.open(Client.self)
      let clients = customers.map {
        Client(id: $0.id, home: $0.home, work: $0.work, name: $0.name)
      }
      try store.save(clients)
      try context.expectEqual(try store.fetch(Client.all), clients)
      try context.expectEqual(
        try store.ids(Client.all.where { $0.work.spot.latitude > 50 }), [4])
      let nan = Client(id: 9, home: clients[0].home, work: PostalAddress("", ""), name: "")
      var wrong = nan
      wrong.work?.spot = Spot(1, .nan)
      try context.expectError(
        .invalidValue, entity: "Client", attributes: ["work.spot.longitude"], key: [.int(9)]
      ) { try store.save(wrong) }
    },
    ConformanceCase("NaN inside an embedded struct is refused by its whole name", "1.3", "1.8") {
      context in
      let store = try context.open(Customer.self)
      let home = PostalAddress("", "", spot: Spot(.nan, 1))
      try context.expectError(
        .invalidValue, entity: "Customer", attributes: ["home.spot.latitude"], key: [.int(7)]
      ) { try store.save(Customer(7, home: home)) }
      try context.expectError(
        .invalidValue, entity: "Customer", attributes: ["work.spot.longitude"], key: [.int(8)]
      ) {
        try store.insert(
          Customer(8, work: PostalAddress("", "", spot: Spot(1, .nan))))
      }
      try context.expectEqual(try store.count(Customer.self), 0)
    },
    ConformanceCase(
      "a value that an embedded struct cannot be read from is named whole", "1.4", "1.8"
    ) {
      context in
      // To a program without the Swift type everything inside a struct that may be nil may be nil.
      var store = try context.open(Schema(entities: Schema(Customer.self).entities))
      try store.write { transaction in
        var row = DynamicRow(
          "Customer",
          ["id": .int(1), "name": .string("a"), "work": .bool(true)])
        for name in ["street", "city"] { row["home.\(name)"] = .string("x") }
        for name in ["home.number", "work.street", "work.number"] { row[name] = .null }
        for referrer in ["home", "work"] {
          for name in ["", ".latitude", ".longitude", ".label"] {
            row["\(referrer).spot\(name)"] = .null
          }
        }
        row["work.city"] = .string("y")
        var whole = row
        whole["id"] = .int(2)
        whole["work.street"] = .string("z")
        whole["name"] = .string("b")
        try transaction.insert([row, whole])
      }
      store = try context.reopen(store, Customer.self)
      try context.expectError(
        .decoding, entity: "Customer", attributes: ["work.street"], key: [.int(1)]
      ) { try store.fetch(Customer.all) }
      try context.expectEqual(
        try store.find(Customer.self, 2)?.work, PostalAddress("z", "y"), "others stay readable")
      try context.expectError(
        .decoding, entity: "Client", attributes: ["work.street"], key: [.int(1)]
      ) { try Mapper<Client>.model(from: values(ofClient: 1)) }
    },
  ]

  /// The values of a client whose work address lacks its street.
  private static func values(ofClient id: Int64) -> [StoredValue] {
    let spot = Array(repeating: StoredValue.null, count: 4)
    return [.int(id), .string("a"), .string("b"), .null] + spot
      + [.bool(true), .null, .string("y"), .null] + spot + [.string("c")]
  }
}

/// Customers at home and at work.
let customers = [
  Customer(1, "Ann", home: PostalAddress("Elm St", "Aix", number: 3)),
  Customer(
    2, "Ben", home: PostalAddress("Elm St", "Bonn", spot: Spot(50.5, 7)),
    work: PostalAddress("Oak St", "Bonn", number: 9)),
  Customer(
    3, "Cas", home: PostalAddress("Ash St", "Bonn", number: 5),
    work: PostalAddress("Elm St", "Aix", number: 7, spot: Spot(43.5, 5.5, label: "lab"))),
  Customer(
    4, "Dee", home: PostalAddress("", "Cork", number: 3, spot: Spot(-0.0, 0, label: "")),
    work: PostalAddress("Oak St", "", spot: Spot(51.75, -8.5))),
  Customer(5, "Eve", home: PostalAddress("Fir St", "Aix")),
]

extension Store {
  /// The keys of the rows that a query gives, in its order.
  func ids<Model: PrimaryKeyed>(_ query: Query<Model>) throws -> [Model.ID] {
    try fetch(query).map(\.id)
  }
}
