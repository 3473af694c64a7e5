import Foundation
import ORMExchange
@_exported public import TestSupport

/// A flat model whose mapping is the standard one.
struct Snack: PrimaryKeyed, Codable, Hashable, JSONMapped {
  var id: Int64 = 0
  var name: String
  var taste: String?
  var price: Double = 0
  var stock = 0
  var isVegan = false
  var tags: [String] = []
  var added: Date?

  static let entity = Entity<Snack>("Snack") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("taste", \.taste)
      .attribute("price", \.price, .default(0))
      .attribute("stock", \.stock, .default(0))
      .attribute("isVegan", \.isVegan, .default(false))
      .attribute("tags", \.tags)
      .attribute("added", \.added)
  }
}

enum Size: String, Codable, AttributeValue {
  case small, large
}

/// An attribute of every type.
struct Sample: PrimaryKeyed, Codable, Hashable {
  var id: Int = 0
  var flag = false
  var tiny: Int8 = 0
  var long: Int64 = 0
  var byte: UInt8 = 0
  var big: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var text = ""
  var note: String?
  var data = Data()
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var token = UUID.unassigned
  var amount: Decimal = 0
  var numbers: [Int64] = []
  var words: [String]?
  var size: Size = .small
  var info: [String: Int] = [:]

  static let entity = Entity<Sample>("Sample") {
    .key("id", \.id)
      .attribute("flag", \.flag, .default(false))
      .attribute("tiny", \.tiny, .default(0))
      .attribute("long", \.long, .default(0))
      .attribute("byte", \.byte, .default(0))
      .attribute("big", \.big, .default(0))
      .attribute("float", \.float, .default(0))
      .attribute("double", \.double, .default(0))
      .attribute("text", \.text, .default(""))
      .attribute("note", \.note)
      .attribute("data", \.data, .default(Data()))
      .attribute("date", \.date, .default(Date(timeIntervalSinceReferenceDate: 0)))
      .attribute("token", \.token, .default(UUID.unassigned))
      .attribute("amount", \.amount, .default(0))
      .attribute("numbers", \.numbers)
      .attribute("words", \.words)
      .attribute("size", \.size, .default(.small))
      .json("info", \.info)
  }
}

struct Address: Persistable, Codable, Hashable {
  var street: String
  var city: String?

  static let entity = Entity<Address>("Address") {
    .attribute("street", \.street)
      .attribute("city", \.city)
  }
}

/// A model with embedded structs, one of which may be nil, and a property that is not stored.
struct Customer: PrimaryKeyed, Codable, Hashable, JSONMapped {
  var id: Int64 = 0
  var name: String
  var home: Address
  var work: Address?
  var isSelected = false

  enum CodingKeys: CodingKey { case id, name, home, work }

  static let entity = Entity<Customer>("Customer") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .embedded("home", \.home)
      .embedded("work", \.work)
  }
}

struct Team: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var name: String
  var players: ToMany<Player> = ToMany()

  static let entity = Entity<Team>("Team") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("players", \.players, inverse: \Player.team)
  }
}

struct Player: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var fullName: String
  var team: ToOne<Team> = ToOne()

  static let entity = Entity<Player>("Player") {
    .key("id", \.id, .generated)
      .attribute("fullName", \.fullName)
      .relationship("team", \.team)
  }
}

/// A model that leads to itself.
struct Folder: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var parent: ToOne<Folder> = ToOne()
  var children: ToMany<Folder> = ToMany()

  static let entity = Entity<Folder>("Folder") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("parent", \.parent)
      .relationship("children", \.children, inverse: \Folder.parent)
  }
}
