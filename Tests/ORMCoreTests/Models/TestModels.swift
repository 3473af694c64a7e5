import Foundation
import ORMCore

/// A model mapped by hand.
struct Snack: Persistable, PrimaryKeyed, Hashable {
  var id: Int64 = 0
  var name = ""
  var taste: String?
  var price: Double = 0
  var amount: Int?
  var isHot = false
  var tags: [String] = []
  var isSelected = false

  static let entity = Entity<Snack>("Snack") {
    .key("id", \.id, .generated)
      .attribute("name", \.name, .indexed, .indexed(.caseInsensitive))
      .attribute("taste", \.taste)
      .attribute("price", \.price, .default(0))
      .attribute("amount", \.amount)
      .attribute("isHot", \.isHot)
      .attribute("tags", \.tags, .indexed(.elements))
      .index("taste", .descending("price"))
  }

  init(
    id: Int64 = 0, _ name: String = "", taste: String? = nil, price: Double = 0,
    amount: Int? = nil, isHot: Bool = false, tags: [String] = []
  ) {
    self.id = id
    self.name = name
    self.taste = taste
    self.price = price
    self.amount = amount
    self.isHot = isHot
    self.tags = tags
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    taste = try row[2]
    price = try row[3]
    amount = try row[4]
    isHot = try row[5]
    tags = try row[6]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(taste, at: 2)
    try row.write(price, at: 3)
    try row.write(amount, at: 4)
    try row.write(isHot, at: 5)
    try row.write(tags, at: 6)
  }
}

/// A model mapped by Codable, with a composite key.
struct Enrolment: Persistable, PrimaryKeyed, Codable, Hashable {
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

enum Taste: String, Codable, AttributeValue { case sweet, salty }
enum Level: Int, Codable, AttributeValue { case low = 1, high = 2 }

struct Colour: AttributeCodec, Codable, Hashable {
  var hex: String
  init(_ hex: String) { self.hex = hex }
  init(stored: String) throws {
    if stored.count != 6 { throw StoreError(.decoding, "no colour") }
    hex = stored
  }
  var stored: String { hex }
}

struct Address: JSONAttribute, Hashable {
  var street: String
  var lines: [Double]
}

struct Plain: Codable, Hashable {
  var a: Int
  var b: [String: Int]
}

/// Every attribute type of clause 1.1, so that two mappings of it can be compared.
struct EveryType: Codable, Hashable {
  var id: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var bool = true
  var int8: Int8 = -128
  var int16: Int16 = -32768
  var int32: Int32 = .min
  var int64: Int64 = .min
  var int: Int = .max
  var uint8: UInt8 = 255
  var uint16: UInt16 = 65535
  var uint32: UInt32 = .max
  var uint64: UInt64 = .max
  var uint: UInt = 7
  var float: Float = 0.1
  var double: Double = -0.0
  var string = "a\0é"
  var data = Data([0, 1, 255])
  var bytes: [UInt8] = [9, 8]
  var date = Date(timeIntervalSinceReferenceDate: 1.0000000000000002)
  var decimal = Decimal(string: "12345678901234567890.5") ?? 0
  var url = URL(string: "https://example.org/a?b") ?? URL(fileURLWithPath: "/")
  var taste = Taste.salty
  var level: Level? = .high
  var none: Level?
  var strings = ["b", "a", ""]
  var doubles: [Double] = [1.5, .infinity]
  var numbers: Set<Int32> = [3, -1, 2]
  var dates = [Date(timeIntervalSinceReferenceDate: 5)]
  var colour = Colour("ff0000")
  var address = Address(street: "Main", lines: [0.1])
  var plain: Plain = Plain(a: 1, b: ["x": 2])
  var words: [String] = ["kept", "as JSON"]
}

struct ByHand: Persistable, PrimaryKeyed {
  var id: UUID {
    get { all.id }
    set { all.id = newValue }
  }
  var all = EveryType()

  static let entity = Entity<ByHand>("Every") {
    .key("id", \.all.id)
      .attribute("bool", \.all.bool)
      .attribute("int8", \.all.int8)
      .attribute("int16", \.all.int16)
      .attribute("int32", \.all.int32)
      .attribute("int64", \.all.int64)
      .attribute("int", \.all.int)
      .attribute("uint8", \.all.uint8)
      .attribute("uint16", \.all.uint16)
      .attribute("uint32", \.all.uint32)
      .attribute("uint64", \.all.uint64)
      .attribute("uint", \.all.uint)
      .attribute("float", \.all.float)
      .attribute("double", \.all.double)
      .attribute("string", \.all.string)
      .attribute("data", \.all.data)
      .attribute("bytes", \.all.bytes)
      .attribute("date", \.all.date)
      .attribute("decimal", \.all.decimal)
      .attribute("url", \.all.url)
      .attribute("taste", \.all.taste)
      .attribute("level", \.all.level)
      .attribute("none", \.all.none)
      .attribute("strings", \.all.strings)
      .attribute("doubles", \.all.doubles)
      .attribute("numbers", \.all.numbers)
      .attribute("dates", \.all.dates)
      .attribute("colour", \.all.colour)
      .attribute("address", \.all.address)
      .json("plain", \.all.plain)
      .json("words", \.all.words)
  }

  init(_ all: EveryType = EveryType()) { self.all = all }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    all.id = try row[0]
    all.bool = try row[1]
    all.int8 = try row[2]
    all.int16 = try row[3]
    all.int32 = try row[4]
    all.int64 = try row[5]
    all.int = try row[6]
    all.uint8 = try row[7]
    all.uint16 = try row[8]
    all.uint32 = try row[9]
    all.uint64 = try row[10]
    all.uint = try row[11]
    all.float = try row[12]
    all.double = try row[13]
    all.string = try row[14]
    all.data = try row[15]
    all.bytes = try row[16]
    all.date = try row[17]
    all.decimal = try row[18]
    all.url = try row[19]
    all.taste = try row[20]
    all.level = try row[21]
    all.none = try row[22]
    all.strings = try row[23]
    all.doubles = try row[24]
    all.numbers = try row[25]
    all.dates = try row[26]
    all.colour = try row[27]
    all.address = try row[28]
    all.plain = try row.decodeJSON(at: 29)
    all.words = try row.decodeJSON(at: 30)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(all.id, at: 0)
    try row.write(all.bool, at: 1)
    try row.write(all.int8, at: 2)
    try row.write(all.int16, at: 3)
    try row.write(all.int32, at: 4)
    try row.write(all.int64, at: 5)
    try row.write(all.int, at: 6)
    try row.write(all.uint8, at: 7)
    try row.write(all.uint16, at: 8)
    try row.write(all.uint32, at: 9)
    try row.write(all.uint64, at: 10)
    try row.write(all.uint, at: 11)
    try row.write(all.float, at: 12)
    try row.write(all.double, at: 13)
    try row.write(all.string, at: 14)
    try row.write(all.data, at: 15)
    try row.write(all.bytes, at: 16)
    try row.write(all.date, at: 17)
    try row.write(all.decimal, at: 18)
    try row.write(all.url, at: 19)
    try row.write(all.taste, at: 20)
    try row.write(all.level, at: 21)
    try row.write(all.none, at: 22)
    try row.write(all.strings, at: 23)
    try row.write(all.doubles, at: 24)
    try row.write(all.numbers, at: 25)
    try row.write(all.dates, at: 26)
    try row.write(all.colour, at: 27)
    try row.write(all.address, at: 28)
    try row.encodeJSON(all.plain, at: 29)
    try row.encodeJSON(all.words, at: 30)
  }
}

/// The same through Codable: its coding is that of ``EveryType``.
struct ByCodable: Persistable, PrimaryKeyed, Codable {
  var id: UUID {
    get { all.id }
    set { all.id = newValue }
  }
  var all = EveryType()

  static let entity = Entity<ByCodable>("Every") {
    .key("id", \.all.id)
      .attribute("bool", \.all.bool)
      .attribute("int8", \.all.int8)
      .attribute("int16", \.all.int16)
      .attribute("int32", \.all.int32)
      .attribute("int64", \.all.int64)
      .attribute("int", \.all.int)
      .attribute("uint8", \.all.uint8)
      .attribute("uint16", \.all.uint16)
      .attribute("uint32", \.all.uint32)
      .attribute("uint64", \.all.uint64)
      .attribute("uint", \.all.uint)
      .attribute("float", \.all.float)
      .attribute("double", \.all.double)
      .attribute("string", \.all.string)
      .attribute("data", \.all.data)
      .attribute("bytes", \.all.bytes)
      .attribute("date", \.all.date)
      .attribute("decimal", \.all.decimal)
      .attribute("url", \.all.url)
      .attribute("taste", \.all.taste)
      .attribute("level", \.all.level)
      .attribute("none", \.all.none)
      .attribute("strings", \.all.strings)
      .attribute("doubles", \.all.doubles)
      .attribute("numbers", \.all.numbers)
      .attribute("dates", \.all.dates)
      .attribute("colour", \.all.colour)
      .attribute("address", \.all.address)
      .json("plain", \.all.plain)
      .json("words", \.all.words)
  }

  init(_ all: EveryType = EveryType()) { self.all = all }
  init(from decoder: any Decoder) throws { all = try EveryType(from: decoder) }
  func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }
}

/// The code, entity and attributes of a `StoreError` that a body throws.
func fault(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing thrown"
  } catch let error as StoreError {
    let place = ([error.entity].compactMap(\.self) + error.attributes).joined(separator: ".")
    return "\(error.code) \(place)"
  } catch {
    return "another error: \(error)"
  }
}
