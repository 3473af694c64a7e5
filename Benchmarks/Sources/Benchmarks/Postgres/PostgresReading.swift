import ORM

/// A row of eight columns.
struct Reading: PrimaryKeyed, Equatable {
  var id: Int64
  var name: String
  var station: Int64
  var value: Double
  var isValid: Bool
  var level: Int64
  var note: String
  var time: Double

  /// The row of a key in a round; each round has other values.
  init(_ id: Int64, round: Int64 = 0) {
    self.id = id
    name = "reading \(id)"
    station = id % 100
    value = Double(id &* 2_654_435_761 % 1_000_003) / 7 + Double(round)
    isValid = id % 3 != 0
    level = id * 31 % 1_009
    note = "a note of some length about \(id % 1_000)"
    time = 700_000_000 + Double(id)
  }

  static let entity = Entity<Reading>("Reading") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("station", \.station)
      .attribute("value", \.value)
      .attribute("isValid", \.isValid)
      .attribute("level", \.level)
      .attribute("note", \.note)
      .attribute("time", \.time)
  }

  init(
    id: Int64, name: String, station: Int64, value: Double, isValid: Bool, level: Int64,
    note: String, time: Double
  ) {
    self.id = id
    self.name = name
    self.station = station
    self.value = value
    self.isValid = isValid
    self.level = level
    self.note = note
    self.time = time
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(
      id: try row[0], name: try row[1], station: try row[2], value: try row[3],
      isValid: try row[4], level: try row[5], note: try row[6], time: try row[7])
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(station, at: 2)
    try row.write(value, at: 3)
    try row.write(isValid, at: 4)
    try row.write(level, at: 5)
    try row.write(note, at: 6)
    try row.write(time, at: 7)
  }
}
