internal import ORM

/// An owner of one-way relationships alone: to one, to many of its own, to many that are shared.
struct Depot: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var yard: ToOne<Yard>
  var crates: ToMany<Crate>
  var labels: ToMany<Label>
  static let entity = Entity<Depot>("Depot") {
    .key("id", \.id)
      .relationship("yard", \.yard)
      .relationship("crates", \.crates, ordered: true)
      .relationship("labels", \.labels, shared: true)
  }

  init(
    _ id: Int64, yard: ToOne<Yard> = ToOne(), crates: ToMany<Crate> = ToMany(),
    labels: ToMany<Label> = ToMany()
  ) {
    self.id = id
    self.yard = yard
    self.crates = crates
    self.labels = labels
  }
}

/// The target of a one-way to-one, with a composite key.
struct Yard: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var land: String
    var number: Int
  }
  var id: ID
  var name: String
  static let entity = Entity<Yard>("Yard") {
    .key("land", \.id.land)
      .key("number", \.id.number)
      .attribute("name", \.name)
  }

  init(_ land: String, _ number: Int, _ name: String = "") {
    id = ID(land: land, number: number)
    self.name = name
  }
}

/// The target of a one-way to-many that has one owner.
struct Crate: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var content: String
  static let entity = Entity<Crate>("Crate") {
    .key("id", \.id)
      .attribute("content", \.content)
  }

  init(_ id: Int64, _ content: String = "") {
    self.id = id
    self.content = content
  }
}

/// The target of a one-way to-many that is shared.
struct Label: PrimaryKeyed, Codable, Hashable {
  var id: String
  static let entity = Entity<Label>("Label") { .key("id", \.id) }

  init(_ id: String) { self.id = id }
}

/// One end of a many-to-many whose links have attributes of their own.
struct Trainee: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var courses: ToMany<Workshop>
  static let entity = Entity<Trainee>("Trainee") {
    .key("id", \.id)
      .relationship(
        "courses", \.courses, inverse: \Workshop.pupils, through: Presence.self)
  }

  init(_ id: Int64, courses: ToMany<Workshop> = .notLoaded) {
    self.id = id
    self.courses = courses
  }
}

/// The other end.
struct Workshop: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var pupils: ToMany<Trainee>
  static let entity = Entity<Workshop>("Workshop") {
    .key("id", \.id)
      .relationship("pupils", \.pupils, through: Presence.self)
  }

  init(_ id: Int64, pupils: ToMany<Trainee> = .notLoaded) {
    self.id = id
    self.pupils = pupils
  }
}

/// The links between pupils and courses.
struct Presence: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var grade: Int?
  var pupil: ToOne<Trainee>
  var course: ToOne<Workshop>
  static let entity = Entity<Presence>("Presence") {
    .key("id", \.id, .generated)
      .attribute("grade", \.grade)
      .relationship("pupil", \.pupil)
      .relationship("course", \.course)
  }

  init(_ id: Int64, pupil: Int64, course: Int64, grade: Int? = nil) {
    self.id = id
    self.pupil = .key(pupil)
    self.course = .key(course)
    self.grade = grade
  }
}
