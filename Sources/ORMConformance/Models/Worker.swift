internal import ORM

/// A worker with a manager and projects: links to the same model, and a truth value and a number at
/// the end of others.
struct Worker: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var nick: String?
  var rate: Double?
  var firm: ToOne<Firm>
  var manager: ToOne<Worker>
  var reports: ToMany<Worker>
  var projects: ToMany<Project>
  static let entity = Entity<Worker>("Worker") {
    .key("id", \.id)
      .attribute("nick", \.nick)
      .attribute("rate", \.rate)
      .relationship("firm", \.firm)
      .relationship("manager", \.manager)
      .relationship("reports", \.reports, inverse: \Worker.manager)
      .relationship("projects", \.projects, inverse: \Project.owner)
  }

  init(
    _ id: Int64, nick: String? = nil, rate: Double? = nil, firm: ToOne<Firm> = ToOne(),
    manager: ToOne<Worker> = ToOne(), projects: ToMany<Project> = .notLoaded
  ) {
    self.id = id
    self.nick = nick
    self.rate = rate
    self.firm = firm
    self.manager = manager
    reports = .notLoaded
    self.projects = projects
  }
}

/// A piece of work.
struct Project: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var priority: Int
  var isDone: Bool
  var owner: ToOne<Worker>
  static let entity = Entity<Project>("Project") {
    .key("id", \.id)
      .attribute("priority", \.priority)
      .attribute("isDone", \.isDone)
      .relationship("owner", \.owner)
  }

  init(_ id: Int64, priority: Int, isDone: Bool = false) {
    self.id = id
    self.priority = priority
    self.isDone = isDone
    owner = .notLoaded
  }
}

/// A firm, whose people lead back to it.
struct Firm: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var people: ToMany<Worker>
  static let entity = Entity<Firm>("Firm") {
    .key("id", \.id)
      .relationship("people", \.people, inverse: \Worker.firm)
  }

  init(_ id: Int64, people: ToMany<Worker> = .notLoaded) {
    self.id = id
    self.people = people
  }
}
