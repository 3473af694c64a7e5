import Foundation
import ORM
import ORMCore
import TestSupport
import Testing

private struct Shelf: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name = ""
  var keeper: ToOne<Keeper> = .notLoaded
  var books: ToMany<Book> = .notLoaded
  var labels: ToMany<Label> = .notLoaded
  static let entity = Entity<Shelf>("Shelf") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("keeper", \.keeper, inverse: \Keeper.shelf)
      .relationship("books", \.books, inverse: \Book.shelf, ordered: true)
      .relationship("labels", \.labels, inverse: \Label.shelves)
  }
}

private struct Book: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var title = ""
  var shelf: ToOne<Shelf> = .notLoaded
  var sequel: ToOne<Book> = .notLoaded
  static let entity = Entity<Book>("Book") {
    .key("id", \.id)
      .attribute("title", \.title)
      .relationship("shelf", \.shelf)
      .relationship("sequel", \.sequel)
  }
}

private struct Keeper: Persistable, PrimaryKeyed, Codable {
  var id: String
  var shelf: ToOne<Shelf> = .notLoaded
  static let entity = Entity<Keeper>("Keeper") {
    .key("id", \.id)
      .relationship("shelf", \.shelf)
  }
}

private struct Label: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var word = ""
  var shelves: ToMany<Shelf> = .notLoaded
  static let entity = Entity<Label>("Label") {
    .key("id", \.id, .generated)
      .attribute("word", \.word)
      .relationship("shelves", \.shelves, ordered: true)
  }
}

/// A model with a hook: beside it a save reads its result back.
private struct Watched: Persistable, PrimaryKeyed, Codable, WriteHooks {
  var id: Int64
  static let entity = Entity<Watched>("Watched") { .key("id", \.id) }
}

/// Makes objects with links of every kind, to new objects and to stored ones.
private struct RandomGraph {
  var random: SeededGenerator

  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

  mutating func one<Target>(
    _ depth: Int, key: Target.ID, _ make: (inout RandomGraph) -> Target
  ) -> ToOne<Target> {
    switch number(0...7) {
    case 0: nil
    case 1: .key(key)
    case 2...4 where depth > 0: .to(make(&self))
    default: .notLoaded
    }
  }

  mutating func many<Target>(
    _ depth: Int, keys: [Target.ID], _ make: (inout RandomGraph) -> Target
  ) -> ToMany<Target> {
    switch number(0...7) {
    case 0: return []
    case 1: return .keys(keys)
    case 2...4 where depth > 0:
      var elements: [LinkElement<Target>] = []
      for _ in 0...number(0...2) { elements.append(.object(make(&self))) }
      if number(0...5) == 0, let key = keys.first { elements.append(.key(key)) }
      return ToMany(.set(elements))
    default: return .notLoaded
    }
  }

  mutating func generated() -> Int64 { number(0...2) == 0 ? Int64(number(1...8)) : 0 }

  mutating func shelf(_ depth: Int) -> Shelf {
    let key = Int64(number(1...30))
    return Shelf(
      id: generated(), name: "s\(number(0...9))",
      keeper: one(depth, key: "k1") { $0.keeper(depth - 1) },
      books: many(depth, keys: [key, key + 1]) { $0.book(depth - 1) },
      labels: many(depth, keys: [Int64(number(1...8))]) { $0.label(depth - 1) })
  }

  mutating func book(_ depth: Int) -> Book {
    Book(
      id: Int64(number(1...30)), title: "b\(number(0...9))",
      shelf: one(depth, key: Int64(number(1...8))) { $0.shelf(depth - 1) },
      sequel: one(depth, key: Int64(number(1...30))) { $0.book(depth - 1) })
  }

  mutating func keeper(_ depth: Int) -> Keeper {
    Keeper(
      id: "k\(number(1...6))",
      shelf: one(depth, key: Int64(number(1...8))) { $0.shelf(depth - 1) })
  }

  mutating func label(_ depth: Int) -> Label {
    Label(
      id: generated(), word: "l\(number(0...9))",
      shelves: many(depth, keys: [Int64(number(1...8))]) { $0.shelf(depth - 1) })
  }
}

/// An object as text, with its links as far as they are loaded.
private protocol Described: PrimaryKeyed {
  func text(_ depth: Int) -> String
}

extension ToOne where Target: Described {
  fileprivate func text(_ depth: Int) -> String {
    if isUnknown { return "?" }
    let key = id.map { "\($0)" } ?? "none"
    if depth == 0 || !isLoaded { return isLoaded ? "\(key) loaded" : key }
    return loaded?.text(depth - 1) ?? "\(key) missing"
  }
}

extension ToMany where Target: Described {
  fileprivate func text(_ depth: Int) -> String {
    guard let ids else { return "?" }
    guard depth > 0, let loaded else { return "\(ids) \(isLoaded)" }
    return "[" + loaded.map { $0.text(depth - 1) }.joined(separator: ", ") + "]"
  }
}

extension Shelf: Described {
  func text(_ depth: Int) -> String {
    "Shelf \(id) \(name) (\(keeper.text(depth)); \(books.text(depth)); \(labels.text(depth)))"
  }
}

extension Book: Described {
  func text(_ depth: Int) -> String {
    "Book \(id) \(title) (\(shelf.text(depth)); \(sequel.text(depth)))"
  }
}

extension Keeper: Described {
  func text(_ depth: Int) -> String { "Keeper \(id) (\(shelf.text(depth)))" }
}

extension Label: Described {
  func text(_ depth: Int) -> String { "Label \(id) \(word) (\(shelves.text(depth)))" }
}

@Suite struct SavedResultTests {
  @Test(
    "5.8: a save that takes its result from what it wrote gives what is read back",
    arguments: StoreKind.everywhere)
  func sameAsRead(on tested: StoreKind) throws {
    var graphs = RandomGraph(random: SeededGenerator(seed: runSeed()))
    let written = try tested.makeStore(
      Schema(Shelf.self, Book.self, Keeper.self, Label.self))
    let read = try tested.makeStore(
      Schema(Shelf.self, Book.self, Keeper.self, Label.self, Watched.self))
    var saved = 0
    func check<Model: Described>(_ model: Model) {
      func outcome(_ store: any Store) -> String {
        do {
          return try store.save(model).text(4)
        } catch {
          return (error as? StoreError)?.code.rawValue ?? "\(error)"
        }
      }
      let texts = (outcome(written), outcome(read))
      #expect(texts.0 == texts.1, "\(model)")
      if texts.1.contains("(") { saved += 1 }
    }
    for number in 0..<400 {
      switch number % 4 {
      case 0: check(graphs.shelf(3))
      case 1: check(graphs.book(3))
      case 2: check(graphs.keeper(3))
      default: check(graphs.label(3))
      }
    }
    #expect(saved > 80, "of 400")
  }
}
