import Foundation
import ORM
import ORMCore

/// A model with a column of each sort that has a form of its own on the server.
struct Specimen: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name = ""
  var weight = 0.0
  var count: UInt64 = 0
  var price = Decimal(0)
  var tags: [String] = []
  var numbers: [Double] = []
  var isRare = false
  var sent: Date?
  var data = Data()
  var token: UUID?
  var system = 0
  var long: String?

  enum CodingKeys: String, CodingKey {
    case id, name, weight, count, price, tags, numbers, isRare, sent, data, token
    case system = "xmin"
    case long = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn1"
  }

  static let entity = Entity<Specimen>("Specimen") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .attribute("weight", \.weight)
      .attribute("count", \.count, .indexed)
      .attribute("price", \.price)
      .attribute("tags", \.tags)
      .attribute("numbers", \.numbers)
      .attribute("isRare", \.isRare)
      .attribute("sent", \.sent)
      .attribute("data", \.data)
      .attribute("token", \.token)
      // A column of the server's own has the name.
      .attribute("xmin", \.system)
      // The server cuts names at 63 bytes, where the two would be one.
      .attribute(String(repeating: "n", count: 70) + "1", \.long)
  }

  /// A specimen with no value that is left out.
  static var full: Specimen {
    Specimen(
      id: 1, name: "it's \"a\" \\ b", weight: -0.0, count: .max,
      price: Decimal(string: "-12345678901234567890.12345678901234567") ?? 0,
      tags: ["a,b", "\"q\"", "", "\u{0}\u{1}\u{2}\u{3}", "NULL"],
      numbers: [-0.0, .leastNonzeroMagnitude, .infinity],
      isRare: true, sent: Date(timeIntervalSinceReferenceDate: 86_400.5), data: Data([0, 1, 255]),
      token: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), system: 7,
      long: "\u{0}x\u{3}")
  }
}
