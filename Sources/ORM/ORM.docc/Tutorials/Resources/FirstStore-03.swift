import ORM

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  @Attribute(.unique) var isbn: String
  @Attribute(.indexed) var title: String
  var pages: Int
  var rating: Int?
}
