import Foundation
import MemoryBackend
import ORM
import StoreModels
import TestSupport
import Testing

/// Attributes whose default is the timestamp, added to files that have rows: clause 7.5.
@Suite struct AddedTimestampTests {
  private struct Old: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    static let entity = Entity<Old>("Thing") {
      .key("id", \.id)
        .attribute("name", \.name)
    }
  }

  private struct New: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    var made: Date
    var seen: Date?
    static let entity = Entity<New>("Thing") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("made", \.made, .defaultNow, .indexed)
        .attribute("seen", \.seen, .defaultNow)
    }
  }

  private struct Tagged: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    var tag: UUID
    static let entity = Entity<Tagged>("Thing") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("tag", \.tag, .defaultUUID)
    }
  }

  @Test("7.5: all rows that are there get one timestamp, that of the opening, and keep it")
  func timestamp() throws {
    for kind in FileStore.allCases {
      let folder = TestFolder(inMemory: true)
      let location = StoreLocation(kind: kind.kind, path: folder.file("store"))
      func open(_ schema: Schema) throws -> any Store { try location.open(schema: schema) }
      func end(_ store: any Store) throws {
        try (store as? MemoryStore)?.write(to: folder.file("store"))
        try store.close()
      }
      var store = try open(Schema(Old.self))
      try store.save((1...3).map { Old(id: $0, name: "n\($0)") })
      try end(store)
      #expect(code { _ = try open(Schema(Tagged.self)) } == .schemaMismatch, "one UUID for all")
      let before = Date()
      store = try open(Schema(New.self))
      let after = Date()
      let rows = try store.fetch(New.all)
      #expect(rows.map(\.name) == ["n1", "n2", "n3"])
      let timestamp = try #require(rows.first?.made)
      #expect(before <= timestamp && timestamp <= after)
      #expect(rows.allSatisfy { $0.made == timestamp && $0.seen == timestamp }, "\(kind)")
      #expect(try store.count(New.all.where { $0.made == timestamp }) == 3, "\(kind), by the index")
      try store.patch(New.self, 4, onMissing: .insert) { $0.name = "n4" }
      #expect(try store.find(New.self, 4)?.made ?? .distantPast >= after)
      try store.patch(New.self, 1) { $0.seen = nil }
      try end(store)
      store = try open(Schema(New.self))
      #expect(try store.fetch(New.all).prefix(3).map(\.made) == [timestamp, timestamp, timestamp])
      #expect(try store.find(New.self, 1)?.seen == nil)
      try end(store)
      #expect(code { _ = try open(Schema(Old.self)) } == .schemaMismatch, "it could not insert")
    }
  }
}
