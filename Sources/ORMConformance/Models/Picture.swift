internal import FoundationEssentials
internal import ORM

/// A model with data that is stored outside of its rows from a hundred bytes on.
struct Picture: PrimaryKeyed, Hashable {
  var id: Int64
  var title: String
  var image: Data?
  var raw: [UInt8]
  var album: ToOne<Album>

  init(
    _ id: Int64, _ title: String = "", image: Data? = nil, raw: [UInt8] = [],
    album: ToOne<Album> = ToOne()
  ) {
    self.id = id
    self.title = title
    self.image = image
    self.raw = raw
    self.album = album
  }

  static let entity = Entity<Picture>("Picture") {
    .key("id", \.id)
      .attribute("title", \.title, .indexed)
      .attribute("image", \.image, .external(threshold: 100))
      .attribute("raw", \.raw, .external(threshold: 100), .default([7]))
      .relationship("album", \.album)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    title = try row[1]
    image = try row[2]
    raw = try row[3]
    album = try row.toOne(0, of: Picture.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(title, at: 1)
    try row.write(image, at: 2)
    try row.write(raw, at: 3)
    try row.write(album, toOne: 0, of: Picture.self)
  }

  /// Returns a content of `size` bytes, another for each number.
  static func content(_ number: Int, _ size: Int = 5000) -> Data {
    var random = SeededGenerator(seed: UInt64(bitPattern: Int64(number)) &* 0x1_0001)
    return Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }
}

/// An album of pictures, which are deleted with it.
struct Album: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var cover: Data
  var pictures: ToMany<Picture>

  init(_ id: Int64 = 0, cover: Data = Data(), pictures: ToMany<Picture> = ToMany()) {
    self.id = id
    self.cover = cover
    self.pictures = pictures
  }

  static let entity = Entity<Album>("Album") {
    .key("id", \.id, .generated)
      .attribute("cover", \.cover, .external(threshold: 100))
      .relationship("pictures", \.pictures, inverse: \Picture.album, delete: .cascade)
  }
}
