import Foundation

@testable import ORMExchange

// The models and mappings of the fuzz targets of exchange.

/// An attribute of every type.
struct Thing: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var flag = false
  var tiny: Int8 = 0
  var big: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var text = ""
  var note: String?
  var data = Data()
  var date: Date?
  var token: UUID?
  var amount: Decimal = 0
  var numbers: [Int64] = []
  var words: [String]?
  var info: [String: Int] = [:]
  var home: Place?
  var whole: ToOne<Thing> = ToOne()
  var parts: ToMany<Thing> = ToMany()

  static let entity = Entity<Thing>("Thing") {
    .key("id", \.id)
      .attribute("flag", \.flag, .default(false))
      .attribute("tiny", \.tiny, .default(0))
      .attribute("big", \.big, .default(0))
      .attribute("float", \.float, .default(0))
      .attribute("double", \.double, .default(0))
      .attribute("text", \.text, .default(""))
      .attribute("note", \.note)
      .attribute("data", \.data, .default(Data()))
      .attribute("date", \.date)
      .attribute("token", \.token)
      .attribute("amount", \.amount, .default(0))
      .attribute("numbers", \.numbers)
      .attribute("words", \.words)
      .json("info", \.info)
      .embedded("home", \.home)
      .relationship("whole", \.whole)
      .relationship("parts", \.parts, inverse: \Thing.whole)
  }
}

struct Place: Persistable, Codable, Hashable {
  var street: String
  var city: String?

  static let entity = Entity<Place>("Place") {
    .attribute("street", \.street).attribute("city", \.city)
  }
}

/// Mappings that carry every attribute both ways.
let mappings: [JSONMapping<Thing>] = [
  JSONMapping(Thing.self).leaveOut(\.parts),
  JSONMapping(Thing.self, names: .snakeCase, unknown: .refuse).leaveOut(\.parts)
    .field(\.text, from: "t", "n.t[1]", "a\\.b").field(\.double, as: .number(writesText: true))
    .field(\.numbers, from: "l[*].n").field(\.flag, as: .boolean(writesNumber: true))
    .field(\.data, as: .data(.hex)).field(\.home, from: "h.i").leavingOutNulls(),
  JSONMapping(Thing.self).keys(\.parts).nested(\.whole),
]

extension Data {
  /// The bytes as a window reads them, some at a time.
  func window(limit: Int, chunk: Int) throws -> ByteWindow {
    var place = startIndex
    return try ByteWindow(limit: limit, chunk: chunk) { count in
      let end = Swift.min(place + count, endIndex)
      defer { place = end }
      return self[place..<end]
    }
  }
}
