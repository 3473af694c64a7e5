internal import ORM

/// A book whose chapters must belong to it, in a stored order; a required to-one keyed by the store.
struct Book: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var subtitle: String?
  var chapters: ToMany<Chapter>
  static let entity = Entity<Book>("Book") {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
      .attribute("subtitle", \.subtitle)
      .relationship(
        "chapters", \.chapters, inverse: \Chapter.book, delete: .cascade, ordered: true)
  }

  init(
    _ title: String, id: Int64 = 0, subtitle: String? = nil,
    chapters: ToMany<Chapter> = .notLoaded
  ) {
    self.id = id
    self.title = title
    self.subtitle = subtitle
    self.chapters = chapters
  }
}

/// The many end of a required one-to-many.
struct Chapter: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var book: ToOne<Book>
  static let entity = Entity<Chapter>("Chapter") {
    .key("id", \.id, .generated)
      .attribute("title", \.title)
      .relationship("book", \.book, required: true)
  }

  init(_ title: String, id: Int64 = 0, book: ToOne<Book> = .notLoaded) {
    self.id = id
    self.title = title
    self.book = book
  }
}

/// A node that must lead to another: a circle of new ones cannot be stored.
struct Knot: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var next: ToOne<Knot>
  static let entity = Entity<Knot>("Knot") {
    .key("id", \.id, .generated)
      .relationship("next", \.next, targetDeleted: .cascade, required: true)
  }

  init(_ id: Int64 = 0, next: ToOne<Knot>) {
    self.id = id
    self.next = next
  }
}
