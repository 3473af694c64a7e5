#if Macros
  import ORM
  import Testing

  enum Colour: String, AttributeValue { case red, blue, other }

  @Persistable
  struct Spot: Hashable {
    var latitude: Double
    @Attribute(.named("lng")) var longitude = 0.0
  }

  @Persistable(indexes: [["city", "street"]])
  struct Address: Hashable {
    @Attribute(.indexed) var street: String
    var city: String
    @Embedded var spot: Spot?
  }

  @Persistable(unique: [["home.street", "name"]])
  struct Resident: Hashable {
    @PrimaryKey(.generated) var id: Int64 = 0
    @Embedded var home: Address
    @Embedded var work: Address?
    @Attribute(.fallback(Colour.other)) var colour: Colour
    @Attribute(.fallback(Colour.other)) var second: Colour?
    var name: String
  }

  /// Made models that hold structs, on the three stores.
  @Suite struct EmbeddedModelTests {
    @Test func `M5: made structs are the columns that they would be by hand`() throws {
      let columns = try Schema(Resident.self, naming: .snakeCase).stored.entities[0].columns
      #expect(
        columns.map(\.name) == [
          "id", "home_street", "home_city", "home_spot", "home_spot_latitude", "home_spot_lng",
          "work", "work_street", "work_city", "work_spot", "work_spot_latitude", "work_spot_lng",
          "colour", "second", "name",
        ])
      #expect(Address.columnCount == 5)
      #expect(Address?.columnCount == 6)
      #expect(Resident.columnCount == 15)
    }

    @Test(arguments: StoreKind.everywhere)
    func `M5: made structs go round and are asked by path`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Resident.self)) { store in
        var ann = Resident(
          home: Address(street: "Elm St", city: "Aix", spot: Spot(latitude: 43.5)), work: nil,
          colour: .red, second: nil, name: "Ann")
        var bob = Resident(
          home: Address(street: "Oak St", city: "Bonn", spot: nil),
          work: Address(street: "Elm St", city: "Bonn", spot: Spot(latitude: 1, longitude: 2)),
          colour: .blue, second: .red, name: "Bob")
        ann = try store.save(ann)
        bob = try store.save(bob)
        #expect(try store.fetch(Resident.all) == [ann, bob])
        #expect(try store.fetch(Resident.all.where { $0.home.spot.latitude > 40 }) == [ann])
        #expect(try store.fetch(Resident.all.where { $0.work.street == "Elm St" }) == [bob])
        #expect(try store.fetch(Resident.all.where { $0.work == nil }) == [ann])
        try store.update(Resident.all) { $0.home.city = "Rome" }
        #expect(try store.find(Resident.self, 2)?.home.city == "Rome")
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `1.4: made models read a raw value without a case as the fallback`(_ kind: StoreKind)
      throws
    {
      try kind.withTestStore(Schema(Resident.self)) { store in
        let home = Address(street: "", city: "", spot: nil)
        try store.save(
          Resident(home: home, work: nil, colour: .red, second: nil, name: ""))
        try store.write { transaction in
          _ = try transaction.update(
            DynamicQuery("Resident"), ["colour": .value(.string("green"))])
        }
        #expect(try store.find(Resident.self, 1)?.colour == .other)
        #expect(try store.find(Resident.self, 1)?.second == nil)
        try store.write { transaction in
          _ = try transaction.update(
            DynamicQuery("Resident"), ["second": .value(.string("pink"))])
        }
        #expect(try store.find(Resident.self, 1)?.second == .other)
      }
    }
  }
#endif
