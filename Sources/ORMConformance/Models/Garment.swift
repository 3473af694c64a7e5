internal import FoundationEssentials
internal import ORM

/// Colours and sizes, of which another program may know more.
enum Colour: String, Codable, AttributeValue { case red, blue, other }
enum Fit: Int, Codable, AttributeValue { case unknown = -1, small = 1, large = 2 }

/// Enums with a fallback, written by hand.
struct Garment: PrimaryKeyed, Hashable {
  var id: Int64
  var colour: Colour
  var lining: Colour?
  var fit: Fit
  var strict: Colour?
  var label = ""

  static let entity = Entity<Garment>("Garment") {
    .key("id", \.id)
      .attribute("colour", \.colour, .fallback(.other), .indexed)
      .attribute("lining", \.lining, .fallback(.other))
      .attribute("fit", \.fit, .fallback(.unknown))
      .attribute("strict", \.strict)
      .attribute("label", \.label)
  }

  init(_ id: Int64, _ colour: Colour, lining: Colour? = nil, fit: Fit = .small) {
    self.id = id
    self.colour = colour
    self.lining = lining
    self.fit = fit
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    colour = try row.value(at: 1, fallback: .other)
    lining = try row.value(at: 2, fallback: .other)
    fit = try row.value(at: 3, fallback: .unknown)
    strict = try row[4]
    label = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(colour, at: 1)
    try row.write(lining, at: 2)
    try row.write(fit, at: 3)
    try row.write(strict, at: 4)
    try row.write(label, at: 5)
  }
}

/// The same by Codable alone.
struct Cloth: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var colour: Colour
  var lining: Colour?
  var fit: Fit
  var strict: Colour?
  var label: String

  static let entity = Entity<Cloth>("Cloth") {
    .key("id", \.id)
      .attribute("colour", \.colour, .fallback(.other), .indexed)
      .attribute("lining", \.lining, .fallback(.other))
      .attribute("fit", \.fit, .fallback(.unknown))
      .attribute("strict", \.strict)
      .attribute("label", \.label)
  }
}

/// Sets of scalars.
struct Bag: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var words: Set<String> = []
  var numbers: Set<UInt64> = []
  var days: Set<Date>?

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Bag>("Bag") {
    .key("id", \.id)
      .attribute("words", \.words, .indexed(.elements))
      .attribute("numbers", \.numbers)
      .attribute("days", \.days, .indexed(.elements))
  }
}
