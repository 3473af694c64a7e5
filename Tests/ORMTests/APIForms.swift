import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// The forms in which programs use the library, beside Foundation: they need only compile.
///
/// What they do is tested elsewhere; a form that stops compiling, becomes ambiguous, or needs a
/// warning silenced has changed the public face.
enum APIForms {
  struct Enrolment: Persistable, PrimaryKeyed, Codable {
    struct ID: CompositeKey {
      var classNumber: Int
      var studentNumber: Int
    }
    var id: ID
    var seat: String?

    static let entity = Entity<Enrolment>("Enrolment") {
      .key("classNumber", \.id.classNumber)
        .key("studentNumber", \.id.studentNumber)
        .attribute("seat", \.seat)
        .index("seat")
    }
  }

  struct Airport {
    var id: String
    var name: String
    var iata: String?
  }

  struct Item: PrimaryKeyed, Codable {
    enum Kind: String, Codable, AttributeValue { case sweet, salty }
    var id: Int64 = 0
    var name: String
    var taste: String?
    var price: Double = 0
    var tags: [String] = []
    var kind = Kind.sweet
    var isSold = false

    static let entity = Entity<Item>("Item") {
      .key("id", \.id, .generated)
        .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
        .attribute("taste", \.taste)
        .attribute("price", \.price)
        .attribute("tags", \.tags)
        .attribute("kind", \.kind)
        .attribute("isSold", \.isSold)
    }
  }

  // MARK: Stores

  static func stores() throws -> [any Store] {
    let schema = try Schema(Item.self, Enrolment.self, Airport.self)
    _ = schema.warnings
    return [
      try SQLiteStore(path: "items.sqlite", schema: schema),
      try LMDBStore(path: "items.lmdb", schema: schema),
      MemoryStore(schema: schema),
      try StoreLocation("sqlite:items.sqlite", among: [.sqlite, .lmdb]).open(schema: schema),
    ]
  }

  // MARK: Storing

  static func storing(_ store: any Store, _ item: Item, _ items: [Item]) throws {
    let saved = try store.save(item)
    try store.save(items)
    try store.save(saved, matching: \.name == "old", onMissing: .ignore)
    try store.save(saved, matchingOn: \.name, \.taste)
    try store.save(
      items, matching: BatchMatch(equal: [\.taste], contain: [\.id]), merge: .skippingNil)
    try store.patch(Item.self, 123) {
      $0.name = "xxx"
      $0.taste = nil
    }
    try store.update(Item.all.where { $0.price > 9 }) {
      $0[\.price] -= 1
      $0.taste = nil
    }
    try store.delete(item)
    try store.delete(Item.self, id: 123)
    try store.delete(item, matchingOn: \.name)
    try store.delete(Item.all.where { $0.id <= 10 })
    try store.delete(Item.all.where { $0.price > 9 }.limit(1))
    try store.deleteAll(Item.self)

    try store.write { tx in
      try tx.save(item)
      try tx.savepoint { tx in try tx.save(item) }
    }
    try store.write { try $0.save(item) }
    let found: Item? = try store.read { tx in try tx.find(Item.self, 1) }
    _ = found
  }

  static func storingLater(_ store: any Store, _ item: Item, _ items: [Item]) async throws {
    try await store.save(item)
    let result = try await store.save(items)
    _ = (result.counts.inserted, result.counts.updated, result.counts.unchanged, result.keys)
    try await store.write { tx in
      try tx.save(item)
      try tx.savepoint { tx in try tx.save(item) }
    }
    let count = try await store.read { tx in try tx.count(Item.self) }
    _ = count
    try await store.write(rows: 1) { tx in try tx.save(item) }
    try await store.patch(Item.self, 1) { $0.price = 2 }
    try await store.delete(Item.all.where { $0.isSold })
  }

  static func completions(_ store: any Store, _ item: Item) {
    store.write { tx in
      try tx.save(item)
    } completion: { result in
      _ = try? result.get()
    }
    store.write(rows: 1, on: .main) { tx in try tx.save(item) }
    store.read(on: .main) { tx in
      try tx.find(Item.self, 1)
    } completion: { result in
      _ = result
    }
  }

  // MARK: The default store

  static func defaultStore(_ schema: Schema, _ item: Item) async throws {
    try Persistence.setUp(.sqlite(named: "App"), schema: schema)
    try await item.save()
    let found = try await Item.find(123)
    _ = found
    try await Persistence.with(MemoryStore(schema: schema)) { try await item.save() }
  }

  // MARK: Asking

  static func asking(_ store: any Store, _ item: Item) throws {
    _ = try store.find(Item.self, 123)
    _ = try store.find(Item.self, 123, consistency: .latestCommit)
    _ = try store.first(Item.all.where { $0.price > 1 })
    _ = try store.fetch(Item.all)
    _ = try store.fetch(
      Item.all.where { $0.price > 1 && $0.name.like("a*") || $0.tags.contains("hot") })
    _ = try store.fetch(Item.all.where(\.price > 1 && !(\.id == 3)))
    _ = try store.fetch(Item.all.whose(\.price).greaterThan(1).and(\.name).like("a*"))
    let filter: Filter<Item> = \.name == "a"
    _ = try filter.matches(item)
    _ = try JSONDecoder().decode(Filter<Item>.self, from: JSONEncoder().encode(filter))
    _ = try store.sum(Item.all, \.price)
    _ = try store.min(Item.all, \.name)
    _ = try store.average(Item.all, \.price)
    _ = try store.exists(Item.all)
    print(try store.explain(Item.all.where { $0.price > 1 }))
  }

  static func filters(_ names: [String], _ set: Set<String?>) -> [Query<Item>] {
    [
      Item.all.where { 3 < $0.price },
      Item.all.where { $0.isSold },
      Item.all.where { !$0.isSold },
      Item.all.where { $0.id == 3 && $0.kind == .salty },
      Item.all.where { $0.taste == nil },
      Item.all.where { $0.taste != "x" },
      Item.all.where { $0.name.isIn(names) },
      Item.all.where { $0.taste.isIn(names) },
      Item.all.where { $0.taste.isIn(set) },
      Item.all.where { $0.taste.isIn(["a", "b"]) },
      Item.all.where { $0.taste.isIn(["a", nil]) },
      Item.all.where { $0.taste.isIn(["a"], .caseInsensitive) },
      Item.all.whose(\.taste).isIn(names),
      Item.all.whose(\.taste).isIn(["a", nil]),
      Item.all.where { $0.price.isBetween(1, 2) },
      Item.all.where { $0.name.beginsWith("a", .caseInsensitive) },
      Item.all.where(
        !(\.price > 1 || \.id > 0) && (\.name == "x" || !(\.taste != nil))
          && (\.id > 3 || \.price < 100) && !(\.id <= 50 || \.name != "y") && !(\.id == 7)
          && (\.isSold == true)),
      Item.all.where {
        !$0.isSold && !($0.price > 1 || $0.id > 0) && ($0.name == "x" || !($0.taste != nil))
          && ($0.id > 3 || $0.price < 100) && !($0.id <= 50 || $0.name != "y")
      },
    ]
  }

  static func orders() -> [Query<Item>] {
    let order: Query<Item>.Order = .descending(\.price)
    return [
      Item.all.sorted(by: .descending(\.price), .ascending(\.name, .caseInsensitive, nils: .last))
        .page(0, size: 50),
      Item.all.sorted(by: order).limit(20).offset(40),
      Item.all.after(nil),
    ]
  }

  static func streaming(_ store: any Store) async throws {
    for try await item in store.stream(Item.all) { _ = item }
    try await store.chunks(Item.all.select(\.name, \.price), size: 9) { rows in print(rows.count) }
  }

  /// Names that Foundation and the standard library have too mean theirs, in a file that imports
  /// both.
  static func chunks(_ store: any Store) throws {
    try store.chunks(Item.all.select(\.name), size: 9) { rows in print(rows.count) }
    try store.chunks(Item.all.select(\.name, \.price), size: 9) { rows in print(rows.count) }
    try store.chunks(Item.all.select(\.name, \.price), size: 9) { print($0.map(\.1).count) }
    try store.chunks(Item.all.select(\.id, \.name, \.taste), size: 9) { rows in print(rows.count) }
    try store.chunks(Item.all.select(\.id, \.name, \.taste, \.price).distinct(), size: 9) { rows in
      print(rows.first?.3 ?? 0)
    }
    try store.read { tx in
      try tx.chunks(Item.all.select(\.name, \.price), size: 9) { rows in print(rows.count) }
    }
    let wide = Item.all.select(\.id, \.name, \.taste, \.price, \.isSold)
    try store.chunks(wide, size: 9) { rows in print(rows.count) }
  }

  static func names(_ numbers: [Int]) throws -> Any {
    let result: Result<Int, any Error> = .success(1)
    let order = numbers.sorted(using: KeyPathComparator(\.self, order: SortOrder.reverse))
    let condition = Condition.compare(.attribute("a"), .less, .value(.int(1)), [])
    let comparator: Condition.Comparator = .less
    return (result, order, condition, comparator)
  }
}

extension APIForms.Airport: Persistable, PrimaryKeyed {
  static let entity = Entity<APIForms.Airport>("Airport") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .attribute("iata", \.iata)
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    iata = try row[2]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(iata, at: 2)
  }
}
