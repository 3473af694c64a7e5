package import ORM

/// A row whose values follow from its position: one of several that a transaction wrote.
package struct Entry: PrimaryKeyed, Equatable {
  package var id: Int64 = 0
  package var group: Int
  package var number: Int
  package var text: String

  /// The row at a position of a group.
  package init(_ group: Int, _ number: Int) {
    self.group = group
    self.number = number
    text = Self.text(group, number)
  }

  /// The row with a key, of groups of ten.
  package static func sample(_ id: Int64) -> Entry {
    var entry = Entry(Int(id) / 10, Int(id) % 10)
    entry.id = id
    return entry
  }

  /// A text of up to 700 bytes, and now and then of 5000, which needs pages of its own.
  private static func text(_ group: Int, _ number: Int) -> String {
    let place = group * 37 + number * 211
    let count = place % 41 == 0 ? 5_000 : place % 701
    var text = "\(group)/\(number) "
    while text.utf8.count < count { text += "\(group * 7 + number) " }
    return text
  }

  package static let entity = Entity<Entry>("Entry") {
    .key("id", \.id, .generated)
      .attribute("group", \.group, .indexed)
      .attribute("number", \.number)
      .attribute("text", \.text)
      .unique("group", "number")
  }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    group = try row[1]
    number = try row[2]
    text = try row[3]
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(group, at: 1)
    try row.write(number, at: 2)
    try row.write(text, at: 3)
  }
}
