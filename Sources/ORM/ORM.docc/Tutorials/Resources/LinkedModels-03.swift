import ORM
import SQLiteBackend

@Persistable
struct Author {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  @Relationship(inverse: \Book.author, delete: .cascade) var books: ToMany<Book> = ToMany()
}

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  var pages: Int
  var author: ToOne<Author> = ToOne()
  @Relationship(inverse: \Subject.books) var subjects: ToMany<Subject> = ToMany()
}

@Persistable
struct Subject {
  @PrimaryKey(.generated) var id: Int64 = 0
  var name: String
  var books: ToMany<Book> = ToMany()
}

let schema = try Schema(Author.self, Book.self, Subject.self)
let store = try SQLiteStore(path: "library.sqlite", schema: schema)
