// The second half of the guide ChangingYourModels, followed to the letter: each step has a folder of
// its own, with the store of an earlier program. The lines that it prints follow from the guide and
// from clause 10.

// after: changing-snacks

// The program that "Large stores" runs, and which ends at the first transaction of its migration.
if CommandLine.arguments.count > 1 {
  precondition(FileManager.default.changeCurrentDirectoryPath(CommandLine.arguments[1]))
  var options = StoreOptions()
  options.migration.mode = .resumable
  options.onSchemaEvent = { if case .progress = $0 { exit(0) } }
  _ = try open(Schema(Snack1.self, version: 2), LargeStores.plan, options)
  exit(1)
}

// Undo a version.

enum Undo {
  @Persistable("Snack")
  struct After {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var taste: String?
    var price: Decimal
  }

  typealias Snack = Snack1

  static func run() throws {
    let there = MigrationPlan([
      .version(
        2,
        [
          .renameAttribute("flavour", to: "taste", in: "Snack"),
          .changeType(of: "price", to: .decimal, in: "Snack")
            .undone(by: [.changeType(of: "price", to: .double, in: "Snack")]),
        ])
    ])
    try open(Schema(After.self, version: 2), there).close()
    print(fault { _ = try old() })
    // SNIPPET
    print(try store.fetch(Snack.all).map { "\($0.flavour ?? "none") \($0.price)" })
    try store.close()
    let loss = MigrationPlan([.version(2, [.dropAttributes(["flavour"], in: "Snack")])])
    print(fault { _ = try loss.inverse(from: 2, to: 1) })
  }
}
try begin("undo")
try Undo.run()
// prints: schemaTooNew
// prints: ["salty 2.5"]
// prints: irreversible

// A plan in a file.

enum InAFile {
  @Persistable("Snack")
  struct Counted {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var taste: String?
    var price: Double = 0
    var cents: Int64 = 0
  }

  static func run() throws {
    let before = try open(Schema(Snack1.self))
    try before.save(Snack1(name: "Chips", flavour: "salty", price: 1.1))
    try before.close()
    // SNIPPET
    let file = try Data(contentsOf: URL(fileURLWithPath: "plan.json"))
    let read = try JSONDecoder().decode(MigrationPlan.self, from: file)
    let store = try open(Schema(Counted.self, version: 1), read)
    print(try store.fetch(Counted.all).map { "\($0.taste ?? "none") \($0.cents)" })
    try store.close()
  }
}
try enter("file")
try InAFile.run()
// prints: ["salty 110"]

// Try a plan.

func leads() throws {
  // SNIPPET
  let other = MigrationPlan([.version(2, [.changeType(of: "price", to: .decimal, in: "Snack")])])
  print(try other.leads(from: "schema-1.json", to: new))
  print(
    fault { _ = try other.outcome(from: Schema(Snack1.self, version: 1).stored, to: new.stored) })
}
func rolling() throws {
  // SNIPPET
  let bare = MigrationPlan([.version(2, [.renameAttribute("flavour", to: "taste", in: "Snack")])])
  print(try bare.checkRolling(from: old, to: new))
}
try begin("try")
try JSONEncoder().encode(Schema(Snack1.self, version: 1).stored)
  .write(to: URL(fileURLWithPath: "schema-1.json"))
try leads()
try rolling()
// prints: true
// prints: false
// prints: invalidPlan, schemaMismatch
// prints: version 1 beside version 2: reads and writes
// prints: version 1 beside version 2: neither reads nor writes
// prints:   version 2, step 1 (rename Snack.flavour to taste): neither reads nor writes

// The end of a plan.

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

enum Ends {
  @Persistable("Snack")
  struct Ruled {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    @Attribute(.range(0...10)) var price: Double = 0
  }

  static func run() throws {
    // SNIPPET
    let plan = MigrationPlan([.version(2, [.set("price", in: "Snack", to: "price * 10")])])
    let second = try Schema(Ruled.self, version: 2)
    print(fault { _ = try open(second, plan, options) })
    options.migration.validation = .report
    let store = try open(second, plan, options)
    print(try store.fetch(Ruled.all).map(\.price))
    try store.close()
    try links(options)
  }

  static func links(_ options: StoreOptions) throws {
    try enter("dangling")
    let before = try open(Schema(Team.self, Player.self, version: 1))
    try before.save(Team(name: "Reds", players: [Player(name: "Ann")]))
    try before.close()
    let plan = MigrationPlan([
      .version(
        2,
        [
          .rows(of: "Player", named: "no such team", revision: 1) { $0["team_id"] = .int(99) }
        ])
    ])
    let second = try Schema(Team.self, Player.self, version: 2)
    print(fault { _ = try open(second, plan) })
    let store = try open(second, plan, options)
    print(try store.fetch(Player.all).map { $0.team.id ?? 0 })
    try store.close()
  }
}
try begin("end")
try Ends.run()
// prints: migrationFailed, validationFailed int(1)
// prints: 1 rows break a rule
// prints: [25.0]
// prints: migrationFailed, missingTarget int(1)
// prints: [0]

// Large stores.

enum LargeStores {
  /// Enters a folder with a store of more rows than one transaction of a resumable plan changes.
  static func enterLarge(_ step: String) throws {
    let many = "\(Folder.first)/many.sqlite"
    if !FileManager.default.fileExists(atPath: many) {
      try begin("many", (1...100_000).map { Snack1(name: "\($0)", price: 2.5) })
      try FileManager.default.copyItem(atPath: "app.sqlite", toPath: many)
    }
    try enter(step)
    try FileManager.default.copyItem(atPath: many, toPath: "app.sqlite")
  }

  static func prices(_ store: any Store) throws -> [Double?] {
    [try store.min(Snack1.all, \.price), try store.max(Snack1.all, \.price)]
  }

  static let plan = MigrationPlan([.version(2, [.set("price", in: "Snack", to: "price * 1.1")])])

  static func run() throws {
    let reports = Reports()
    @Sendable func print(_ text: String) { reports.add(text) }
    // SNIPPET
    let store = try open(Schema(Snack1.self, version: 2), nil, options)
    Swift.print(try prices(store).map { $0 ?? 0 })
    try store.close()
    let done = reports.all.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    Swift.print(!done.isEmpty, done == done.sorted())
  }

  static func interrupted() throws {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    child.arguments = [FileManager.default.currentDirectoryPath]
    try child.run()
    child.waitUntilExit()
    precondition(child.terminationStatus == 0)
  }

  static func goingOn() throws {
    try interrupted()
    var store = try old(readOnly)
    print(try prices(store).map { $0 ?? 0 })
    try store.close()
    print(fault { try old().save(Snack1(name: "Cake")) })
    store = try open(Schema(Snack1.self, version: 2), plan)
    print(try prices(store).map { $0 ?? 0 })
    try store.close()

    try enterLarge("abandoned")
    try interrupted()
    var options = StoreOptions()
    options.schemaPolicy = .abandonMigration
    try old(options).close()
    store = try old()
    print(try store.save(Snack1(name: "Cake")).id)
    try store.close()
  }
}
try LargeStores.enterLarge("large")
try LargeStores.run()
// prints: [2.75, 2.75]
// prints: true true
try LargeStores.enterLarge("interrupted")
try LargeStores.goingOn()
// prints: [2.5, 2.5]
// prints: busy
// prints: [2.75, 2.75]
// prints: 100001

enum Online {
  @Persistable("Snack")
  struct Noted {
    @PrimaryKey(.generated) var id: Int64 = 0
    var name: String
    var price: Double = 0
    var note: String?
  }

  static func run() throws {
    let first = try open(Schema(Noted.self, version: 1))
    try first.save(Noted(id: 100_000, name: "Chips", price: 2.5, note: "crisp"))
    // SNIPPET
    options.migration.mode = .resumable
    let reports = Reports()
    options.onSchemaEvent = { event in
      guard case .progress = event else { return }
      reports.add(fault { try first.save(Noted(id: 100_001, name: "Tea", price: 10, note: "hot")) })
    }
    let store = try open(Schema(Noted.self, version: 2), nil, options)
    print(Set(reports.all))
    for row in try store.fetch(Noted.where { $0.id >= 100_000 }) {
      print(row.name, row.price, row.note ?? "none")
    }
    print(fault { try first.save(Noted(name: "Late")) })
    try first.close()
    try store.close()
    options.schemaPolicy = .migrate(
      MigrationPlan([.version(3, [.removeDuplicates(of: ["name"], in: "Snack")])]))
    print(fault { _ = try open(Schema(Noted.self, version: 3), nil, options) })
  }
}
try LargeStores.enterLarge("online")
try Online.run()
// prints: ["no error"]
// prints: Chips 2.75 none
// prints: Tea 11.0 none
// prints: no error
// prints: invalidPlan

func openByLocation() async throws {
  // SNIPPET
  print(try await store.count(Snack.self))
  try await store.close()
}
try begin("location")
try await openByLocation()
// prints: 1

// Backups.

func backups() throws {
  let reports = Reports()
  @Sendable func print(_ text: String) { reports.add(text) }
  // SNIPPET
  let plan = MigrationPlan([
    .version(3, [.renameAttribute("flavour", to: "taste", in: "Snack")])
  ])
  try open(Schema(Snack.self, version: 3), plan, options).close()
  Swift.print(
    reports.all.map {
      $0.hasPrefix("the old store is in ") && $0.hasSuffix("app.before-3.sqlite")
    })
}
func restoring() throws {
  print(fault { _ = try old() })
  // SNIPPET
  let store = try old()
  print(try store.fetch(Snack1.all).map { $0.flavour ?? "none" })
  try store.close()
  print(FileManager.default.fileExists(atPath: "app.before-3.sqlite"))
}
try begin("backups")
try backups()
try restoring()
// prints: [true]
// prints: schemaTooNew
// prints: ["salty"]
// prints: true

// While you develop.

@Persistable("Snack")
struct Priced {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var price = ""
}

func recreating() throws {
  // SNIPPET
  let store = try open(Schema(Priced.self), nil, options)
  print(try store.count(Priced.self))
  try store.close()
}
try begin("developing")
try recreating()
// prints: 0

// What can go wrong.

try begin("wrong")
print(
  fault {
    _ = try open(
      Schema(Snack.self, version: 2),
      MigrationPlan([.version(2, [.renameAttribute("flavor", to: "taste", in: "Snack")])]))
  })
print(
  fault {
    _ = try open(
      Schema(Snack.self, version: 2),
      MigrationPlan([.version(2, [.renameAttribute("flavour", to: "taste", in: "Snack")])]),
      readOnly)
  })
print(try old().fetch(Snack1.all).map { $0.flavour ?? "none" })
// prints: invalidPlan
// prints: schemaMismatch
// prints: ["salty"]
