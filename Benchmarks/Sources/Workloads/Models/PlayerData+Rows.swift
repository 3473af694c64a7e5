import ORM

extension PlayerData {
  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(
      id: try row[0], name: try row[1], team: try row[2], score: try row[3], rating: try row[4],
      country: try row[5], isActive: try row[6], note: try row[7])
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(team, at: 2)
    try row.write(score, at: 3)
    try row.write(rating, at: 4)
    try row.write(country, at: 5)
    try row.write(isActive, at: 6)
    try row.write(note, at: 7)
  }
}
