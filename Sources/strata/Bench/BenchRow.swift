#if Command
  import ORM

  /// The row that `strata bench` keeps: an indexed number, texts, a double, something optional.
  struct BenchRow: Persistable, PrimaryKeyed {
    var id: Int64
    var name: String
    var score: Int64
    var rating: Double
    var note: String?

    static let entity = Entity<BenchRow>("BenchRow") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("score", \.score, .indexed)
        .attribute("rating", \.rating)
        .attribute("note", \.note)
    }

    /// The number of different scores.
    static let scores: Int64 = 100

    /// Row `id`, the same in every run: each score belongs to every hundredth row.
    init(id: Int64) {
      self.id = id
      name = "Row number \(id)"
      score = id % Self.scores
      rating = Double(id % 1000) / 1000
      note = id % 3 == 0 ? nil : "a note of some thirty bytes, \(id % 97)"
    }

    init<R: RowReader & ~Copyable>(row: borrowing R) throws {
      id = try row[0]
      name = try row[1]
      score = try row[2]
      rating = try row[3]
      note = try row[4]
    }

    func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
      try row.write(id, at: 0)
      try row.write(name, at: 1)
      try row.write(score, at: 2)
      try row.write(rating, at: 3)
      try row.write(note, at: 4)
    }
  }
#endif
