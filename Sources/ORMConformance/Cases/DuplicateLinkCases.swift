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

/// Returns the value passed to a completion handler, or throws its error.
private func outcome<Value: Sendable>(
  _ body: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    body { continuation.resume(with: $0) }
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
      try context.expectEqual(try await store.attach([2, 5, 3], to: root, \.children), 2)
      try context.expectChildren(store, [6, 7, 5, 2, 3])
      try context.expectEqual(
        try await store.remove(Folder("e", id: 5), from: root, \.children), true)
      try context.expectEqual(
        try await store.remove([Folder("e", id: 6), Folder("f", id: 4)], from: root, \.children), 1)
      try context.expectEqual(try await store.detach([7, 4], from: 1, \Folder.children), 1)
      try context.expectEqual(try await store.attach([4], to: 1, \Folder.children), 1)
      try await store.move(Folder("f", id: 4), to: 0, in: root, \.children)
      try context.expectChildren(store, [4, 2, 3])
      try context.expectEqual(try await store.detach([4], from: root, \.children), 1)
      try await context.expectErrorAsync(.missingTarget) {
        try await store.attach([99], to: root, \.children)
      }
      try context.expectChildren(store, [2, 3])
    },
    ConformanceCase(async: "deltas do the same by completion", "5.8", "6.2", "5.13") { context in
      let store = try context.openFolders()
      let root = Folder("f", id: 1)
      let given: Folder = try await outcome {
        store.insert(Folder("e", id: 5), into: root, \.children, on: .global(), $0)
      }
      try context.expectEqual(given.id, 5)
      let result: SaveResult<Folder> = try await outcome {
        store.insert(
          [Folder("e", id: 6), Folder("e", id: 7)], into: root, \.children, at: 0, on: .global(), $0
        )
      }
      try context.expectEqual(result.inserted, 2)
      let attached: Int = try await outcome {
        store.attach([2, 5, 3], to: root, \.children, on: .global(), $0)
      }
      try context.expectEqual(attached, 2)
      try context.expectChildren(store, [6, 7, 5, 2, 3])
      let isRemoved: Bool = try await outcome {
        store.remove(Folder("e", id: 5), from: root, \.children, on: .global(), $0)
      }
      try context.expectEqual(isRemoved, true)
      let removed: Int = try await outcome {
        store.remove(
          [Folder("e", id: 6), Folder("f", id: 4)], from: root, \.children, on: .global(), $0)
      }
      try context.expectEqual(removed, 1)
      let detached: Int = try await outcome {
        store.detach([7, 4], from: 1, \Folder.children, on: .global(), $0)
      }
      try context.expectEqual(detached, 1)
      let more: Int = try await outcome {
        store.attach([4], to: 1, \Folder.children, on: .global(), $0)
      }
      try context.expectEqual(more, 1)
      let _: Void = try await outcome {
        store.move(Folder("f", id: 4), to: 0, in: root, \.children, on: .global(), $0)
      }
      try context.expectChildren(store, [4, 2, 3])
      try await context.expectErrorAsync(.missingTarget) {
        let _: Int = try await outcome {
          store.attach([99], to: root, \.children, on: .global(), $0)
        }
      }
      try context.expectChildren(store, [4, 2, 3])
    },
    ConformanceCase(async: "deltas of a model go to the default store", "5.8", "5.13") { context in
      let store = try context.openFolders()
      try await Persistence.with(store) {
        let root = Folder("f", id: 1)
        try await root.insert(Folder("e", id: 5), into: \.children)
        try await root.insert([Folder("e", id: 6), Folder("e", id: 7)], into: \.children, at: 0)
        try context.expectEqual(try await root.attach([2, 3], to: \.children), 2)
        try context.expectEqual(try await root.remove(Folder("e", id: 5), from: \.children), true)
        try context.expectEqual(try await root.remove([Folder("e", id: 6)], from: \.children), 1)
        try context.expectEqual(try await root.detach([7], from: \.children), 1)
        try await root.move(Folder("f", id: 3), to: 0, in: \.children)
        try context.expectChildren(store, [3, 2])
        let attached: Int = try await outcome {
          root.attach([4], to: \.children, on: .global(), $0)
        }
        try context.expectEqual(attached, 1)
        let isRemoved: Bool = try await outcome {
          root.remove(Folder("f", id: 2), from: \.children, on: .global(), $0)
        }
        try context.expectEqual(isRemoved, true)
        let detached: Int = try await outcome {
          root.detach([3], from: \.children, on: .global(), $0)
        }
        try context.expectEqual(detached, 1)
        let _: Folder = try await outcome {
          root.insert(Folder("e", id: 8), into: \.children, on: .global(), $0)
        }
        let _: Void = try await outcome {
          root.move(Folder("e", id: 8), to: 0, in: \.children, on: .global(), $0)
        }
        try context.expectChildren(store, [8, 4])
      }
    },
    ConformanceCase(async: "aggregates by a closure, asynchronous and by completion", "4.1") {
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
      let sum: Int = try await outcome { done in
        store.sum(Team.all, of: { $0.players.count }, on: .global(), done)
      }
      try context.expectEqual(sum, 3)
      let average: Double? = try await outcome { done in
        store.average(Player.all, of: { $0.age }, on: .global(), done)
      }
      try context.expectEqual(average, 30)
      let least: String? = try await outcome { done in
        store.min(Player.all, of: { $0.team.name }, on: .global(), done)
      }
      try context.expectEqual(least, "a")
      let most: Int? = try await outcome { done in
        store.max(Team.all, of: { $0.players.sum(\.age) }, on: .global(), done)
      }
      try context.expectEqual(most, 50)
    },
  ]
}
