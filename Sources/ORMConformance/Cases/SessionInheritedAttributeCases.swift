internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

/// The root of a hierarchy that manages attributes.
private struct Writ: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var version = 0
  var changed: Date?

  static let entity = Entity<Writ>("Writ") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("version", \.version, .version)
      .attribute("changed", \.changed, .updatedAt)
  }
}

/// A subentity, which declares inherited attributes without the options of its root.
private struct Deposition: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var version = 0
  var changed: Date?
  var pages: Int

  static let entity = Entity<Deposition>("Deposition", parent: Writ.self) {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("version", \.version)
      .attribute("changed", \.changed)
      .attribute("pages", \.pages)
  }
}

extension ConformanceCase {
  /// Section 11: attributes that a subentity inherits, and that belong to the store.
  static let sessionInheritedAttributes: [ConformanceCase] = [
    ConformanceCase(
      "managed attributes that are inherited are neither compared nor saved", "11.9", "11.11",
      "11.12", "5.10", "5.11"
    ) { context in
      let store = try context.open(Writ.self, Deposition.self)
      try store.insert([
        Deposition(id: 1, title: "a", pages: 1), Deposition(id: 2, title: "b", pages: 1),
      ])
      let session = Session(store)
      let one = try context.unwrap(try session.find(Deposition.self, 1), "the first")
      one.version = 9
      one.changed = Date(timeIntervalSinceReferenceDate: 5)
      try context.expect(!session.hasChanges && one.version == 1, "they belong to the store")
      one.pages = 2
      try context.expectEqual(one.changedAttributes, ["pages"])
      try session.save()
      try context.expectEqual(one.version, 2)
      try context.expectEqual(one.value, try store.find(Deposition.self, 1))
      // The version decides, as it does for the root.
      let two = try context.unwrap(try session.find(Deposition.self, 2), "the second")
      let writ = try context.unwrap(try session.find(Writ.self, 2), "as a writ")
      two.pages = 5
      try store.patch(Writ.self, 2) { $0.title = "theirs" }
      let conflict = try context.expectError(.conflict) { try session.save() }.conflicts.first
      let version = conflict?.attributes.first { $0.name == "version" }
      try context.expectEqual([version?.base, version?.theirs], [.int(1), .int(2)])
      session.conflictPolicy = .merge()
      try session.save()
      try context.expectEqual([two.version, two.pages], [3, 5])
      try context.expectEqual(two.title, "theirs")
      try context.expectEqual(writ.version, 3, "the root's handle follows")
    },
    ConformanceCase(
      "derived attributes that are inherited are neither compared nor saved", "4.4", "11.9",
      "11.11", "11.12", "5.11"
    ) { context in
      let store = try context.open(Schema.vessels)
      try store.insert(Ferry(1, "ant", seats: 10))
      let session = Session(store)
      let ferry = try context.unwrap(try session.find(Ferry.self, 1), "the ferry")
      try ferry.update {
        $0.handCount = 7
        $0.fares = 8
        $0.hidden = Date(timeIntervalSinceReferenceDate: 5)
      }
      try context.expect(!session.hasChanges, "they belong to the store")
      ferry.seats = 20
      try store.insert(Hand(1, vessel: .key(1)))
      try store.insert(Trip(1, 3, ferry: .key(1)))
      try session.save()
      let stored = try context.unwrap(try store.find(Ferry.self, 1), "the row")
      try context.expectEqual([stored.handCount, stored.fares, stored.seats], [1, 3, 20])
      try context.expectEqual([ferry.handCount, ferry.fares, ferry.seats], [1, 3, 20])
      // A delete compares the attributes that the program sets.
      try store.insert(Hand(2, vessel: .key(1)))
      try session.delete(ferry)
      try session.save()
      try context.expectEqual(try store.count(Vessel.self), 0)
      try context.expect(try store.check().isSound, "sound")
    },
  ]
}
