internal import ORM

/// An owner whose to-manys have counts: one to three sailors, two ports at most.
struct Crew: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var sailors: ToMany<Sailor>
  var ports: ToMany<Port>
  static let entity = Entity<Crew>("Crew") {
    .key("id", \.id)
      .relationship("sailors", \.sailors, inverse: \Sailor.crew, count: 1...3)
      .relationship("ports", \.ports, inverse: \Port.crews, count: ...2)
  }

  init(_ id: Int64, sailors: ToMany<Sailor> = .notLoaded, ports: ToMany<Port> = .notLoaded) {
    self.id = id
    self.sailors = sailors
    self.ports = ports
  }
}

/// One of a crew.
struct Sailor: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var crew: ToOne<Crew>
  static let entity = Entity<Sailor>("Sailor") {
    .key("id", \.id)
      .relationship("crew", \.crew)
  }

  init(_ id: Int64, crew: ToOne<Crew> = .notLoaded) {
    self.id = id
    self.crew = crew
  }
}

/// A port that crews share.
struct Port: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var crews: ToMany<Crew>
  static let entity = Entity<Port>("Port") {
    .key("id", \.id)
      .relationship("crews", \.crews)
  }

  init(_ id: Int64, crews: ToMany<Crew> = .notLoaded) {
    self.id = id
    self.crews = crews
  }
}
