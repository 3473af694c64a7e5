internal import ORM

/// A text, stored without an index, with one, and with one that ignores case.
struct Word: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var plain: String?
  var indexed: String?
  var folded: String?

  init(_ id: Int64, _ text: String?) {
    self.id = id
    plain = text
    indexed = text
    folded = text
  }

  static let entity = Entity<Word>("Word") {
    .key("id", \.id)
      .attribute("plain", \.plain)
      .attribute("indexed", \.indexed, .indexed)
      .attribute("folded", \.folded, .indexed(.caseInsensitive))
  }

  /// The attributes, each of which holds the text.
  static let attributes = ["plain", "indexed", "folded"]
}

/// A text stored in NFC, and one as it comes.
struct NormalWord: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var normal: String
  var free: String

  init(_ id: Int64, _ text: String) {
    self.id = id
    normal = text
    free = text
  }

  static let entity = Entity<NormalWord>("NormalWord") {
    .key("id", \.id)
      .attribute("normal", \.normal, .normalized, .unique)
      .attribute("free", \.free, .indexed)
  }
}
