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

var austen = Author(name: "Jane Austen")
austen.books = [
  Book(title: "Emma", pages: 474),
  Book(title: "Persuasion", pages: 249),
]
austen = try store.save(austen)

var eliot = Author(name: "George Eliot")
eliot.books = [Book(title: "Middlemarch", pages: 880)]
eliot = try store.save(eliot)
print("\(try store.count(Author.self)) authors, \(try store.count(Book.self)) books")

let byAusten = Book.where { $0.author.name == "Jane Austen" }.sorted(by: .ascending(\.title))
for book in try store.fetch(byAusten) {
  print("Jane Austen wrote \(book.title)")
}

let withLongBook = Author.where { $0.books.any { $0.pages > 500 } }
let withTwoBooks = Author.where { $0.books.count >= 2 }
print("a long book: \(try store.fetch(withLongBook).map(\.name))")
print("two books: \(try store.fetch(withTwoBooks).map(\.name))")

let authors = Author.all.prefetch(\.books).sorted(by: .ascending(\.name))
for author in try store.fetch(authors) {
  let titles = try author.books.get().map(\.title).sorted()
  print("\(author.name): \(titles.joined(separator: ", "))")
}

if var author = try store.find(Author.self, austen.id) {
  author.books.append(Book(title: "Sanditon", pages: 75))
  try store.save(author)
}
print("\(try store.count(byAusten)) books by Jane Austen")

var satire = Subject(name: "satire")
satire.books = .keys(try store.fetch(byAusten).map(\.id))
satire = try store.save(satire)
if let middlemarch = try store.first(Book.where { $0.title == "Middlemarch" }) {
  try store.attach([satire.id], to: middlemarch.id, \Book.subjects)
}
let satires = Book.where { $0.subjects.any { $0.name == "satire" } }
print("\(try store.count(satires)) books are satires")

try store.delete(austen)
let left = try store.fetch(Book.all.prefetch(\.author).prefetch(\.subjects))
for book in left {
  let author = try book.author.get()?.name ?? "nobody"
  print("\(book.title) by \(author) is left, with \(try book.subjects.get().count) subject")
}
try store.close()
