package import Foundation
package import ORM

/// A row with data that is stored outside of it.
package struct Reel: PrimaryKeyed, Codable, Hashable {
  package var id: Int
  package var title: String
  package var film: Data

  package init(_ id: Int, film: Int) {
    self.id = id
    title = "reel \(id)"
    self.film = Self.film(film)
  }

  package static let entity = Entity<Reel>("Reel") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("film", \.film, .external(threshold: 1000))
  }

  /// One of eleven contents: of 10 to 30 kB, and one that is small.
  package static func film(_ number: Int) -> Data {
    let number = number % 11
    let count = number == 5 ? 20 : 10_000 * (1 + number % 3)
    return Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7 &+ $0 >> 8) })
  }

  /// The models of stores that hold reels.
  package static func schema() throws -> Schema { try Schema(Reel.self, Journal.self) }
}

/// Numbered transactions that insert, change and delete reels, of which any prefix can be
/// recognised.
package enum Reels {
  private struct Undone: Error {}

  /// Runs the next transaction, after one that is undone, and gives its number.
  package static func next(in store: any Store) throws -> Int {
    let number = (try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0) + 1
    do {
      try store.write { transaction in
        try transaction.save([Reel(number, film: 1), Reel(number + 1, film: number + 1)])
        try transaction.delete(Reel.self, id: number - 2)
        throw Undone()
      }
    } catch is Undone {}
    try store.write { transaction in
      try transaction.insert(Reel(number, film: number))
      try transaction.update(Reel.all.where { $0.id == number - 3 }) {
        $0.film = Reel.film(number)
      }
      try transaction.delete(Reel.all.where { $0.id <= number - 6 })
      try transaction.insert(Journal(number, greatest: 0))
    }
    return number
  }

  /// The reels there are after the transactions up to a number.
  package static func rows(after last: Int) -> [Reel] {
    guard last > 0 else { return [] }
    return (max(1, last - 5)...last).map { Reel($0, film: last >= $0 + 3 ? $0 + 3 : $0) }
  }
}
