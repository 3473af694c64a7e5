import Foundation
import ORM
import SQLiteBackend

@main
struct Program {
  static func main() throws {
    let path = NSTemporaryDirectory() + "prog-\(UUID()).sqlite"
    let store = try SQLiteStore(
      path: path,
      schema: Schema(Publisher.self, Author.self, Book.self, Review.self, Reader.self))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let library = Library(store: store)
    let house = try store.save(Publisher(name: "House"))
    let author = try store.save(Author(name: "Ann", born: 1960))
    let book = try store.save(
      Book(title: "One", price: 9, pages: 120, authorID: author.id, publisherID: house.id))
    try store.save(Review(text: "good", stars: 4, bookID: book.id, written: .now))
    try store.save(Reader(name: "Bo", email: "bo@x"))
    try library.raisePrices(by: 1)
    try library.removeReaders(joinedBefore: .now)
    print(try library.book(book.id)?.price ?? 0, try library.cheapBooks(below: 20).count)
    print(try library.authors(beginning: "A").count, try library.reviewCount(of: book.id))
  }
}
