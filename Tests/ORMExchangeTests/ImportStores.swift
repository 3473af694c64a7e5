import Foundation
import LMDBBackend
import MemoryBackend
import ORMExchange
import SQLiteBackend
import TestSupport

/// The kinds of stores that imports run on.
enum ImportStore: String, CaseIterable, Sendable {
  case memory, sqlite, lmdb

  /// Opens an empty store with a schema of the test models.
  func open(_ folder: TestFolder, _ schema: Schema? = nil) throws -> any Store {
    let schema = try schema ?? .imports
    return switch self {
    case .memory: MemoryStore(schema: schema)
    case .sqlite: try SQLiteStore(path: folder.file("store.sqlite"), schema: schema)
    case .lmdb: try LMDBStore(path: folder.file("store.lmdb"), schema: schema)
    }
  }
}

extension Schema {
  /// The models of imports.
  static var imports: Schema {
    get throws {
      try Schema(
        Snack.self, Team.self, Player.self, Folder.self, Sample.self, Customer.self, Tag.self,
        Article.self, Rated.self, ImportCheckpoint.self)
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
