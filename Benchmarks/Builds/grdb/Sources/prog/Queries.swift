import Foundation
import GRDB

struct Library {
  let queue: DatabaseQueue

  func book(_ id: Int64) throws -> Book? { try queue.read { try Book.fetchOne($0, key: id) } }
  func cheapBooks(below price: Double) throws -> [Book] {
    try queue.read {
      try Book.filter(Book.Columns.price < price && Book.Columns.pages > 10)
        .order(Book.Columns.title).limit(20).fetchAll($0)
    }
  }
  func authors(beginning text: String) throws -> [Author] {
    try queue.read { try Author.filter(Author.Columns.name.like("\(text)%")).fetchAll($0) }
  }
  func reviewCount(of book: Int64) throws -> Int {
    try queue.read {
      try Review.filter(Review.Columns.bookID == book && Review.Columns.stars >= 3).fetchCount($0)
    }
  }
  func raisePrices(by amount: Double) throws {
    try queue.write {
      _ = try Book.filter(Book.Columns.price > 1).updateAll($0, Book.Columns.price += amount)
    }
  }
  func removeReaders(joinedBefore date: Date) throws {
    try queue.write { _ = try Reader.filter(Reader.Columns.joined < date).deleteAll($0) }
  }
}
