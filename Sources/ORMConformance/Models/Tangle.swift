internal import ORM
internal import ORMObservation

/// One side of a many-to-many by which a short condition makes much work.
struct Tangle: Persistable, PrimaryKeyed, Codable {
  struct Info: Codable, Sendable { var list: [Int64] }

  var id: Int64
  var text: String
  var numbers: [Int64]
  var info: Info
  var weight: Int64
  var fibres: ToMany<Fibre>
  var tassels: ToMany<Tassel>
  static let entity = Entity<Tangle>("Tangle") {
    .key("id", \.id)
      .attribute("text", \.text)
      .attribute("numbers", \.numbers)
      .json("info", \.info)
      .attribute("weight", \.weight)
      .relationship("fibres", \.fibres, inverse: \Fibre.tangles)
      .relationship("tassels", \.tassels, inverse: \Tassel.tangle)
  }

  init(
    _ id: Int64, text: String = "", numbers: [Int64] = [], fibres: ToMany<Fibre> = .notLoaded,
    tassels: ToMany<Tassel> = .notLoaded
  ) {
    self.id = id
    self.text = text
    self.numbers = numbers
    info = Info(list: numbers)
    weight = id % 7
    self.fibres = fibres
    self.tassels = tassels
  }
}

/// The other side.
struct Fibre: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var tangles: ToMany<Tangle>
  static let entity = Entity<Fibre>("Fibre") {
    .key("id", \.id)
      .relationship("tangles", \.tangles)
  }

  init(_ id: Int64, tangles: ToMany<Tangle> = .notLoaded) {
    self.id = id
    self.tangles = tangles
  }
}

/// A row that goes with its tangle.
struct Tassel: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var tangle: ToOne<Tangle>
  static let entity = Entity<Tassel>("Tassel") {
    .key("id", \.id)
      .relationship("tangle", \.tangle, targetDeleted: .cascade)
  }

  init(_ id: Int64, tangle: ToOne<Tangle> = .notLoaded) {
    self.id = id
    self.tangle = tangle
  }
}
