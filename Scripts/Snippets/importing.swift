// The guide ImportingAndExporting, followed to the letter. The lines that it prints follow from the
// guide and from clause 12.

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
  var tags: [String] = []
  var added: Date?
}

@Persistable
struct Address {
  var street: String
  var city: String?
}

@Persistable
struct Customer {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Embedded var home: Address?
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
  var fullName: String
  var team: ToOne<Team> = ToOne()
}

/// The key comes from the program.
@Persistable
struct Vehicle {
  @PrimaryKey var id: Int64
  var name: String
}

/// A box that may be in another.
@Persistable
struct Box {
  @PrimaryKey var id: Int64
  var parent: ToOne<Box> = ToOne()
}

func opened() throws -> MemoryStore {
  MemoryStore(
    schema: try Schema(Snack.self, Customer.self, Team.self, Player.self, Vehicle.self, Box.self))
}

func write(_ text: String, to file: String) throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: file))
}

func lines(of file: String) throws -> [String] {
  try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isNewline).map(
    String.init)
}

func show(_ store: any Store) throws {
  for snack in try store.fetch(Snack.all) {
    print(snack.id, snack.name, snack.taste ?? "-", snack.price)
  }
}

// In one call.

func oneCall() throws {
  let store = try opened()
  try store.save([Snack(name: "Chips", price: 2.5), Snack(name: "Tea", price: 1)])
  try write(
    """
    {"data": {"items": [
      {"name": "Chips", "price": 2.5}, {"name": "Cake", "price": 4}, {"name": "Tea", "price": 1.5}
    ]}}
    """, to: "snacks.json")
  // SNIPPET
  try show(store)
  print(try lines(of: "cheap.csv"))
  // The same by names, without a match: each record is a new row.
  print(
    try store.import(entity: "Snack", from: .json(.file("snacks.json"), at: "data.items")).inserted)
  print(try store.export(DynamicQuery("Snack"), to: .json("all.json")).records)
}
try oneCall()
// prints: Snack: 3 read, 1 inserted, 1 updated, 1 unchanged
// prints: 1 Chips - 2.5
// prints: 2 Tea - 1.5
// prints: 3 Cake - 4.0
// prints: ["id,name,taste,price,stock,tags,added", "1,Chips,,2.5,0,[],", "2,Tea,,1.5,0,[],"]
// prints: 3
// prints: 6

// Sources.

func download(_ store: any Store) async throws {
  // SNIPPET
  print(report.inserted)
}
func sources() async throws {
  let store = try opened()
  try await download(store)
  print(
    fault {
      let stream = AsyncStream<[UInt8]> { $0.finish() }
      try store.import(Snack.self, from: .jsonLines(.chunks(stream)))
    })
  try fields(store)
}
func fields(_ store: MemoryStore) throws {
  try store.import(Snack.self, from: .rows([DynamicRow("Snack", ["name": .string("Nuts")])]))
  let text = """
    name,tags
    Chips,salty new
    Cake,"[""very sweet"", ""new""]"
    Tea,salty;new
    """
  try store.import(Snack.self, from: .csv(.text(text)))
  print(try store.fetch(Snack.all).map { "\($0.name) \($0.tags)" })
  try store.import(
    Customer.self, from: .csv(.text("name,home.street,home.city\nAnn,High Street,\nBo,,\n")))
  print(
    try store.fetch(Customer.all).map { customer in
      customer.home.map { "\($0.street) \($0.city ?? "-")" } ?? "none"
    })
  let snacks = "name,taste\nBread,\nWater,\"\"\n"
  try store.import(Snack.self, from: .csv(.text(snacks)))
  print(
    try store.fetch(Snack.where { $0.name == "Bread" || $0.name == "Water" }).map(\.taste?.count))
  // Keys of a to-many and of a to-one.
  try store.save((1...3).map { Player(id: $0, fullName: "P\($0)") })
  try store.import(Team.self, from: .csv(.text("id,name,players\n1,Reds,1 3\n2,Blues,[]\n"))) {
    $0.mapping = JSONMapping(Team.self).keys(\.players)
  }
  try store.import(Player.self, from: .csv(.text("id,team_id\n2,2\n"))) { $0.match = .key }
  print(try store.fetch(Player.all).map { $0.team.id ?? 0 })
}
try await sources()
// prints: 1
// prints: invalidImport
// prints: ["Juice []", "Nuts []", "Chips [\"salty\", \"new\"]", "Cake [\"very sweet\", \"new\"]", "Tea [\"salty;new\"]"]
// prints: ["High Street -", "none"]
// prints: [nil, Optional(0)]
// prints: [1, 2, 1]

// Find or create.

func found(_ store: any Store) throws {
  // SNIPPET
  print(try store.fetch(Vehicle.all).map { "\($0.id) \($0.name)" })
}
func values() throws {
  let store = try opened()
  func importing(_ text: String, _ set: (inout ImportOptions<Snack>) -> Void = { _ in }) throws {
    try store.import(Snack.self, from: .json(.text(text))) { set(&$0) }
  }
  try store.save(Snack(name: "Chips", taste: "salty", price: 2))
  // Null clears, an absent member keeps, and of two records with one key the later counts.
  try importing(#"[{"id": 1, "price": 3}, {"id": 1, "taste": null, "price": 4}]"#)
  try show(store)
  try importing(#"[{"id": 1, "name": "Crisps"}]"#) { $0.merge = .replace }
  try show(store)
  try importing(#"[{"id": 1, "name": "Chips", "taste": "salty"}]"#)
  try importing(#"[{"id": 1, "name": "Chips", "taste": null}]"#) { $0.merge = .skippingNil }
  try importing(#"[{"id": 1, "name": "Never"}]"#) { $0.merge = .insertOnly }
  try show(store)
  print(fault { try importing(#"[{"id": 9, "name": "Nuts"}]"#) { $0.onMissing = .throw } })
  try importing(#"[{"id": 9, "name": "Nuts"}]"#) { $0.onMissing = .ignore }
  try importing(#"[{"name": "Cake"}]"#) { $0.given = { $0.taste = "sweet" } }
  try show(store)
  try found(store)
  try store.save(Vehicle(id: 7, name: "Van"))
  try found(store)
}
try values()
// prints: 1 Chips - 4.0
// prints: 1 Crisps - 0.0
// prints: 1 Chips salty 0.0
// prints: notFound
// prints: 1 Chips salty 0.0
// prints: 2 Cake sweet 0.0
// prints: []
// prints: ["7 Van"]

func members() throws {
  let store = try opened()
  try store.save(Team(name: "Reds", players: [Player(fullName: "Old"), Player(fullName: "Bo")]))
  // SNIPPET
  print(try store.fetch(Player.all).map { "\($0.fullName) \($0.team.id ?? 0)" })
  let report = try store.import(
    Team.self, from: .json(.text(#"[{"id": 1, "name": "Blues"}, {"id": 1, "players": []}]"#))
  ) { $0.mapping = JSONMapping(Team.self).nested(\.players, as: .saveMissing, missing: .delete) }
  print(try store.count(Player.self), report.deleted, report.related["Player"]?.deleted ?? 0)
}
try members()
// prints: ["Old 1"]
// prints: 0 1 1

// Links.

func links() throws {
  let store = try opened()
  try store.save(Team(name: "Reds"))
  // SNIPPET
  func importing(_ name: String, _ club: String, _ missing: ImportMissingTargets) throws {
    try store.import(
      Player.self, from: .jsonLines(.text(#"{"fullName": "\#(name)", "club": "\#(club)"}"#))
    ) {
      $0.mapping = mapping
      $0.missingTargets = missing
    }
  }
  try importing("Bo", "Greens", .clear)
  print(fault { try importing("Cy", "Greens", .fail) })
  print(fault { try importing("Cy", "Greens", .keepKey) })
  try importing("Cy", "Greens", .create)
  print(try store.fetch(Player.all).map { "\($0.fullName) \($0.team.id ?? 0)" })
  print(try store.fetch(Team.all).map(\.name))
  try store.save(Team(name: "Reds"))
  print(fault { try importing("Di", "Reds", .clear) })
  // Links to a record of the same batch, and to one that comes later.
  for last in [2, 1001] {
    let boxes = [#"{"id": 1, "parent_id": \#(last)}"#] + (2...last).map { #"{"id": \#($0)}"# }
    let text = boxes.joined(separator: "\n")
    let report = try store.import(Box.self, from: .jsonLines(.text(text)))
    print(report.deferred, try store.find(Box.self, 1)?.parent.id ?? 0)
    try store.delete(Box.all)
  }
}
try links()
// prints: missingTarget
// prints: invalidMapping
// prints: ["Ann 1", "Bo 0", "Cy 2"]
// prints: ["Reds", "Greens"]
// prints: ambiguous
// prints: 0 2
// prints: 1 1001

// Prune.

func pruning() throws {
  let store = try opened()
  try store.save([
    Snack(name: "Chips", taste: "salty"), Snack(name: "Nuts", taste: "salty"),
    Snack(name: "Cake", taste: "sweet"),
  ])
  try write("id,name,taste,price\n1,Chips,salty,2\n", to: "salty.csv")
  // SNIPPET
  try show(store)
  func pruned(_ text: String, _ set: (inout ImportOptions<Snack>) -> Void = { _ in }) throws {
    try store.import(Snack.self, from: .csv(.text(text))) {
      $0.prune = .missing(in: Snack.all)
      set(&$0)
    }
  }
  print(fault { try pruned("id,name\n") })
  let bad = "id,name,price\n1,Chips,1\n3,Cake,much\n"
  print(fault { try pruned(bad) { $0.onBad = .collect() } })
  try pruned(bad) {
    $0.onBad = .collect()
    $0.prunesDespiteBadRecords = true
  }
  try show(store)
}
try pruning()
// prints: 1 Chips salty 2.0
// prints: 3 Cake sweet 0.0
// prints: pruneRefused
// prints: pruneRefused
// prints: 1 Chips salty 1.0

// Bad records.

func badRecords() throws {
  let store = try opened()
  let text = """
    {"data": {"items": [
      {"name": "Chips", "price": 2},
      {"name": "Cake", "price": "much"}
    ]}}
    """
  let report = try store.import(Snack.self, from: .json(.text(text), at: "data.items")) {
    $0.onBad = .collect(writingTo: "rejects.jsonl")
  }
  print(report.inserted, report.bad.map(\.number), report.bad[0].path)
  print(report.bad[0].error.message)
  let rejected = try lines(of: "rejects.jsonl")
  try write(rejected[0].replacingOccurrences(of: #""much""#, with: "4"), to: "rejects.jsonl")
  try store.import(Snack.self, from: .jsonLines(.file("rejects.jsonl"), at: "record"))
  try show(store)
  print(
    fault {
      try store.import(Snack.self, from: .json(.text(#"[{"name": "Tea"}"#))) {
        $0.onBad = .collect()
      }
    }.prefix(13))
  print(fault { try store.import(Snack.self, from: .jsonLines(.data(Data([0x22, 0xFF, 0x22])))) })
  print(try store.count(Snack.self))
}
try badRecords()
// prints: 1 [2] data.items[1]
// prints: data.items[1].price (line 3, column 29, byte 82): expected a number that a double holds, found a string
// prints: 1 Chips - 2.0
// prints: 2 Cake - 4.0
// prints: invalidImport
// prints: invalidImport
// prints: 2

// Transactions.

func transactions() throws {
  let names = (1...5).map { #"{"name": "S\#($0)"}"# }
  try write(names.joined(separator: "\n"), to: "snacks.jsonl")
  // SNIPPET
  print(try shop.count(Snack.self))
  // A run that ends in its third record, and the next one.
  try shop.delete(Snack.all)
  let interrupted = Reports()
  func run(from file: String = "snacks.jsonl", by name: String = "names") throws -> ImportReport {
    try shop.import(Snack.self, from: .jsonLines(.file(file))) {
      $0.match = .on(\.name)
      $0.commit = .every(2)
      $0.mapping = JSONMapping(Snack.self).before { json in
        if json["name"].string == "S3", interrupted.all.isEmpty {
          interrupted.add("S3")
          throw StoreError(.validationFailed, "the power is gone")
        }
        return .keep
      }
      if name != "names" { $0.mapping = $0.mapping.leaveOut(\.taste) }
    }
  }
  print(fault { _ = try run() }.prefix(13), try shop.count(Snack.self))
  print(fault { _ = try run(by: "others") })
  let next = try run()
  print(next.resumedAt, try shop.count(Snack.self))
  try shop.close()
}
try transactions()
// prints: 0
// prints: 5
// prints: invalidImport 2
// prints: sourceChanged
// prints: 2 5

// Exports.

func exports() throws {
  // SNIPPET
  let store = try opened()
  let date = Date(timeIntervalSinceReferenceDate: 0.125)
  let snacks = try store.save([
    Snack(name: "Chips", taste: "", price: 0.1, stock: -1, tags: ["a b", ""], added: date),
    Snack(name: "[Cake]"),
  ])
  _ = snacks
  for target in [ExportTo.json("out.json"), .jsonLines("out.jsonl"), .csv("out.csv")] {
    try store.export(Snack.all, to: target)
  }
  let from: [ImportFrom] = [
    .json(.file("out.json")), .jsonLines(.file("out.jsonl")), .csv(.file("out.csv")),
  ]
  for source in from {
    let report = try store.import(Snack.self, from: source)
    print(report.unchanged)
  }
}
try exports()
// prints: [stock is not written, stock is not read, added is rounded]
// prints: 2
// prints: 2
// prints: 2

// On the command line, and what is not there.

let mapping = #"""
  {"names": "snakeCase",
   "fields": {"name": {"from": ["title", "info.name"]}, "added": {"as": ["milliseconds", "iso8601"]},
              "taste": {"as": {"cases": {"H": "hot", "S": "salty"}, "otherwise": "other"}}},
   "leaveOut": ["stock"], "writing": {"fields": {"price": {"as": "numberAsText"}}}}
  """#
let byNames = try opened()
let read = try JSONDecoder().decode(DynamicMapping.self, from: Data(mapping.utf8))
try byNames.import(
  entity: "Snack",
  from: .jsonLines(.text(#"{"info": {"name": "Chips"}, "taste": "H", "price": "2.5", "stock": 9}"#))
) { $0.mapping = read }
try show(byNames)
print(
  fault {
    try byNames.import(entity: "Snack", from: .jsonLines(.text("{}"))) { $0.merge = .replace }
  })
print(
  fault {
    try byNames.import(entity: "Snack", from: .jsonLines(.text("{}"))) { $0.onMissing = .ignore }
  })
// prints: 1 Chips hot 2.5
// prints: unsupported
// prints: unsupported
