import ORM

/// Ten integers as a Strata model, mapped by hand.
package struct Numbers: Persistable, PrimaryKeyed {
  package var data: NumberData
  package var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }

  package static let entity = Entity<Numbers>("Numbers") {
    .key("id", \.id)
      .attribute("a", \.data.a)
      .attribute("b", \.data.b)
      .attribute("c", \.data.c)
      .attribute("d", \.data.d)
      .attribute("e", \.data.e)
      .attribute("f", \.data.f)
      .attribute("g", \.data.g)
      .attribute("h", \.data.h)
      .attribute("i", \.data.i)
  }

  package init(_ data: NumberData) { self.data = data }

  package init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    data = NumberData(
      id: try row[0], a: try row[1], b: try row[2], c: try row[3], d: try row[4], e: try row[5],
      f: try row[6], g: try row[7], h: try row[8], i: try row[9])
  }

  package func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(data.id, at: 0)
    try row.write(data.a, at: 1)
    try row.write(data.b, at: 2)
    try row.write(data.c, at: 3)
    try row.write(data.d, at: 4)
    try row.write(data.e, at: 5)
    try row.write(data.f, at: 6)
    try row.write(data.g, at: 7)
    try row.write(data.h, at: 8)
    try row.write(data.i, at: 9)
  }
}
