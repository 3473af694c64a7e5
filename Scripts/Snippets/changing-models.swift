// The first half of the guide ChangingYourModels, followed to the letter: each step has a folder of
// its own, with the store of an earlier program. The lines that it prints follow from the guide and
// from clause 10.

// after: changing-snacks

// The overview.

try begin("overview")

/// A price that is a text, and a taste for a flavour.
enum Overview {
  @Persistable("Snack")
  struct Priced {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var price = ""
  }

  static func run() throws {
    print(fault { _ = try open(Schema(Priced.self, version: 1)) })
    var store = try open(Schema(Snack.self, version: 1))
    print(try store.fetch(Snack.all).map { $0.taste ?? "none" })
    try store.close()
    store = try open(
      Schema(Snack.self, version: 2),
      MigrationPlan([
        .version(
          2,
          [
            .set("taste", in: "Snack", to: "flavour"), .dropAttributes(["flavour"], in: "Snack"),
          ])
      ]))
    print(try store.fetch(Snack.all).map { $0.taste ?? "none" })
    try store.close()
  }
}
try Overview.run()
// prints: schemaMismatch, schemaMismatch
// prints: ["none"]
// prints: ["salty"]

// A new attribute.

@Persistable("Drink")
struct Drink1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

try enter("attribute")
let drinks = try open(Schema(Drink1.self))
try drinks.save(Drink1(name: "Tea"))
try drinks.close()
// SNIPPET
print(try store.fetch(Drink.all).map { "\($0.name) \($0.isVegan)" })
try store.close()
// prints: ["Tea false"]

// A new name.

func newName() throws {
  // SNIPPET
  print(try store.fetch(Snack.all).map { "\($0.name) \($0.taste ?? "none")" })
  try store.close()
  print(fault { _ = try old() })
}
try begin("name")
try newName()
// prints: ["Chips salty"]
// prints: schemaTooNew

func alias() throws {
  // SNIPPET
  try open(Schema(Snack.self, version: 2), plan).close()
  var store = try old()
  print(try store.fetch(Snack1.all).map { $0.flavour ?? "none" })
  try store.save(Snack1(name: "Cake", flavour: "sweet"))
  try store.close()
  store = try open(Schema(Snack.self, version: 2), plan)
  print(try store.fetch(Snack.all).map { $0.taste ?? "none" })
  try store.close()
  try open(Schema(Snack.self, version: 3), plan).close()
  print(fault { _ = try old() })
  // A store with a history.
  var options = StoreOptions()
  options.history = .retained()
  try begin("history")
  try old(options).close()
  try open(Schema(Snack.self, version: 2), plan).close()
  print(fault { _ = try old() })
}
try begin("alias")
try alias()
// prints: ["salty"]
// prints: ["salty", "sweet"]
// prints: schemaTooNew
// prints: schemaTooNew

// Older programs beside newer ones.

enum Beside {
  @Persistable("Snack")
  struct Vegan {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var flavour: String?
    var price: Double = 0
    var isVegan = false
  }

  @Persistable("Snack")
  struct Required {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var flavour: String
    var price: Double = 0
  }

  static func run() throws {
    try open(Schema(Vegan.self, version: 2)).close()
    var store = try old()
    print(try store.save(Snack1(name: "Cake")).id)
    try store.close()
    let required = MigrationPlan([
      .version(3, [.makeRequired("flavour", in: "Snack", default: .string("plain"))])
    ])
    try open(Schema(Required.self, version: 3), required).close()
    print(fault { _ = try old() })
    store = try old(readOnly)
    print(try store.fetch(Snack1.all).map { $0.flavour ?? "none" })
    try store.close()

    try begin("compatible")
    let doubled = [MigrationStep.set("price", in: "Snack", to: "price * 2")]
    try open(Schema(Snack1.self, version: 2)).close()
    try open(
      Schema(Snack1.self, version: 3),
      MigrationPlan([.version(3, compatible: .reading(since: 2), doubled)])
    ).close()
    print(fault { _ = try old(readOnly) })
    print(fault { _ = try open(Schema(Snack1.self, version: 2)) })
    store = try open(Schema(Snack1.self, version: 2), nil, readOnly)
    print(try store.fetch(Snack1.all).map(\.price))
    try store.close()

    try begin("writing")
    try open(Schema(Snack1.self, version: 2)).close()
    try open(
      Schema(Snack1.self, version: 3),
      MigrationPlan([.version(3, compatible: .writing(since: 2), doubled)])
    ).close()
    print(fault { _ = try old() })
    print(fault { try open(Schema(Snack1.self, version: 2)).save(Snack1(name: "Cake")) })
  }
}
try begin("beside")
try Beside.run()
// prints: 2
// prints: schemaTooNew
// prints: ["salty", "plain"]
// prints: schemaTooNew
// prints: schemaTooNew
// prints: [5.0]
// prints: schemaTooNew
// prints: no error

// An index over many rows.

enum Indexed {
  @Persistable("Snack")
  struct Snack {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    @Attribute(.indexed) var flavour: String?
    var price: Double = 0
  }

  static func run() throws {
    let first = try LMDBStore(path: "app.lmdb", schema: Schema(Snack1.self, version: 1))
    try first.save((1...100).map { Snack1(name: "\($0)", flavour: $0 % 10 == 0 ? "sweet" : nil) })
    try first.close()
    // SNIPPET
    let store = try LMDBStore(
      path: "app.lmdb", schema: Schema(Snack.self, version: 2), options: options)
    let sweet = Snack.where { $0.flavour == "sweet" }
    print(try store.count(sweet), try "\(store.explain(sweet))".contains("index"))
    try store.close()
  }
}
try enter("index")
try Indexed.run()
// prints: 10 true

// A new type.

enum Types {
  @Persistable("Snack")
  struct Before {
    @PrimaryKey(.generated) var id: Int64 = 0
    var price: Double
    var stock: Double
  }

  @Persistable
  struct Snack {
    @PrimaryKey(.generated) var id: Int64 = 0
    var price: Decimal
    var stock: Int64
  }

  static func run() throws {
    // SNIPPET
    func snacks(_ rows: [Before]) throws {
      try? FileManager.default.removeItem(atPath: "app.sqlite")
      let store = try open(Schema(Before.self, version: 1))
      try store.save(rows)
      try store.close()
    }
    try snacks([Before(price: 2.99, stock: 2.5), Before(price: .infinity, stock: 1)])
    print(fault { _ = try open(Schema(Snack.self, version: 2), plan) })
    try snacks([Before(price: 2.99, stock: 2.5), Before(price: 1, stock: .infinity)])
    let store = try open(Schema(Snack.self, version: 2), plan)
    print(try store.fetch(Snack.all).map { "\($0.price) \($0.stock)" })
    try store.close()
  }
}
try enter("types")
try Types.run()
// prints: migrationFailed, invalidValue int(2)
// prints: ["2.99 3", "1 0"]

// Versions.

enum Versions {
  @Persistable
  struct Treat {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var taste: String
    var cents: Int64
  }

  static func run() throws {
    // A store without a version.
    let before = try open(Schema(Snack.self))
    try before.save([
      Snack(name: "Chips", taste: "salty", price: 1.1), Snack(name: "Bread", price: 2),
    ])
    try before.close()
    // SNIPPET
    var exact = plan
    exact.versions[0].steps[1] = .set("cents", in: "Snack", to: "price * 100")
    print(fault { _ = try open(Schema(Treat.self, version: 3), exact) })
    let store = try open(Schema(Treat.self, version: 3), plan)
    print(try store.fetch(Treat.all).map { "\($0.name) \($0.taste) \($0.cents)" })
    print(store.schema.version ?? 0)
    try store.close()
  }
}
try enter("versions")
try Versions.run()
// prints: migrationFailed, invalidValue int(1)
// prints: ["Chips salty 110", "Bread plain 200"]
// prints: 3

// Entities that become one.

@Persistable("Contact")
struct Contact1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var email: String
  var phone: String
}

@Persistable("Customer")
struct Customer1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var email: String
  var discount: Int
}

@Persistable("Order")
struct Order1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var customer: ToOne<Customer1> = ToOne()
}

@Persistable("Vehicle")
struct Vehicle1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

@Persistable("Car")
struct Car1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var doors: Int
}

@Persistable
struct Person {
  @PrimaryKey(.generated) var id: Int64 = 0
  var email: String
  var phone: String?
  var discount: Int?
}

@Persistable
struct Order {
  @PrimaryKey(.generated) var id: Int64 = 0
  var customer: ToOne<Person> = ToOne()
}

@Persistable
struct Vehicle {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

@Persistable(parent: Vehicle.self)
struct Car {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var doors: Int
}

func merge() throws {
  let before = try open(
    Schema(
      Contact1.self, Customer1.self, Order1.self, Vehicle1.self, Car1.self, version: 1))
  try before.save([Contact1(email: "ann", phone: "1"), Contact1(email: "bo", phone: "2")])
  try before.save([Customer1(email: "bo", discount: 5), Customer1(email: "cy", discount: 6)])
  try before.save([Order1(customer: .key(1)), Order1(customer: .key(2))])
  try before.save(Vehicle1(name: "Bike"))
  try before.save(Car1(name: "Mini", doors: 2))
  try before.close()
  // SNIPPET
  let store = try open(
    Schema(Person.self, Order.self, Vehicle.self, Car.self, version: 2), plan)
  for person in try store.fetch(Person.all) {
    print(person.id, person.email, person.phone ?? "-", person.discount ?? 0)
  }
  print(try store.fetch(Order.all).map { $0.customer.id ?? 0 })
  print(try store.fetch(Vehicle.all).map { "\($0.id) \($0.name)" })
  print(try store.fetch(Car.all).map { "\($0.id) \($0.doors)" })
  try store.close()
}
try enter("merge")
try merge()
// prints: 1 ann 1 0
// prints: 2 bo 2 5
// prints: 3 cy - 6
// prints: [2, 3]
// prints: ["1 Bike", "2 Mini"]
// prints: ["2 2"]

// Links that move.

@Persistable("Team")
struct Team1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(shared: true) var players: ToMany<Player1> = ToMany()
}

@Persistable("Player")
struct Player1 {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<Team> = ToOne()
}

@Persistable("Team")
struct OrderedTeam {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \OrderedPlayer.team, ordered: true)
  var players: ToMany<OrderedPlayer> = ToMany()
}

@Persistable("Player")
struct OrderedPlayer {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<OrderedTeam> = ToOne()
}

func moveLinks() throws {
  let before = try open(Schema(Team1.self, Player1.self, version: 1))
  try before.save([Player1(name: "Ann"), Player1(name: "Bo"), Player1(name: "Cy")])
  // Bo is in both teams.
  try before.save(Team1(name: "Reds", players: .keys([2, 1])))
  try before.save(Team1(name: "Blues", players: .keys([3, 2])))
  try before.close()
  // SNIPPET
  let second = try Schema(Team.self, Player.self, version: 2)
  print(fault { _ = try open(second, plan) })
  let first = MigrationPlan([
    .version(2, [.moveLinks(of: "players", in: "Team", surplus: .keepFirst)])
  ])
  var store = try open(second, first)
  print(try store.fetch(Player.all).map { "\($0.name) \($0.team.id ?? 0)" })
  try store.close()
  // An order comes without a step, as that of the keys.
  store = try open(Schema(OrderedTeam.self, OrderedPlayer.self, version: 3), MigrationPlan([]))
  let reds = try store.fetch(OrderedTeam.all.prefetch(\.players))[0]
  print(reds.players.loaded?.map(\.name) ?? [])
  try store.close()
}
try enter("links")
try moveLinks()
// prints: migrationFailed, countOutOfRange int(2)
// prints: ["Ann 1", "Bo 1", "Cy 2"]
// prints: ["Ann", "Bo"]

// Code of your own.

enum Closures {
  @Persistable("Player")
  struct Before {
    @PrimaryKey(.generated) var id: Int64 = 0
    var first: String
    var last: String
  }

  @Persistable("Player")
  struct After {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String?
  }

  static func run() throws {
    let before = try open(Schema(Before.self, version: 1))
    try before.save(Before(first: "Ann", last: "Lee"))
    try before.close()
    // SNIPPET
    let store = try open(Schema(After.self, version: 2), plan)
    print(try store.fetch(After.all).map { $0.name ?? "none" })
    try store.close()
  }
}
try enter("closures")
try Closures.run()
// prints: ["Ann Lee"]
