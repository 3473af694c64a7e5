internal import FoundationEssentials
internal import ORM

/// A row whose key, indexed texts, bytes and elements may be of any length.
struct Manuscript: PrimaryKeyed, Codable, Hashable {
  var id: String
  var shelf: String?
  var title: String
  var seal: Data?
  var pages: [String]

  static let entity = Entity<Manuscript>("Manuscript") {
    .key("id", \.id)
      .attribute("shelf", \.shelf, .indexed(.caseInsensitive))
      .attribute("title", \.title, .unique)
      .attribute("seal", \.seal, .unique)
      .attribute("pages", \.pages, .indexed(.elements))
      .index("shelf", .descending("title"), "id")
  }

  init(
    _ id: String, shelf: String? = nil, title: String, seal: Data? = nil, pages: [String] = []
  ) {
    self.id = id
    self.shelf = shelf
    self.title = title
    self.seal = seal
    self.pages = pages
  }

  /// A text that begins with a letter and cannot be compressed, always the same for the letter.
  static func long(_ letter: String, count: Int = 6_000) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var state = UInt64(letter.utf8.first ?? 1)
    let bytes = (0..<count).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return digits[Int(state >> 58)]
    }
    return letter + String(decoding: bytes, as: UTF8.self)
  }
}

/// A copy of a manuscript, which it finds by a key of any length.
struct Transcript: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var source: ToOne<Manuscript>

  static let entity = Entity<Transcript>("Transcript") {
    .key("id", \.id).relationship("source", \.source)
  }
}
