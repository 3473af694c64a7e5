// The guide Warnings: each of its programs, on stores of its own, and the warnings that they earn. The
// texts follow from the guide and from clause 13.5. A program with the remedy prints nothing.

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

@Persistable
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

/// Prints the warnings, with `…` for times and without waits.
struct PrintedWarnings: StoreInstrument {
  func noticed(_ notice: StoreNotice) {
    let text = "\(notice.level): \(notice)".replacing(#/, waited \d+\.\d\d ms/#, with: "")
    print(text.replacing(#/\d+\.\d\d ms/#, with: "… ms"))
  }
}

/// A store with 20 teams of a player each.
func teams() throws -> any Store {
  var options = StoreOptions()
  options.instruments = [PrintedWarnings()]
  let store = MemoryStore(schema: try Schema(Team.self, Player.self), options: options)
  let keys = try store.save((1...20).map { Team(name: "Team \($0)") }).keys
  try store.save(keys.map { Player(name: "Player of \($0)", team: .key($0)) })
  return store
}

/// A store with 600 snacks, one of them Chips, and limits of its own.
func snacks(_ change: (inout InstrumentLimits) -> Void = { _ in }) throws -> any Store {
  var options = StoreOptions()
  options.instruments = [PrintedWarnings()]
  let store = MemoryStore(schema: try Schema(Snack.self))
  try store.save((1...600).map { Snack(name: $0 == 300 ? "Chips" : "Snack \($0)") })
  try store.write(to: "snacks.strata")
  change(&options.instrumentLimits)
  return try MemoryStore(
    schema: Schema(Snack.self), contentsOf: "snacks.strata", options: options)
}

/// A store that refuses its first commit, as a server does if another writer came first.
final class RefusingStore: Store {
  private let base: any Store
  private let hasRefused = Mutex(false)

  init(_ base: any Store) { self.base = base }

  private final class Writer: ForwardingWriter {
    let forwardedWriter: any StoreWriter
    let isContended: Bool

    init(_ base: any StoreWriter, isContended: Bool) {
      forwardedWriter = base
      self.isContended = isContended
    }

    func commit() throws {
      if isContended { throw StoreError(.contended, "another writer came first") }
      try forwardedWriter.commit()
    }
  }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { try base.reader(turn) }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    let refuses = hasRefused.withLock { hasRefused in
      defer { hasRefused = true }
      return !hasRefused
    }
    return Writer(try base.writer(turn), isContended: refuses)
  }
  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

/// Runs a part that is async.
func waiting(
  for part: @escaping @Sendable (any Store) async throws -> Void, _ store: any Store
) throws {
  let done = DispatchSemaphore(value: 0)
  let failure = Mutex<(any Error)?>(nil)
  Task.detached {
    do { try await part(store) } catch { failure.withLock { $0 = error } }
    done.signal()
  }
  done.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}

func open(_ schema: Schema) throws -> any Store {
  // SNIPPET
  return store
}

try open(Schema(Snack.self)).close()

func queryPerRow(_ store: any Store) throws {
  // SNIPPET
}
func prefetched(_ store: any Store) throws {
  // SNIPPET
}
try queryPerRow(teams())
try prefetched(teams())

func loadPerRow(_ store: any Store) throws {
  // SNIPPET
}
func loadedTogether(_ store: any Store) throws {
  // SNIPPET
}
try loadPerRow(teams())
try loadedTogether(teams())

func savePerRow(_ store: any Store) throws {
  // SNIPPET
}
func savedTogether(_ store: any Store) throws {
  // SNIPPET
}
try savePerRow(snacks())
try savedTogether(snacks())

func slow(_ store: any Store) throws {
  // SNIPPET
}
try slow(snacks { $0.slowOperation = .zero })

func dropped(_ store: any Store) throws {
  // SNIPPET
}
try dropped(snacks { $0.droppedRows = 100 })

enum Indexed {
  // SNIPPET

  static func find() throws {
    var options = StoreOptions()
    options.instruments = [PrintedWarnings()]
    options.instrumentLimits.droppedRows = 100
    let store = MemoryStore(schema: try Schema(Snack.self), options: options)
    try store.save((1...600).map { Snack(name: $0 == 300 ? "Chips" : "Snack \($0)") })
    _ = try store.fetch(Snack.where { $0.name == "Chips" })
  }
}
try Indexed.find()

func blocked(_ store: any Store) throws {
  // SNIPPET
}
func unblocked(_ store: any Store) async throws {
  // SNIPPET
}
try blocked(snacks { $0.mainThread = .zero })
try waiting(for: unblocked, snacks { $0.mainThread = .zero })

func held(_ store: any Store) async throws {
  // SNIPPET
}
func paged(_ store: any Store) async throws {
  // SNIPPET
}
try waiting(for: held, snacks { $0.heldSnapshot = .zero })
try waiting(for: paged, snacks { $0.heldSnapshot = .zero })

func repeated(_ store: any Store) throws {
  // SNIPPET
}
try repeated(RefusingStore(snacks()))
