import Foundation
import ORM
import ORMCore
import TestSupport
import Testing

private struct Club: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var members: ToMany<Member> = ToMany()
  static let entity = Entity<Club>("Club") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("members", \.members, inverse: \Member.club)
  }
}

private struct Member: Persistable, PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var club: ToOne<Club> = nil
  static let entity = Entity<Member>("Member") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("club", \.club)
  }
}

/// The warnings, each with a program that earns it.
@Suite(.timeLimit(.minutes(5))) struct WarningTests {
  private func opened(
    _ instrument: RecordingInstrument, on kind: StoreKind = .memory,
    _ change: (inout InstrumentLimits) -> Void = { _ in }
  ) throws -> any Store {
    let store = try kind.makeStore(Schema(Club.self, Member.self)) {
      $0.instruments = [instrument]
      // A machine under load is slow.
      $0.instrumentLimits.slowOperation = .seconds(3_600)
      change(&$0.instrumentLimits)
    }
    let clubs = try store.write { tx in
      try tx.insert((1...30).map { Club(name: "secret club \($0)") })
      return try tx.fetch(Club.all)
    }
    try store.write { tx in
      try tx.insert(clubs.map { Member(name: "secret member of \($0.id)", club: .key($0.id)) })
    }
    instrument.takeComplete()
    return store
  }

  @Test(
    "13.5: one query a row names the prefetch of the to-one, once", arguments: StoreKind.everywhere)
  func queriesByKey(_ kind: StoreKind) throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument, on: kind)
    for _ in 1...2 {
      try store.read { tx in
        for member in try tx.fetch(Member.all) {
          let id = try #require(member.club.id)
          _ = try tx.find(Club.self, id)
        }
      }
    }
    let notices = instrument.takeComplete().notices
    #expect(notices.map(\.kind) == [.queryPerRow])
    #expect(notices.map(\.remedy) == ["fetch the rows with `Member.all.prefetch(\\.club)`"])
  }

  @Test("13.5: one query a row names the prefetch of the to-many", arguments: StoreKind.everywhere)
  func queriesByOwner(_ kind: StoreKind) throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument, on: kind)
    try store.read { tx in
      for club in try tx.fetch(Club.all) { _ = try tx.load(club, \.members) }
    }
    let notices = instrument.takeComplete().notices
    #expect(notices.map(\.kind) == [.queryPerRow])
    #expect(notices.map(\.remedy) == ["fetch the rows with `Club.all.prefetch(\\.members)`"])
  }

  @Test("13.5: 19 queries, and 20 of one value, are no loop over rows")
  func fewQueries() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try store.read { tx in
      for id in 1...19 { _ = try tx.find(Club.self, Int64(id)) }
    }
    try store.read { tx in
      for _ in 1...40 { _ = try tx.find(Club.self, 1) }
    }
    #expect(instrument.takeComplete().notices.isEmpty)
  }

  @Test("13.5: one save a row names the array; the reads of saves are nobody's loop")
  func saves() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try store.write { tx in
      for number in 1...60 { try tx.save(Member(name: "more \(number)", club: .key(1))) }
    }
    let notices = instrument.takeComplete().notices
    #expect(notices.map(\.kind) == [.savePerRow])
    #expect(notices.map(\.entity) == ["Member"])
    #expect(notices.map(\.remedy) == ["collect them and pass the array to one call"])
  }

  @Test("13.5: a batch is no loop")
  func batches() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument)
    try store.write { tx in
      try tx.save((1...500).map { Member(name: "more \($0)") })
    }
    #expect(instrument.takeComplete().notices.isEmpty)
  }

  @Test("13.5: an operation that drops many rows asks for an index")
  func droppedRows() throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument) { $0.droppedRows = 20 }
    _ = try store.fetch(Club.where { $0.name == "secret club 3" })
    let notices = instrument.takeComplete().notices
    #expect(notices.map(\.kind) == [.droppedRows])
    #expect(notices.map(\.entity) == ["Club"])
  }

  @Test("13.5: a slow operation comes with its plan, once", arguments: StoreKind.everywhere)
  func slow(_ kind: StoreKind) throws {
    let instrument = RecordingInstrument()
    let store = try opened(instrument, on: kind) { $0.slowOperation = .zero }
    for _ in 1...3 { _ = try store.fetch(Club.where { $0.name == "secret club 3" }) }
    let notices = instrument.takeComplete().notices.filter { $0.kind == .slowOperation }
    #expect(notices.count == 1)
    #expect(notices.first?.plan?.hasPrefix("scan") == true)
  }

  @Test("13.6: no text has a value of a row", arguments: StoreKind.everywhere)
  func values(_ kind: StoreKind) throws {
    let instrument = RecordingInstrument(wantsStatements: true)
    let store = try opened(instrument, on: kind) {
      $0.slowOperation = .zero
      $0.droppedRows = 0
    }
    try store.read { tx in
      for number in 1...25 {
        _ = try tx.fetch(Club.where { $0.name == "secret club \(number)" })
        _ = try tx.fetch(Club.where { $0.name.contains("secret \(number)") })
        _ = try tx.fetch(Club.all.where("name BEGINSWITH[c] %@", "secret club \(number)"))
        _ = try tx.count(Club.where { $0.name.isIn(["secret a", "secret b"]) })
      }
    }
    _ = fault { try store.insert(Club(id: 1, name: "secret again")) }
    _ = try store.update(Club.where { $0.name == "secret club 1" }) { $0.name = "secret new" }
    let calls = instrument.takeComplete()
    #expect(!calls.notices.isEmpty)
    var texts = calls.notices.map(\.description)
    for operation in calls.operations {
      texts += [operation.description, operation.summary, operation.statement ?? ""]
    }
    texts += calls.transactions.map(\.description)
    #expect(texts.filter { $0.contains("secret") } == [])
    if kind == .sqlite {
      #expect(calls.operations.contains { $0.statement?.contains("?") == true })
    }
  }
}
