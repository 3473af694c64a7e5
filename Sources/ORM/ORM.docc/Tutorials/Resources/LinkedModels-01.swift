import ORM

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
}
