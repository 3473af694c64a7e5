internal import ORM

/// The model of random graphs: every kind of relationship, and every delete rule on either side.
struct Node: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var label: Int = 0
  /// Two-way, to self, ordered; the children go with their parent.
  var parent: ToOne<Node> = .notLoaded
  var children: ToMany<Node> = .notLoaded
  /// One-to-one; the badge stays.
  var badge: ToOne<Badge> = .notLoaded
  /// Many-to-many; a circle with members is not deleted.
  var circles: ToMany<Circle> = .notLoaded
  /// One-way, one referrer each; the notes go with the node.
  var notes: ToMany<Remark> = .notLoaded
  /// One-way, shared.
  var marks: ToMany<Mark> = .notLoaded
  /// One-way to-ones, one for every rule of the target's delete.
  var nulled: ToOne<Mark> = .notLoaded
  var following: ToOne<Mark> = .notLoaded
  var denying: ToOne<Mark> = .notLoaded
  var dangling: ToOne<Mark> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Node>("Node") {
    .key("id", \.id)
      .attribute("label", \.label)
      .relationship("parent", \.parent)
      .relationship(
        "children", \.children, inverse: \Node.parent, delete: .cascade, ordered: true
      )
      .relationship("badge", \.badge, inverse: \Badge.referrer)
      .relationship("circles", \.circles, inverse: \Circle.members)
      .relationship("notes", \.notes, delete: .cascade)
      .relationship("marks", \.marks, shared: true)
      .relationship("nulled", \.nulled)
      .relationship("following", \.following, targetDeleted: .cascade)
      .relationship("denying", \.denying, targetDeleted: .deny)
      .relationship("dangling", \.dangling, targetDeleted: .noAction)
  }
}

struct Badge: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var referrer: ToOne<Node> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Badge>("Badge") {
    .key("id", \.id)
      .relationship("referrer", \.referrer)
  }
}

struct Circle: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var members: ToMany<Node> = .notLoaded

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Circle>("Circle") {
    .key("id", \.id)
      .relationship("members", \.members, delete: .deny)
  }
}

struct Remark: Persistable, PrimaryKeyed, Codable {
  var id: Int64

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Remark>("Remark") { .key("id", \.id) }
}

struct Mark: Persistable, PrimaryKeyed, Codable {
  var id: Int64

  init(_ id: Int64) { self.id = id }

  static let entity = Entity<Mark>("Mark") { .key("id", \.id) }
}
