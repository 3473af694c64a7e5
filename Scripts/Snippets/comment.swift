import Logging
import ServiceLifecycle
import Testing
import XCTest

/// The models and values around the blocks of documentation comments.

@Persistable(indexes: [["taste", .descending("price")]])
struct Snack {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.indexed, .indexed(.caseInsensitive)) var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
  var isVegan = false
  var added = Date(timeIntervalSinceReferenceDate: 0)
  var tags: [String] = []

  static let queries: EntityPart<Snack> =
    .template("cheap", "price < $LIMIT", sortedBy: "price, name", limit: 20)
}

extension Snack: JSONMapped {}

@Persistable
struct Coach {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
}

@Persistable
struct League {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var teams: ToMany<Team> = ToMany()
}

@Persistable
struct Team {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var city = ""
  var founded = 1900
  var coach: ToOne<Coach> = ToOne()
  @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
  @Relationship(inverse: \League.teams) var leagues: ToMany<League> = ToMany()
}

@Persistable
struct Player {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var age = 20
  var score = 0
  var team: ToOne<Team> = ToOne()
  @Relationship(inverse: \Post.author) var posts: ToMany<Post> = ToMany()
  var friends: ToMany<Player> = ToMany()

  static let queries: EntityPart<Player> =
    .fetched("rivals", Player.self, "age == $FETCH_SOURCE.age")
}

@Persistable
struct Post {
  @PrimaryKey(.generated) var id: Int64 = 0
  var text: String
  var author: ToOne<Player> = ToOne()
}

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  @Relationship(inverse: \Chapter.book, delete: .cascade, ordered: true)
  var chapters: ToMany<Chapter> = ToMany()
}

@Persistable
struct Chapter {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  @Relationship(required: true) var book: ToOne<Book> = ToOne()
}

@Persistable
struct Folder {
  @PrimaryKey(.generated) var id: Int64 = 0
  var parent: ToOne<Folder> = ToOne()
  @Relationship(inverse: \Folder.parent) var children: ToMany<Folder> = ToMany()
}

@Persistable
struct Track {
  @PrimaryKey(.generated) var id: Int64 = 0
  var genre: String?
  var bytes: Int64 = 0
  var milliseconds: Int64 = 0
}

@Persistable
struct Flight {
  @PrimaryKey(.generated) var id: Int64 = 0
  var number: Int = 0
  var departure: Date
}

@Persistable
struct LogLine {
  var text: String
  var time: Date
}

@Persistable
struct Project {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Attribute(.softDelete) var deletedAt: Date?
}

@Persistable
struct Booking {
  @PrimaryKey(.generated) var id: Int64 = 0
  var begin: Date
  var end: Date
  var isPaid = false
}

@Persistable
struct Address {
  var street: String
  var city: String
}

@Persistable
struct Customer {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Embedded var home: Address
  @Embedded var work: Address?
}

@Persistable
struct Vehicle {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var owner: ToOne<Player> = ToOne()
}

@Persistable(parent: Vehicle.self)
struct Car {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var owner: ToOne<Player> = ToOne()
  var doors = 4
  var drivers: ToMany<Player> = ToMany()
}

@Persistable(parent: Vehicle.self)
struct Bicycle {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var owner: ToOne<Player> = ToOne()
}

struct Label: Sendable {
  var name: String
  var price: Double
}

struct Line: Sendable {
  var name: String
  var team: String?
  var players: Int?
}

// Stores and parts of stores, as a program may write its own.

final class MyStore: Store {
  let schema: StoredSchema
  let runtime: StoreRuntime

  init(path: String, schema declared: Schema, options: StoreOptions) throws { fatalError() }
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { fatalError() }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { fatalError() }
  func close(_ turn: borrowing CloseTurn) throws {}
}

struct MyProvider: StoreProvider {
  let name = "mine"

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    MemoryStore(schema: schema, options: options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try store.close()
    return MemoryStore(schema: schema, options: options)
  }

  func cleanUp() throws {}
}

final class LoggingReader: ForwardingReader {
  let forwardedReader: any StoreReader
  init(_ base: any StoreReader) { forwardedReader = base }
}

final class MyMap: OrderedStore {
  init(path: String) throws {}
  func snapshot() throws -> MyBatch { MyBatch() }
  func batch(wait: Double) throws -> MyBatch { MyBatch() }
  func close() {}
}

final class MyBatch: OrderedBatch {
  func value(of key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> UnsafeRawBufferPointer? {
    nil
  }
  func cursor(in keyspace: Keyspace) -> MyCursor { MyCursor() }
  func count(of keyspace: Keyspace) -> Int { 0 }
  func end() {}
  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace) {}
  func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> Bool { false }
  func savepoint(_ body: () throws -> Void) throws { try body() }
  func commit() {}
}

final class MyCursor: OrderedCursor {
  func seek(_ key: UnsafeRawBufferPointer) -> Bool { false }
  func seek(before key: UnsafeRawBufferPointer) -> Bool { false }
  func seekLast() -> Bool { false }
  func value(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? { nil }
  func next() -> Bool { false }
  func previous() -> Bool { false }
  var entry: OrderedEntry { fatalError() }
}

final class MyDatabase: SQLDatabase {
  init(path: String) throws {}
  var dialect: any SQLDialect { fatalError() }
  func reader() throws -> any SQLConnection { fatalError() }
  func writer() throws -> any SQLConnection { fatalError() }
}

// What a store is given, and what it hands on.

var base: any Store { fatalError() }
var stored: StoredSchema { fatalError() }
var entity: StoredEntity { fatalError() }
var request: FetchRequest { fatalError() }
var assignment: StoreChange.Assignment { fatalError() }
var reader: any StoreReader { fatalError() }
var row: RecordReader { fatalError() }

// Values, which every block may read and set.

var store: any Store { fatalError() }
var schema: Schema { fatalError() }
var options: StoreOptions {
  get { fatalError() }
  set {}
}
/// A write transaction; reads are made in it as well.
var tx: WriteTransaction { fatalError() }
var session: Session { fatalError() }
/// A position in the history, a reader of it, and change sets.
var token: HistoryToken { fatalError() }
var consumer: HistoryConsumer { fatalError() }
var sets: [ChangeSet] {
  get { fatalError() }
  set {}
}
var query: Query<Snack> {
  get { fatalError() }
  set {}
}
var filter: Filter<Snack> { fatalError() }

var snack: Snack {
  get { fatalError() }
  set {}
}
var chips: Snack {
  get { fatalError() }
  set {}
}
var crisps: Snack {
  get { fatalError() }
  set {}
}
var snacks: [Snack] {
  get { fatalError() }
  set {}
}
var team: Team {
  get { fatalError() }
  set {}
}
var teams: [Team] {
  get { fatalError() }
  set {}
}
var player: Player {
  get { fatalError() }
  set {}
}
var players: [Player] {
  get { fatalError() }
  set {}
}
var book: Book {
  get { fatalError() }
  set {}
}
var p1: Player { fatalError() }
var p2: Player { fatalError() }
var p3: Player { fatalError() }
var preface: Chapter {
  get { fatalError() }
  set {}
}
var project: Project {
  get { fatalError() }
  set {}
}
var lines: [LogLine] { fatalError() }

var path: String { fatalError() }
var plan: MigrationPlan { fatalError() }
var seed: UInt64 { fatalError() }
var start: String { fatalError() }
var monday: Date { fatalError() }

func newPath() -> String { "" }
func show(_ value: some Any) {}

// SNIPPET
