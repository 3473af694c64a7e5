import ORMStorage

// The wrapper of WritingYourOwnStore sees each request of a program, in read and write transactions.

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

// SNIPPET

func use() async throws {
  let base = MemoryStore(schema: try Schema(Team.self, Player.self))
  try await base.save(Team(name: "Reds", players: [Player(name: "Ann"), Player(name: "Bo")]))
  try reads(LoggingStore(base))
  for try await player in LoggingStore(base).stream(Player.all) { print(player.name) }
}

func reads(_ store: any Store) throws {
  print("find", try store.find(Team.self, 1)?.name ?? "")
  print("several", try store.find(Player.self, [1, 2]).count)
  print("fetch", try store.fetch(Player.all).count)
  print("where", try store.fetch(Player.where { $0.team.name == "Reds" }).count)
  print("first", try store.first(Player.all)?.name ?? "")
  print("count", try store.count(Player.self))
  print("exists", try store.exists(Player.all))
  print("select", try store.fetch(Player.all.select { $0.name }).count)
  print("page", try store.fetchPage(Player.all.page(0, size: 1)).rows.count)
  print("prefetch", try store.fetch(Team.all.prefetch(\.players)).count)
  print("names", try store.read { try $0.fetch(DynamicQuery("Player")) }.count)
  print("write", try store.write { try $0.find(Team.self, 1)?.name ?? "" })
  try store.read { tx in
    try tx.chunks(Player.all, size: 2) { print("chunk", $0.count) }
  }
}
try await use()
// prints: read Team
// prints: find Reds
// prints: read Player
// prints: several 2
// prints: read Player
// prints: fetch 2
// prints: read Player
// prints: where 2
// prints: read Player
// prints: first Ann
// prints: read Player
// prints: count 2
// prints: read Player
// prints: exists true
// prints: read Player
// prints: select 2
// prints: read Player
// prints: page 1
// prints: read Team
// prints: read Player
// prints: prefetch 1
// prints: read Player
// prints: names 2
// prints: read Team
// prints: write Reds
// prints: read Player
// prints: chunk 2
// prints: read Player
// prints: Ann
// prints: Bo
