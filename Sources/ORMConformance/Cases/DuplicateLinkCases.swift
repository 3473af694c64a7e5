internal import Foundation
internal import ORM

extension ConformanceContext {
  /// A store with the folder 1 and the folders 2, 3, 4 without a parent.
  fileprivate func openFolders() throws -> any Store {
    let store = try open(Folder.self)
    try store.insert((Int64(1)...4).map { Folder("f", id: $0) })
    return store
  }

  /// The children of folder 1 are these, in order.
  fileprivate func expectChildren(
    _ store: any Store, _ expected: [Int64], line: Int = #line
  ) throws {
    let folder = try unwrap(store.find(Folder.self, 1, prefetch: \.children), "the folder")
    try expectEqual(folder.children.ids, expected, "children", line: line)
  }
}

extension ConformanceCase {
  /// Clauses 5.8 and 4.1: the overloads of deltas, and of aggregates by a closure.
  static let duplicateLinks: [ConformanceCase] = [
    ConformanceCase(async: "deltas do the same when they are asynchronous", "5.8", "5.13") {
      context in
      let store = try context.openFolders()
      let root = Folder("f", id: 1)
      let given = try await store.insert(Folder("e", id: 5), into: root, \.children)
      try context.expectEqual(given.id, 5)
      let result = try await store.insert(
        [Folder("e", id: 6), Folder("e", id: 7)], into: root, \.children, at: 0)
      try context.expectEqual(result.inserted, 2)
      try context.expectChildren(store, [6, 7, 5])
      try context.expectEqual(try await store.attach([2, 5, 3], to: root.id, \Folder.children), 2)
      try context.expectChildren(store, [6, 7, 5, 2, 3])
      try context.expectEqual(
        try await store.remove(Folder("e", id: 5), from: root, \.children), true)
      try context.expectEqual(
        try await store.remove([Folder("e", id: 6), Folder("f", id: 4)], from: root, \.children), 1)
      try context.expectEqual(try await store.detach([7, 4], from: 1, \Folder.children), 1)
      try context.expectEqual(try await store.attach([4], to: 1, \Folder.children), 1)
      try await store.move(Folder("f", id: 4), to: 0, in: root, \.children)
      try context.expectChildren(store, [4, 2, 3])
      try context.expectEqual(try await store.detach([4], from: root.id, \Folder.children), 1)
      try await context.expectErrorAsync(.missingTarget) {
        try await store.attach([99], to: root.id, \Folder.children)
      }
      try context.expectChildren(store, [2, 3])
    },
    ConformanceCase(async: "aggregates by a closure, off the calling thread", "4.1") {
      context in
      let store = try await offThePool {
        let store = try context.open(Team.self, Coach.self, Player.self, League.self)
        try store.save([
          Team(1, "a", players: [Player(1, age: 20), Player(2, age: 30)]),
          Team(2, "b", players: [Player(3, age: 40)]),
        ])
        return store
      }
      try context.expectEqual(try await store.sum(Team.all) { $0.players.count }, 3)
      try context.expectEqual(try await store.average(Player.all) { $0.age }, 30)
      try context.expectEqual(try await store.min(Player.all) { $0.team.name }, "a")
      try context.expectEqual(try await store.max(Team.all) { $0.players.sum(\.age) }, 50)
    },
  ]
}
