import ORM

@Persistable
struct Book {
  @PrimaryKey(.generated) var id: Int64 = 0
  var title: String
  var pages: Int
}

func fill(_ store: any Store) throws {
  try store.save([
    Book(title: "Emma", pages: 474),
    Book(title: "Émile", pages: 501),
    Book(title: "Candide", pages: 129),
  ])
}

func report(on store: any Store, called name: String) throws {
  let long = Book.where { $0.pages > 300 }.sorted(by: .ascending(\.title))
  let emile = Book.where { $0.title.equals("ÉMILE", .caseInsensitive) }
  let titles = try store.fetch(long).map(\.title)
  print("\(name): \(titles), \(try store.count(emile)) by any case")
}
