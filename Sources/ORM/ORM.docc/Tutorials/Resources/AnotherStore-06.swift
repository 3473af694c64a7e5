import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

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

let schema = try Schema(Book.self)
let memory = MemoryStore(schema: schema)
let sqlite = try SQLiteStore(path: "shelves.sqlite", schema: schema)
let lmdb = try LMDBStore(path: "shelves.lmdb", schema: schema)

let stores: [(name: String, store: any Store)] = [
  ("memory", memory), ("SQLite", sqlite), ("LMDB", lmdb),
]
for (name, store) in stores {
  try fill(store)
  try report(on: store, called: name)
}

let copy = try LMDBStore(path: "copy.lmdb", schema: schema)
for digest in try StoreCopy(from: sqlite, to: copy).run() {
  print("copied \(digest.rows) rows of \(digest.entity)")
}
try report(on: copy, called: "copy")
