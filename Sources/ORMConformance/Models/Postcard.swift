internal import FoundationEssentials
internal import ORM

/// Everything that the clock and the UUIDs of a store may set: the key, timestamps of every role, and
/// defaults.
struct Postcard: PrimaryKeyed, Codable, Hashable {
  var id: UUID = .unassigned
  var text: String
  var written: Date
  var code: UUID
  var created: Date = .distantPast
  var changed: Date = .distantPast
  var hidden: Date?

  init(_ text: String) {
    self.text = text
    written = .distantPast
    code = .unassigned
  }

  static let entity = Entity<Postcard>("Postcard") {
    .key("id", \.id, .uuidV4)
      .attribute("text", \.text)
      .attribute("written", \.written, .defaultNow)
      .attribute("code", \.code, .defaultUUID)
      .attribute("created", \.created, .createdAt)
      .attribute("changed", \.changed, .updatedAt)
      .attribute("hidden", \.hidden, .softDelete)
  }
}

/// A row that a rule allows until a time.
struct Voucher: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var until: Date

  static let entity = Entity<Voucher>("Voucher") {
    .key("id", \.id)
      .attribute("until", \.until)
      .rule("fresh", "until > now()", "must not have run out")
  }
}
