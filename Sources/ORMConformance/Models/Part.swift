internal import FoundationEssentials
internal import ORM

/// A part whose key has an attribute of every kind of value that a key can hold.
struct Part: Persistable, PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var text: String
    var long: UInt64
    var word: UInt
    var byte: UInt8
    var whole: Int64
    var number: Double
    var single: Float
    var exact: Decimal
    var date: Date
    var uuid: UUID
    var data: Data
    var flag: Bool
  }
  var id: ID
  var kits: ToMany<Kit>
  static let entity = Entity<Part>("Part") {
    .key("text", \.id.text)
      .key("long", \.id.long)
      .key("word", \.id.word)
      .key("byte", \.id.byte)
      .key("whole", \.id.whole)
      .key("number", \.id.number)
      .key("single", \.id.single)
      .key("exact", \.id.exact)
      .key("date", \.id.date)
      .key("uuid", \.id.uuid)
      .key("data", \.id.data)
      .key("flag", \.id.flag)
      .relationship("kits", \.kits, inverse: \Kit.parts)
  }

  init(_ id: ID, kits: ToMany<Kit> = .notLoaded) {
    self.id = id
    self.kits = kits
  }
}

/// A kit that leads to parts by every kind of link, mapped by hand.
struct Kit: Persistable, PrimaryKeyed, Hashable {
  var id: UInt64
  var main: ToOne<Part>
  var parts: ToMany<Part>
  var spares: ToMany<Part>
  static let entity = Entity<Kit>("Kit") {
    .key("id", \.id)
      .relationship("main", \.main)
      .relationship("parts", \.parts)
      .relationship("spares", \.spares, ordered: true, shared: true)
  }

  init(
    _ id: UInt64, main: ToOne<Part> = ToOne(), parts: ToMany<Part> = .notLoaded,
    spares: ToMany<Part> = .notLoaded
  ) {
    self.id = id
    self.main = main
    self.parts = parts
    self.spares = spares
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    main = try row.toOne(0, of: Kit.self)
    parts = .notLoaded
    spares = .notLoaded
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(main, toOne: 0, of: Kit.self)
  }
}
