internal import FoundationEssentials
internal import ORM

/// A room with a rule of every kind.
struct Room: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var seats: Int
  var price: Double?
  var code: String?
  var opens: Int
  var closes: Int
  var tags: [String]
  var floor: Int

  init(
    _ id: Int64, _ name: String = "hall", seats: Int = 10, price: Double? = nil,
    code: String? = nil, opens: Int = 8, closes: Int = 18, tags: [String] = [], floor: Int = 0
  ) {
    self.id = id
    self.name = name
    self.seats = seats
    self.price = price
    self.code = code
    self.opens = opens
    self.closes = closes
    self.tags = tags
    self.floor = floor
  }

  static let entity = Entity<Room>("Room") {
    .key("id", \.id)
      .attribute("name", \.name, .length(1...6))
      .attribute("seats", \.seats, .range(1...100), .unique)
      .attribute("price", \.price, .range(0..<50))
      .attribute("code", \.code, .matches("[A-Z]{2}\\d+"))
      .attribute("opens", \.opens)
      .attribute("closes", \.closes)
      .attribute("tags", \.tags, .length(...2))
      .attribute("floor", \.floor, .default(0))
      .rule("hours", "must close after it opens") { $0.closes > $0.opens }
  }
}

/// A crate that is checked by code, one attribute alone and as a whole.
struct Freight: PrimaryKeyed, Codable, Hashable, ValidatedModel {
  var id: Int64
  var weight: Int
  var isSealed: Bool

  init(_ id: Int64, weight: Int, isSealed: Bool = false) {
    self.id = id
    self.weight = weight
    self.isSealed = isSealed
  }

  static let entity = Entity<Freight>("Freight") {
    .key("id", \.id)
      .attribute("weight", \.weight, .range(1...), .check("must be even") { $0 % 2 == 0 })
      .attribute("isSealed", \.isSealed)
  }

  func validate(_ check: inout Validation<Freight>) throws {
    switch check.event {
    case .delete: if isSealed { check.fail("sealed", "a sealed crate stays", on: \.isSealed) }
    case .insert: if isSealed { check.fail("open", "a new crate is open", on: \.isSealed) }
    case .update:
      if let old = check.old, old.isSealed, old.weight != weight {
        check.fail("sealed", "a sealed crate keeps its weight", on: \.weight)
      }
    case .none: break
    }
    // The transaction is that of the operation.
    if let transaction = check.transaction, try transaction.count(Freight.all) > 5 {
      check.fail("many", "at most five crates")
    }
  }
}

/// A note whose hooks record its events in the same transaction.
struct Memo: PrimaryKeyed, Codable, Hashable, WriteHooks, LoadHook {
  var id: Int64
  var text: String
  var length: Int
  var isLoaded = false

  private enum CodingKeys: String, CodingKey { case id, text, length }

  init(_ id: Int64, _ text: String, length: Int = -1) {
    self.id = id
    self.text = text
    self.length = length
  }

  static let entity = Entity<Memo>("Memo") {
    .key("id", \.id, .generated)
      .attribute("text", \.text)
      .attribute("length", \.length)
  }

  mutating func willInsert(in transaction: WriteTransaction) throws {
    length = text.unicodeScalars.count
    try transaction.save(Line("+\(text)"))
  }

  mutating func willUpdate(from old: Memo, in transaction: WriteTransaction) throws {
    if text == "bad" { throw Refusal() }
    length = text.unicodeScalars.count
    try transaction.save(Line("\(old.text)>\(text)"))
  }

  func willDelete(in transaction: WriteTransaction) throws {
    if text == "stays" { throw Refusal() }
    try transaction.save(Line("-\(text)"))
  }

  func didInsert(in transaction: WriteTransaction) throws {
    let isThere = try transaction.find(Memo.self, id)?.text == text
    try transaction.save(Line("inserted \(isThere)"))
  }

  func didUpdate(from old: Memo, in transaction: WriteTransaction) throws {
    let isThere = try transaction.find(Memo.self, id)?.text == text
    try transaction.save(Line("updated \(isThere)"))
  }

  func didDelete(in transaction: WriteTransaction) throws {
    let isDeleted = try transaction.find(Memo.self, id) == nil
    try transaction.save(Line("deleted \(isDeleted)"))
  }

  mutating func didLoad() throws { isLoaded = true }

  /// An error that a hook throws.
  struct Refusal: Error, Equatable {}
}

/// A line that a hook wrote.
struct Line: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var text: String

  init(_ text: String) { self.text = text }

  static let entity = Entity<Line>("Line") {
    .key("id", \.id, .generated)
      .attribute("text", \.text)
  }
}

/// An article whose timestamps and version the operations keep.
struct Article: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var rank: Int?
  var version: Int = 0
  var created = Date(timeIntervalSinceReferenceDate: 0)
  var changed: Date?

  init(_ id: Int64, _ title: String, rank: Int? = nil) {
    self.id = id
    self.title = title
    self.rank = rank
  }

  static let entity = Entity<Article>("Article") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("rank", \.rank)
      .attribute("version", \.version, .version)
      .attribute("created", \.created, .createdAt)
      .attribute("changed", \.changed, .updatedAt)
  }
}

/// A struct with rules of its own that others hold.
struct Stretch: Persistable, Codable, Hashable {
  var low: Int
  var high: Int

  static let entity = Entity<Stretch>("Stretch") {
    .attribute("low", \.low, .range(0...), .check("must be even") { $0 % 2 == 0 })
      .attribute("high", \.high)
      .rule("stretch", "must not be empty") { $0.high > $0.low }
  }
}

/// A shelf that holds a struct with rules, and may hold another.
struct Plank: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var width: Stretch
  var spare: Stretch?

  static let entity = Entity<Plank>("Plank") {
    .key("id", \.id)
      .embedded("width", \.width)
      .embedded("spare", \.spare)
  }
}
