import ORM

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  var pages: Int
}
