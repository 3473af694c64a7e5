package import Foundation
package import ORM

/// The content of the stores in `Tests/Golden`, which each released version has written: every type
/// of attribute, every form of relationship, a hierarchy, a soft delete.
///
/// Models and content are those of version 0.1.0 and do not change: the files are there already.
package enum GoldenStore {
  /// The attributes of every type, as no model has them.
  private static let sample = EntityDescription(
    name: "Sample",
    attributes: [
      AttributeDescription("id", .int64), AttributeDescription("flag", .bool),
      AttributeDescription("tiny", .int8), AttributeDescription("short", .int16),
      AttributeDescription("medium", .int32), AttributeDescription("long", .int64),
      AttributeDescription("byte", .uint8), AttributeDescription("word", .uint16),
      AttributeDescription("quad", .uint32), AttributeDescription("huge", .uint64),
      AttributeDescription("single", .float), AttributeDescription("real", .double),
      AttributeDescription("text", .string), AttributeDescription("bytes", .data),
      AttributeDescription("date", .date), AttributeDescription("code", .uuid),
      AttributeDescription("price", .decimal), AttributeDescription("tags", .array(.string)),
      AttributeDescription("extra", .json),
      AttributeDescription("missing", .string, isOptional: true),
    ], key: ["id"], keySource: .generated,
    indexes: [
      IndexDescription(["text"], isUnique: true), IndexDescription(["real"]),
      IndexDescription([.init("text", form: .caseFolded)]),
      IndexDescription([.init("tags", form: .elements)]), IndexDescription([.descending("date")]),
    ])

  /// The schema, of version 1.
  package static func schema() throws -> Schema {
    try Schema(
      joining: Schema(entities: [sample]),
      Schema(
        Owner.self, Home.self, Permit.self, Crate.self, Label.self, Artist.self, Trainee.self,
        Workshop.self, Presence.self, Animal.self, Dog.self), version: 1)
  }

  /// The row of the samples with values from the middle of the ranges.
  package static let middle = DynamicRow(
    "Sample",
    [
      "id": .int(1), "flag": .bool(true), "tiny": .int(-7), "short": .int(300),
      "medium": .int(-70_000), "long": .int(5_000_000_000), "byte": .int(200),
      "word": .int(60_000), "quad": .int(4_000_000_000), "huge": .int(42), "single": .double(0.5),
      "real": .double(-1234.5), "text": .string("Straße 日本 \u{1F600}"),
      "bytes": .data(Data([0, 255, 16])),
      "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.25)),
      "code": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
      "price": .decimal(Decimal(sign: .minus, exponent: -2, significand: 1999)),
      "tags": .array([.string("b"), .string("a")]), "extra": .json(#"{"a":[1,2]}"#),
      "missing": .string("here"),
    ])
  /// The row of the samples with the ends of the ranges.
  package static let ends = DynamicRow(
    "Sample",
    [
      "id": .int(3), "flag": .bool(false), "tiny": .int(-128), "short": .int(32_767),
      "medium": .int(-2_147_483_648), "long": .int(.min), "byte": .int(255), "word": .int(65_535),
      "quad": .int(4_294_967_295), "huge": .uint(.max), "single": .double(-0.0),
      "real": .double(.greatestFiniteMagnitude), "text": .string("\u{0}end"),
      "bytes": .data(Data()), "date": .date(Date(timeIntervalSinceReferenceDate: -63_113_904_000)),
      "code": .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      "price": .decimal(Decimal(string: "99999999999999999999999999999999999999") ?? 0),
      "tags": .array([]), "extra": .json("null"), "missing": .null,
    ])

  /// Fills a store, whose keys 2 and 4 of the samples were given and are deleted.
  package static func fill(_ store: any Store) throws {
    try store.write { tx in
      for (number, row) in [middle, middle, ends, ends].enumerated() {
        var row = row
        row.values["id"] = nil
        if number % 2 == 1 { row["text"] = .string("deleted \(number)") }
        try tx.insert([row])
      }
      let isDeleted = Condition.isIn(
        .attribute("id"), list: .value(.array([.int(2), .int(4)])), [])
      try tx.delete(DynamicQuery("Sample", where: isDeleted))
    }
    try store.write { tx in
      try tx.save([Owner(1, "Ada"), Owner(2, "Ben")])
      try tx.save([Crate(1, "books"), Crate(2, "plates"), Crate(3, "tools")])
      try tx.save([Label("fragile"), Label("heavy")])
      try tx.save([Artist(1), Artist(2)])
      try tx.save([
        Home(
          1, "mill", owner: .key(1), crates: .keys([3, 1]), labels: .keys(["fragile", "heavy"]),
          artists: .keys([1, 2])),
        Home(
          2, "barn", owner: .key(1), crates: .keys([2]), labels: .keys(["heavy"]),
          artists: .keys([2])),
        Home(3, "ruin", owner: .key(2), crates: .keys([]), labels: .keys([]), artists: .keys([])),
      ])
      try tx.save([Permit(7, home: .key(2))])
      try tx.delete(Home.self, id: 3)
      try tx.save([Trainee(1), Trainee(2)])
      try tx.save([Workshop(5)])
      try tx.insert(Presence(pupil: 1, course: 5, grade: 2))
      try tx.insert(Presence(pupil: 2, course: 5, grade: nil))
      try tx.save(Animal(1, "worm"))
      try tx.save(Dog(2, "Rex", tricks: 3))
    }
  }

  /// The end of a one-to-many.
  package struct Owner: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var name: String
    package var homes: ToMany<Home> = .notLoaded
    package static let entity = Entity<Owner>("Owner") {
      .key("id", \.id)
        .attribute("name", \.name)
        .relationship("homes", \.homes, inverse: \Home.owner)
    }

    package init(_ id: Int64, _ name: String) {
      self.id = id
      self.name = name
    }
  }

  /// The owner of links of most forms, with a soft delete.
  package struct Home: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var name: String
    package var deletedAt: Date?
    package var owner: ToOne<Owner>
    package var permit: ToOne<Permit> = .notLoaded
    package var crates: ToMany<Crate>
    package var labels: ToMany<Label>
    package var artists: ToMany<Artist>
    package static let entity = Entity<Home>("Home") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("deletedAt", \.deletedAt, .softDelete)
        .relationship("owner", \.owner)
        .relationship("permit", \.permit, inverse: \Permit.home, delete: .cascade)
        .relationship("crates", \.crates, ordered: true)
        .relationship("labels", \.labels, shared: true)
        .relationship("artists", \.artists, inverse: \Artist.homes)
    }

    package init(
      _ id: Int64, _ name: String, owner: ToOne<Owner>, crates: ToMany<Crate>,
      labels: ToMany<Label>, artists: ToMany<Artist>
    ) {
      self.id = id
      self.name = name
      self.owner = owner
      self.crates = crates
      self.labels = labels
      self.artists = artists
    }
  }

  /// The required end of a one-to-one.
  package struct Permit: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var home: ToOne<Home>
    package static let entity = Entity<Permit>("Permit") {
      .key("id", \.id)
        .relationship("home", \.home, required: true)
    }

    package init(_ id: Int64, home: ToOne<Home>) {
      self.id = id
      self.home = home
    }
  }

  /// The target of an ordered one-way to-many.
  package struct Crate: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var content: String
    package static let entity = Entity<Crate>("Crate") {
      .key("id", \.id)
        .attribute("content", \.content)
    }

    package init(_ id: Int64, _ content: String) {
      self.id = id
      self.content = content
    }
  }

  /// The target of a shared to-many.
  package struct Label: PrimaryKeyed, Codable, Hashable {
    package var id: String
    package static let entity = Entity<Label>("Label") { .key("id", \.id) }

    package init(_ id: String) { self.id = id }
  }

  /// The other end of a many-to-many.
  package struct Artist: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var homes: ToMany<Home> = .notLoaded
    package static let entity = Entity<Artist>("Artist") {
      .key("id", \.id)
        .relationship("homes", \.homes)
    }

    package init(_ id: Int64) { self.id = id }
  }

  /// An end of a many-to-many whose links are a model.
  package struct Trainee: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var courses: ToMany<Workshop> = .notLoaded
    package static let entity = Entity<Trainee>("Trainee") {
      .key("id", \.id)
        .relationship("courses", \.courses, inverse: \Workshop.pupils, through: Presence.self)
    }

    package init(_ id: Int64) { self.id = id }
  }

  /// The other end.
  package struct Workshop: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var pupils: ToMany<Trainee> = .notLoaded
    package static let entity = Entity<Workshop>("Workshop") {
      .key("id", \.id)
        .relationship("pupils", \.pupils, through: Presence.self)
    }

    package init(_ id: Int64) { self.id = id }
  }

  /// The links between both.
  package struct Presence: PrimaryKeyed, Codable, Hashable {
    package var id: Int64 = 0
    package var grade: Int?
    package var pupil: ToOne<Trainee>
    package var course: ToOne<Workshop>
    package static let entity = Entity<Presence>("Presence") {
      .key("id", \.id, .generated)
        .attribute("grade", \.grade)
        .relationship("pupil", \.pupil)
        .relationship("course", \.course)
    }

    package init(pupil: Int64, course: Int64, grade: Int?) {
      self.pupil = .key(pupil)
      self.course = .key(course)
      self.grade = grade
    }
  }

  /// The root of a hierarchy.
  package struct Animal: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var name: String
    package static let entity = Entity<Animal>("Animal") {
      .key("id", \.id)
        .attribute("name", \.name)
    }

    package init(_ id: Int64, _ name: String) {
      self.id = id
      self.name = name
    }
  }

  /// A subentity.
  package struct Dog: PrimaryKeyed, Codable, Hashable {
    package var id: Int64
    package var name: String
    package var tricks: Int
    package static let entity = Entity<Dog>("Dog", parent: Animal.self) {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("tricks", \.tricks)
    }

    package init(_ id: Int64, _ name: String, tricks: Int) {
      self.id = id
      self.name = name
      self.tricks = tricks
    }
  }
}
