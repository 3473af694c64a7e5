import ORM
import ORMCore
import TestSupport
import Testing

/// Models that are written one by one in one transaction: after the first they go to the store as
/// they are.
@Suite struct RowLoopTests {
  struct Coin: Persistable, PrimaryKeyed, Codable, Equatable {
    var id: Int64
    var name: String

    static let entity = Entity<Coin>("Coin") {
      .key("id", \.id)
        .attribute("name", \.name, .unique)
    }
  }

  struct Stamp: Persistable, PrimaryKeyed, Codable {
    var id: Int64

    static let entity = Entity<Stamp>("Stamp") {
      .key("id", \.id)
    }
  }

  private func open(_ kind: StoreKind) throws -> any Store {
    try kind.makeStore(Schema(Coin.self, Stamp.self))
  }

  @Test("each operation in a loop does what it does alone", arguments: StoreKind.everywhere)
  func loops(_ kind: StoreKind) throws {
    let store = try open(kind)
    try store.write { tx in
      for id in 1...4 as ClosedRange<Int64> {
        #expect(try tx.insert(Coin(id: id, name: "c\(id)")) == Coin(id: id, name: "c\(id)"))
      }
      #expect(fault { try tx.insert(Coin(id: 2, name: "other")) } == "duplicate id")
      #expect(fault { try tx.insert(Coin(id: 9, name: "c3")) } == "duplicate name")
      for id in 3...6 as ClosedRange<Int64> { try tx.save(Coin(id: id, name: "s\(id)")) }
      #expect(fault { try tx.save(Coin(id: 7, name: "s6")) } == "duplicate name")
      for id in 1...3 as ClosedRange<Int64> { try tx.update(Coin(id: id, name: "u\(id)")) }
      #expect(fault { try tx.update(Coin(id: 8, name: "u8")) } == "notFound")
    }
    #expect(
      try store.fetch(Coin.all)
        == [(1, "u1"), (2, "u2"), (3, "u3"), (4, "s4"), (5, "s5"), (6, "s6")].map {
          Coin(id: $0, name: $1)
        })
  }

  @Test("what a savepoint undoes is not announced", arguments: StoreKind.everywhere)
  func notices(_ kind: StoreKind) async throws {
    let store = try open(kind)
    let seen = SharedList<Set<String>>()
    let observation = store.runtime.transactions.observeCommits { seen.add($0.entities) }
    try Self.writeForNotices(store)
    #expect(try await eventually { seen.all.count == 4 })
    #expect(seen.all == [["Coin"], ["Stamp"], ["Stamp"], ["Coin"]])
    observation.cancel()
  }

  private static func writeForNotices(_ store: any Store) throws {
    struct Stop: Error {}
    try store.insert(Coin(id: 1, name: "first"))
    try store.insert(Stamp(id: 1))
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.insert(Coin(id: 2, name: "gone"))
        throw Stop()
      }
      try tx.insert(Stamp(id: 2))
    }
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.insert(Coin(id: 2, name: "gone"))
        throw Stop()
      }
      try tx.insert(Coin(id: 2, name: "stays"))
    }
  }
}
