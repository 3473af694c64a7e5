// The guide SeveralStores, followed to the letter. The lines that it prints follow from the guide and
// from clauses 12.10 and 12.11.

@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Player.team, delete: .cascade) var players: ToMany<Player> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var team: ToOne<Team> = ToOne()
  @Relationship(inverse: \Score.player, delete: .cascade) var scores: ToMany<Score> = ToMany()
}

@Persistable
struct Score {
  @PrimaryKey(.generated) var id: Int64 = 0
  var points: Int
  var player: ToOne<Player> = ToOne()
}

func schema(_ version: Int? = nil) throws -> Schema {
  try Schema(Team.self, Player.self, Score.self, version: version)
}

func counts(_ store: any Store) throws -> [Int] {
  [try store.count(Team.self), try store.count(Player.self), try store.count(Score.self)]
}

func coordinator(
  _ configurations: StoreConfiguration..., version: Int? = nil,
  options: StoreOptions = StoreOptions()
) throws -> StoreCoordinator {
  try StoreCoordinator(schema(version), options: options, configurations: configurations)
}

func copyFile(_ path: String, _ target: String) throws {
  try? FileManager.default.removeItem(atPath: target)
  try FileManager.default.copyItem(atPath: path, toPath: target)
}

// The overview.

func open() throws -> StoreCoordinator {
  // SNIPPET
  return store
}

/// Opens new stores with two teams of seven players, and two scores.
func filled(_ step: String) throws -> StoreCoordinator {
  try enter(step)
  let store = try open()
  let names = (1...7).map { Player(name: "P\($0)") }
  try store.save(Team(name: "Reds", players: ToMany(names[..<3])))
  try store.save(Team(name: "Blues", players: ToMany(names[3...])))
  try store.save([Score(points: 95, player: .key(2)), Score(points: 90, player: .key(7))])
  return store
}

func questions(_ store: StoreCoordinator) throws {
  // SNIPPET
  print(try counts(store))
}

func overview() throws {
  let store = try filled("overview")
  let plan = try store.explain(
    Team.all.where { $0.players.any { $0.scores.any { $0.points > 90 } } })
  print("\(plan)".contains("main"), "\(plan)".contains("scores"))
  try questions(store)
  try store.close()
}
try overview()
// prints: true true
// prints: Reds
// prints: [1, 4, 1]

// Dividing the schema.

enum InMemory {
  // SNIPPET

  static func open() throws -> StoreCoordinator {
    try StoreCoordinator(
      Schema(Player.self, Score.self),
      configurations: [
        .configuration("main", Player.self, at: .sqlite(path: "app.sqlite")),
        .configuration("cache", at: .memory),
      ])
  }

  static func run() throws {
    try enter("memory")
    var store = try open()
    try store.save(Player(name: "Ann", scores: [Score(points: 1)]))
    print(try store.count(Player.self), try store.count(Score.self))
    try store.close()
    store = try open()
    print(try store.count(Player.self), try store.count(Score.self), try store.check().isSound)
    try store.close()
  }
}

func dividing() throws {
  let main = StoreLocation.sqlite(path: "app.sqlite")
  let scores = StoreLocation.lmdb(path: "scores.lmdb")
  print(fault { _ = try coordinator(.configuration("main", Team.self, at: main)) })
  try filled("dividing").close()
  // Another name, another configuration, and one that is left out.
  print(
    fault {
      _ = try coordinator(
        .configuration("first", Team.self, Player.self, at: main),
        .configuration("scores", Score.self, at: scores))
    })
  print(
    fault {
      _ = try coordinator(
        .configuration("main", Team.self, at: main),
        .configuration("scores", Score.self, Player.self, at: scores))
    }.prefix(14))
  print(fault { _ = try coordinator(.configuration("main", at: main)) })
}
try dividing()
try InMemory.run()
// prints: invalidSchema, invalidSchema, invalidSchema
// prints: schemaMismatch
// prints: schemaMismatch
// prints: schemaMismatch
// prints: 1 1
// prints: 1 0 true

func cache() throws {
  // SNIPPET
  let player = try store.save(Player(name: "Ann"))
  print(try store.save(Score(points: 1, player: .key(player.id))).id)
  try store.close()
}
func limited() throws {
  let store = try coordinator(
    .configuration("main", Team.self, Player.self, at: .sqlite(path: "app.sqlite")),
    .configuration("cache", Score.self, isDurable: false) {
      MemoryStore(schema: $0, options: $1, limit: 10_000)
    })
  print(
    fault {
      try store.write { tx in
        try tx.save(Player(name: "Bo"))
        try tx.save((1...10_000).map { Score(points: $0) })
      }
    })
  print(try counts(store))
  try store.close()
}
try enter("cache")
try cache()
try limited()
// prints: 1
// prints: full
// prints: [0, 1, 0]

// Transactions.

func transaction(_ store: StoreCoordinator) throws {
  // SNIPPET
}
func transactions() throws {
  let store = try filled("transactions")
  try transaction(store)
  print(try store.find(Player.self, 7)?.name ?? "none", try counts(store))
  struct Stop: Error {}
  print(
    fault {
      try store.write { tx in
        try tx.save(Player(name: "Bo"))
        try tx.save(Score(points: 1))
        throw Stop()
      }
    }, try counts(store))
  try store.close()
  // A program that opens one file by itself.
  let alone = try StoreLocation.sqlite(path: "app.sqlite").open()
  print(try alone.read { try $0.count(DynamicQuery("Player")) })
  try alone.close()
}
try transactions()
// prints: Ann [2, 7, 3]
// prints: Stop() [2, 7, 3]
// prints: 7

func statements() throws {
  try enter("statements")
  let store = try coordinator(
    .configuration("main", Team.self, Player.self, at: .sqlite(path: "app.sqlite")),
    .configuration("scores", Score.self, at: .sqlite(path: "scores.sqlite")))
  try store.save(Team(name: "Reds"))
  print(try store.query(sql: "SELECT name FROM \(Team.self)").map { "\($0["name"])" })
  print(fault { _ = try store.query(sql: "SELECT 1 FROM \(Team.self), \(Score.self)") })
  print(fault { _ = try store.query(sql: "SELECT 1 AS one") })
  func change(_ view: SQLRequest) throws {
    try store.write { tx in
      try tx.save(Team(name: "Blues"))
      try tx.save(Score(points: 1))
      try tx.execute(sql: view)
    }
  }
  print(fault { try change("CREATE VIEW good AS SELECT * FROM \(Score.self)") })
  print(fault { try change("CREATE VIEW teams AS SELECT * FROM \(Team.self)") })
  print(fault { try store.execute(sql: "CREATE VIEW good AS SELECT * FROM \(Score.self)") })
  print(try counts(store))
  try store.close()
}
try statements()
// prints: ["string(\"Reds\")"]
// prints: unsupported
// prints: unsupported
// prints: unsupported
// prints: no error
// prints: no error
// prints: [2, 0, 1]

// When a store fails.

func failures() throws {
  try filled("failures").close()
  var options = StoreOptions()
  options.isReadOnly = true
  let reader = try coordinator(
    .configuration("main", Team.self, Player.self, at: .sqlite(path: "app.sqlite")),
    .configuration("scores", Score.self, at: .lmdb(path: "scores.lmdb")), options: options)
  print(try counts(reader), fault { try reader.save(Team(name: "Greens")) })
  try reader.close()
  // An older store.
  try copyFile("scores.lmdb", "older.lmdb")
  var store = try open()
  for points in 1...3 {
    try store.write { tx in
      try tx.save(Team(name: "Greens"))
      try tx.save(Score(points: points))
    }
  }
  // A transaction of the first configuration alone removes the last entry of the journal.
  try store.save(Team(name: "Greys"))
  try store.close()
  try copyFile("scores.lmdb", "newer.lmdb")
  try copyFile("older.lmdb", "scores.lmdb")
  print(fault { _ = try open() })
  // An empty one, and none.
  try FileManager.default.removeItem(atPath: "scores.lmdb")
  try LMDBStore(path: "scores.lmdb", schema: Schema(Coin.self)).close()
  print(fault { _ = try open() })
  try FileManager.default.removeItem(atPath: "scores.lmdb")
  print(fault { _ = try open() }, FileManager.default.fileExists(atPath: "scores.lmdb"))
  try copyFile("newer.lmdb", "scores.lmdb")
  store = try open()
  print(try counts(store))
  try store.close()
}

@Persistable
struct Coin {
  @PrimaryKey(.generated) var id: Int64 = 0
}
try failures()
// prints: [2, 7, 2] readOnly
// prints: wrongStore
// prints: cannotOpen
// prints: cannotOpen false
// prints: [6, 7, 5]

func migrations() throws {
  try enter("migrations")
  func openings(_ version: Int, _ plan: MigrationPlan?, isLocated: Bool) throws -> StoreCoordinator
  {
    var options = StoreOptions()
    if let plan { options.schemaPolicy = .migrate(plan) }
    func part(_ name: String, _ models: any Persistable.Type...) -> StoreConfiguration {
      let names = models.map { "\($0)" }
      return isLocated
        ? .configuration(name, entities: names, at: .sqlite(path: "\(name).sqlite"))
        : models.count == 2
          ? .configuration(name, Team.self, Player.self) {
            try SQLiteStore(path: "\(name).sqlite", schema: $0, options: $1)
          }
          : .configuration(name, Score.self) {
            try SQLiteStore(path: "\(name).sqlite", schema: $0, options: $1)
          }
    }
    return try coordinator(
      part("main", Team.self, Player.self), part("scores", Score.self), version: version,
      options: options)
  }
  var store = try openings(1, nil, isLocated: true)
  try store.save(Team(name: "Reds"))
  try store.save(Score(points: 1))
  try store.close()
  let plan = MigrationPlan([
    .version(
      2,
      [
        .set("name", in: "Team", to: "'Blues'"), .set("points", in: "Score", to: "points + 1"),
      ])
  ])
  print(fault { _ = try openings(2, plan, isLocated: false) })
  store = try openings(2, plan, isLocated: true)
  print(try store.fetch(Team.all).map(\.name), try store.fetch(Score.all).map(\.points))
  try store.close()
}
try migrations()
// prints: unsupported
// prints: ["Blues"] [2]

// Copies of one time.

func copying(_ store: StoreCoordinator) throws {
  // SNIPPET
  let again = try coordinator(
    .configuration("main", Team.self, Player.self, at: .sqlite(path: "copy.sqlite")),
    .configuration("scores", Score.self, at: .lmdb(path: "copy.lmdb")))
  print(try counts(again))
  print(fault { try StoreCopy(from: store, to: again).run() })
  try again.close()
}
let whole = try filled("copies")
try copying(whole)
try whole.close()
// The files of a closed coordinator, in another folder.
let files = FileManager.default.currentDirectoryPath
try enter("restored")
for name in ["app.sqlite", "scores.lmdb"] { try copyFile("\(files)/\(name)", name) }
let restored = try open()
print(try counts(restored))
try restored.close()
// prints: [2, 7, 2]
// prints: notEmpty
// prints: [2, 7, 2]
