import Foundation
import ORM

struct Library {
  let store: any Store

  func book(_ id: Int64) throws -> Book? { try store.find(Book.self, id) }
  func cheapBooks(below price: Double) throws -> [Book] {
    try store.fetch(Book.where { $0.price < price && $0.pages > 10 }.sorted(by: \.title).limit(20))
  }
  func authors(beginning text: String) throws -> [Author] {
    try store.fetch(Author.where { $0.name.beginsWith(text) })
  }
  func reviewCount(of book: Int64) throws -> Int {
    try store.count(Review.where { $0.bookID == book && $0.stars >= 3 })
  }
  func raisePrices(by amount: Double) throws {
    try store.update(Book.where { $0.price > 1 }) { $0[\.price] += amount }
  }
  func removeReaders(joinedBefore date: Date) throws {
    try store.delete(Reader.where { $0.joined < date })
  }
}
