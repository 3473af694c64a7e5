internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Soft deletes beside managed attributes and hooks.
  static let softDeletesManaged: [ConformanceCase] = [
    ConformanceCase(
      "to managed attributes and hooks a hidden row is an updated one, a purged one is deleted",
      "5.6",
      "5.9", "5.10"
    ) { context in
      let store = try context.open(Schema(Pledge.self))
      try store.insert([Pledge(1), Pledge(2)])
      func version(_ query: Query<Pledge>) throws -> Int {
        try store.one(query.where { $0.id == 1 })?.version ?? -1
      }
      let first = try version(Pledge.all)
      try context.expectEqual(try store.delete(Pledge.self, id: 1), true)
      let hidden = try version(Pledge.all.onlyDeleted())
      try context.expect(hidden > first, "\(first), then \(hidden)")
      try context.expectEqual(try store.restore(Pledge.where { $0.id == 1 }), 1)
      let restored = try version(Pledge.all)
      try context.expect(restored > hidden, "\(hidden), then \(restored)")
      try context.expectEqual(try store.fetch(Pledge.all).map(\.updates), [2, 0])
      try store.deleteAll(Pledge.self)
      try context.expectError(.denied) { try store.purge(Pledge.all) }
      try context.expectEqual(try store.count(Pledge.all.onlyDeleted()), 2)
    }
  ]
}

/// A row that may be hidden, and never goes.
struct Pledge: PrimaryKeyed, Codable, Hashable, WriteHooks {
  var id: Int64
  var version = 0
  var updates = 0
  var deletedAt: Date?
  static let entity = Entity<Pledge>("Pledge") {
    .key("id", \.id)
      .attribute("version", \.version, .version)
      .attribute("updates", \.updates)
      .attribute("deletedAt", \.deletedAt, .softDelete)
  }

  init(_ id: Int64) { self.id = id }

  mutating func willUpdate(from old: Pledge, in transaction: WriteTransaction) throws {
    updates += 1
  }

  func willDelete(in transaction: WriteTransaction) throws {
    throw StoreError(.denied, "a pledge lasts for ever")
  }
}
