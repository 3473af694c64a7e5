internal import ORM

/// A tree of one model: a parent and ordered children, which go with it.
struct Folder: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var parent: ToOne<Folder>
  var children: ToMany<Folder>
  static let entity = Entity<Folder>("Folder") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("parent", \.parent)
      .relationship(
        "children", \.children, inverse: \Folder.parent, delete: .cascade, ordered: true)
  }

  init(
    _ name: String, id: Int64 = 0, parent: ToOne<Folder> = ToOne(),
    children: ToMany<Folder> = ToMany()
  ) {
    self.id = id
    self.name = name
    self.parent = parent
    self.children = children
  }
}
