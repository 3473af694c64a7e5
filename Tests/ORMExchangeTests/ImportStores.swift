import Foundation
import LMDBBackend
import MemoryBackend
import ORMCoordinator
import ORMExchange
import PostgresBackend
import SQLiteBackend
import TestSupport

/// The kinds of stores that imports run on.
enum ImportStore: String, CaseIterable, Sendable {
  case memory, sqlite, lmdb, postgres
  /// SQLite and LMDB, with relationships between them.
  case coordinator

  /// The kinds that can be had here.
  static var allCases: [ImportStore] {
    [.memory, .sqlite, .lmdb, .coordinator] + (PostgresServer.isThere ? [.postgres] : [])
  }

  /// Opens an empty store with a schema of the test models.
  func open(_ folder: TestFolder, _ schema: Schema? = nil) throws -> any Store {
    let schema = try schema ?? .imports
    switch self {
    case .memory: return MemoryStore(schema: schema)
    case .sqlite: return try SQLiteStore(path: folder.file("store.sqlite"), schema: schema)
    case .lmdb: return try LMDBStore(path: folder.file("store.lmdb"), schema: schema)
    case .postgres:
      return try PostgresStore(
        PostgresServer.location(of: Namespaces.new(folder)), schema: schema)
    case .coordinator:
      let names = Set(schema.stored.entities.filter { !$0.isInternal }.map(\.modelName))
      let second = names.intersection(["Team", "Tag", "Maker", "Sample"])
      let first = StoreConfiguration.configuration(
        "first", entities: names.subtracting(second).sorted(),
        at: .sqlite(path: folder.file("first.sqlite")))
      let others = StoreConfiguration.configuration(
        "second", entities: second.sorted(), at: .lmdb(path: folder.file("second.lmdb")))
      return try StoreCoordinator(
        schema, configurations: second.isEmpty ? [first] : [first, others])
    }
  }
}

/// The namespaces of tests on a server, each dropped once the folder of its test is gone.
private final class Namespaces: Sendable {
  private struct Used: Sendable {
    weak var folder: TestFolder?
    let name: String
  }

  private static let used = Lock<[Used]>([])

  static func new(_ folder: TestFolder) throws -> String {
    let name = PostgresServer.newNamespace()
    let left = used.withLock { used in
      if used.isEmpty { atexit { Namespaces.dropAll() } }
      let left = used.filter { $0.folder == nil }
      used = used.filter { $0.folder != nil } + [Used(folder: folder, name: name)]
      return left
    }
    try PostgresServer.drop(left.map(\.name))
    return name
  }

  private static func dropAll() {
    let left = used.withLock { $0 }
    try? PostgresServer.drop(left.map(\.name))
  }
}

extension Schema {
  /// The models of imports.
  static var imports: Schema {
    get throws {
      try Schema(
        Snack.self, Team.self, Player.self, Folder.self, Sample.self, Customer.self, Tag.self,
        Article.self, Rated.self, Maker.self, Product.self, Order.self, ImportCheckpoint.self)
    }
  }
}

/// A model with a key that the program gives and an attribute that tells rows apart.
struct Article: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var note: String?
  var count = 0
  var tags: ToMany<Tag> = ToMany()

  static let entity = Entity<Article>("Article") {
    .key("id", \.id)
      .attribute("title", \.title, .unique)
      .attribute("note", \.note)
      .attribute("count", \.count, .default(0))
      .relationship("tags", \.tags, inverse: \Tag.articles)
  }
}

/// The other side of a many-to-many.
struct Tag: PrimaryKeyed, Codable, Hashable {
  var id: String
  var articles: ToMany<Article> = ToMany()

  static let entity = Entity<Tag>("Tag") {
    .key("id", \.id).relationship("articles", \.articles)
  }
}

/// A model with a rule.
struct Rated: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var stars: Int

  static let entity = Entity<Rated>("Rated") {
    .key("id", \.id)
      .attribute("stars", \.stars, .range(1...5))
  }
}

/// A model that is found by its code, and needs nothing else.
struct Maker: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var code: String?
  var name: String?

  static let entity = Entity<Maker>("Maker") {
    .key("id", \.id, .generated)
      .attribute("code", \.code, .unique)
      .attribute("name", \.name)
  }
}

/// A model with links of several kinds.
struct Product: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var code: String?
  var name = ""
  var maker: ToOne<Maker> = ToOne()
  /// Keeps its key where the donor is deleted.
  var donor: ToOne<Maker> = ToOne()
  var parent: ToOne<Product> = ToOne()
  var related: ToMany<Product> = ToMany()

  static let entity = Entity<Product>("Product") {
    .key("id", \.id)
      .attribute("code", \.code, .unique)
      .attribute("name", \.name, .default(""))
      .relationship("maker", \.maker)
      .relationship("donor", \.donor, targetDeleted: .noAction)
      .relationship("parent", \.parent)
      .relationship("related", \.related, shared: true)
  }
}

/// A model with a link that it needs.
struct Order: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var amount = 0
  var product: ToOne<Product>

  static let entity = Entity<Order>("Order") {
    .key("id", \.id)
      .attribute("amount", \.amount, .default(0))
      .relationship("product", \.product, targetDeleted: .cascade, required: true)
  }
}
