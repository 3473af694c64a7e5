import Foundation
import GRDB

@main
struct Program {
  static func main() throws {
    let path = NSTemporaryDirectory() + "prog-\(UUID()).sqlite"
    let queue = try DatabaseQueue(path: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var house = Publisher(name: "House"), author = Author(name: "Ann", born: 1960)
    try queue.write {
      try Publisher.create(in: $0)
      try Author.create(in: $0)
      try Book.create(in: $0)
      try Review.create(in: $0)
      try Reader.create(in: $0)
    }
    let library = Library(queue: queue)
    let book = try queue.write {
      try house.insert($0)
      try author.insert($0)
      var book = Book(
        title: "One", price: 9, pages: 120, authorID: author.id!, publisherID: house.id)
      try book.insert($0)
      var review = Review(text: "good", stars: 4, bookID: book.id!, written: .now)
      try review.insert($0)
      var reader = Reader(name: "Bo", email: "bo@x")
      try reader.insert($0)
      return book
    }
    try library.raisePrices(by: 1)
    try library.removeReaders(joinedBefore: .now)
    print(try library.book(book.id!)?.price ?? 0, try library.cheapBooks(below: 20).count)
    print(try library.authors(beginning: "A").count, try library.reviewCount(of: book.id!))
  }
}
