import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCore
import SQLiteBackend
import StrataTesting
import Testing

/// Clocks and UUIDs that a program sets by the options of a store.
@Suite struct ClockTests {
  /// Options with a clock that a second passes on at each look, and UUIDs that count.
  private func options() -> StoreOptions {
    let seconds = Lock(0.0)
    let numbers = Lock(UInt8(0))
    var options = StoreOptions()
    options.now = {
      seconds.withLock { seconds in
        seconds += 1
        return Date(timeIntervalSinceReferenceDate: seconds)
      }
    }
    options.uuids = {
      let number = numbers.withLock { number in
        number += 1
        return number
      }
      return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }
    return options
  }

  @Test("keys and timestamps are the program's", arguments: [StoreKind.memory, .sqlite, .lmdb])
  func keysAndTimestamps(_ kind: StoreKind) throws {
    try kind.withTestStore(Schema(Visit.self), options: options()) { store in
      let first = try store.save(Visit(place: "a"))
      let second = try store.save(Visit(place: "b"))
      #expect(first.id.uuidString == "00000000-0000-0000-0000-000000000001")
      #expect(second.id.uuidString == "00000000-0000-0000-0000-000000000002")
      #expect(first.added.timeIntervalSinceReferenceDate < 100)
      #expect(first.added < second.added)
      var changed = second
      changed.place = "c"
      let saved = try store.save(changed)
      #expect(saved.added == second.added && saved.changed > second.changed)
      #expect(saved.changed.timeIntervalSinceReferenceDate < 100)
    }
  }

  @Test("the present time of a condition is the program's")
  func conditions() throws {
    let store = MemoryStore(schema: try Schema(Visit.self), options: options())
    try store.save(Visit(place: "a"))
    // All timestamps of the store lie in its past, but not in that of the system's clock less 20 years.
    let query = try DynamicQuery("Visit", in: store.schema, where: "added < now()")
    #expect(try store.read { try $0.count(query) } == 1)
    let later = try DynamicQuery("Visit", in: store.schema, where: "now() < CAST(200, 'NSDate')")
    #expect(try store.read { try $0.count(later) } == 1)
  }

  @Test("two runs have one snapshot without labels")
  func repeatable() throws {
    func text() throws -> String {
      let store = MemoryStore(schema: try Schema(Visit.self), options: options())
      try store.save([Visit(place: "a"), Visit(place: "b")])
      try store.delete(Visit.all.where { $0.place == "a" })
      var options = Snapshot.Options()
      options.labelsUUIDs = false
      options.timestamps = .none
      options.deleted = .included
      return try Snapshot(of: store, options: options).text
    }
    #expect(try text() == text())
  }
}

/// A model whose key and timestamps the operations make.
struct Visit: PrimaryKeyed, Codable {
  var id: UUID
  var place: String
  var added = Date.distantPast
  var changed = Date.distantPast
  var removed: Date?

  static let entity = Entity<Visit>("Visit") {
    .key("id", \.id, .uuidV4)
      .attribute("place", \.place)
      .attribute("added", \.added, .createdAt)
      .attribute("changed", \.changed, .updatedAt)
      .attribute("removed", \.removed, .softDelete)
  }

  init(place: String) {
    id = .unassigned
    self.place = place
  }
}
