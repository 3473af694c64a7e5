import Foundation
import ORM
import TestSupport
import Testing

@Suite struct WriteOperationTests {
  @Test(
    "5.1: save gives keys, updates by key, and tells what it is worth",
    arguments: StoreKind.everywhere)
  func saving(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    let chips = try store.save(Snack("Chips", price: 2))
    #expect(chips.id == 1)
    #expect(try store.find(Snack.self, 1) == chips)
    let result = try store.save([chips, Snack("Nuts", id: 1), Snack("Figs"), Snack("Figs", id: 2)])
    #expect(result.counts == SaveCounts(inserted: 1, updated: 1, unchanged: 2))
    #expect(result.keys == [1, 1, 2, 2])
    #expect(fault { try store.insert(Snack("x", id: 1)) } == "duplicate id")
    #expect(fault { try store.update(Snack("x", id: 9)) } == "notFound")
    #expect(fault { try store.save([chips, chips], duplicates: .throw) } == "invalidBatch")
    #expect(try store.save([Snack]()).counts == SaveCounts())
    #expect(try store.delete(Snack.self, id: 1))
    #expect(try !store.delete(chips))
    #expect(try store.delete(Snack.self, ids: [2, 3]) == 1)
  }

  @Test(
    "5.1: what save returns is what is stored, its texts in NFC and its key made",
    arguments: StoreKind.everywhere)
  func savedAsStored(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    let saved = try store.save(Person(name: "e\u{301}"))
    #expect(saved.name.unicodeScalars.count == 1)
    #expect(saved.id != .unassigned)
    #expect(try store.find(Person.self, saved.id) == saved)
    #expect(try store.count(Person.all.where { $0.name == "e\u{301}" }) == 1)
  }

  @Test(
    "5.4: merge policies: skipping nil, only some attributes, insert only",
    arguments: StoreKind.everywhere)
  func merging(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.save(Snack("Chips", taste: "salty", price: 2))
    #expect(
      try store.save(Snack("Crisps", price: 3, id: 1), merge: .skippingNil)
        == Snack("Crisps", taste: "salty", price: 3, id: 1))
    #expect(
      try store.save(Snack("x", taste: "y", price: 9, id: 1), merge: .only(\.price))
        == Snack("Crisps", taste: "salty", price: 9, id: 1))
    #expect(
      try store.save(Snack("x", id: 1), merge: .insertOnly)
        == Snack("Crisps", taste: "salty", price: 9, id: 1))
    #expect(
      fault { try store.save(Snack("x", id: 5), merge: .only(\.price)) } == "missingValue name")
    #expect(try store.count(Snack.self) == 1)
  }

  @Test(
    "5.4: what a patch or a merging save that inserts leaves out takes its default",
    arguments: StoreKind.everywhere)
  func computedDefaults(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    let before = Date.now
    try store.save(Note(id: 1, text: "a"), merge: .only(\.text))
    var noTag = Note(id: 2, text: "b")
    noTag.tag = nil
    try store.save(noTag, merge: .skippingNil)
    try store.patch(Note.self, 3, onMissing: .insert) { $0.text = "c" }
    try store.write { try $0.save([DynamicRow("Note", ["id": .int(4)])]) }
    for id in [1, 3, 4] {
      let note = try #require(try store.find(Note.self, id))
      #expect(note.made >= before && note.made <= .now)
      #expect(note.tag != nil && note.tag != .unassigned)
    }
    #expect(try store.find(Note.self, 2)?.made == noTag.made)
    #expect(try store.find(Note.self, 2)?.tag != nil)
    let first = try store.find(Note.self, 1)
    try store.save(Note(id: 1, text: "z"), merge: .only(\.text))
    try store.write { try $0.save([DynamicRow("Note", ["id": .int(1), "code": .string("k")])]) }
    let again = try store.find(Note.self, 1)
    #expect(again?.made == first?.made)
    #expect(again?.tag == first?.tag)
    #expect(again?.text == "z")
    #expect(again?.code == "k")
  }

  @Test(
    "5.2: a save by filter or attributes finds its rows; a matched row keeps its key",
    arguments: StoreKind.everywhere)
  func matching(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.save([Snack("old", price: 1), Snack("old", price: 2), Snack("new")])
    #expect(
      try store.save(Snack("none"), matching: \.name == "nope", onMissing: .ignore)
        == SaveCounts(ignored: 1))
    #expect(
      fault { try store.save(Snack("none"), matching: \.name == "nope", onMissing: .throw) }
        == "notFound")
    #expect(
      fault { try store.save(Snack("x"), matching: \.name == "old", matches: .one) } == "ambiguous")
    #expect(
      try store.save(Snack("old", taste: "t", id: 77), matchingOn: \.name, matches: .first)
        == SaveCounts(updated: 1))
    #expect(try store.find(Snack.self, 1)?.taste == "t")
    #expect(try store.find(Snack.self, 77) == nil)
    #expect(try store.save(Snack("old", price: 5), matchingOn: \.name).updated == 2)
    #expect(try store.save(Snack("old", price: 5), matchingOn: \.name, \.taste).unchanged == 2)
    #expect(try store.save(Snack("x", taste: "q", id: 40), matchingOn: \.taste).inserted == 1)
    #expect(try store.find(Snack.self, 40)?.name == "x")
    #expect(fault { try store.save(Snack("y", id: 40), matching: \.name == "y") } == "duplicate id")
    #expect(try store.delete(Snack("old"), matchingOn: \.name, \.taste) == 2)
    #expect(try store.delete(Snack("old", price: 5), matchingOn: \.price) == 0)
  }

  @Test(
    "1.6, 5.2: models without a key are saved by match, queried, updated and deleted by filter",
    arguments: StoreKind.everywhere)
  func withoutKey(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.insert(Line(text: "a"))
    try store.insert([Line(text: "b"), Line(text: "b")])
    #expect(try store.save(Line(text: "b", number: 4), matchingOn: \.text).updated == 2)
    #expect(
      try store.fetch(Line.all) == [
        Line(text: "a"), Line(text: "b", number: 4), Line(text: "b", number: 4),
      ])
    #expect(try store.delete(Line(text: "b"), matchingOn: \.text) == 2)
    #expect(try store.count(Line.self) == 1)
  }

  @Test(
    "5.3: a batch match needs one value in its equal-list and something to contain",
    arguments: StoreKind.everywhere)
  func batchMatch(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.save([Snack("a", taste: "t"), Snack("b", taste: "t"), Snack("a", taste: "u")])
    let match = BatchMatch<Snack>(equal: [\.taste], contain: [\.name])
    let counts = try store.save(
      [
        Snack("a", taste: "t", price: 1), Snack("c", taste: "t", price: 2),
        Snack("c", taste: "t", price: 3),
      ],
      matching: match)
    #expect(counts == SaveCounts(inserted: 1, updated: 1))
    #expect(try store.fetch(Snack.all).map(\.price) == [1, 0, 0, 3])
    #expect(
      fault { try store.save([Snack("a", taste: "t"), Snack("a")], matching: match) }
        == "invalidBatch taste")
    #expect(
      fault { try store.save([Snack("a")], matching: BatchMatch(equal: [\.taste], contain: [])) }
        == "invalidBatch")
    #expect(try store.save([], matching: match) == SaveCounts())
    let many = (0..<2500).map { Snack("n\($0)", taste: "m") }
    #expect(try store.save(many, matching: match).inserted == 2500)
    #expect(try store.save(many, matching: match).unchanged == 2500)
  }

  @Test("5.4: a patch has three states an attribute", arguments: StoreKind.everywhere)
  func patching(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.save(Snack("Chips", taste: "salty", price: 2))
    #expect(
      try store.patch(Snack.self, 1) {
        $0.name = "X"; $0.taste = nil
      } == 1)
    #expect(try store.find(Snack.self, 1) == Snack("X", price: 2, id: 1))
    #expect(fault { try store.patch(Snack.self, 9) { $0.name = "X" } } == "notFound")
    #expect(try store.patch(Snack.self, 9, onMissing: .ignore) { $0.name = "X" } == 0)
    #expect(try store.patch(Snack.self, 9, onMissing: .insert) { $0.name = "Y" } == 1)
    #expect(try store.find(Snack.self, 9) == Snack("Y", id: 9))
    try store.patch(Snack.all.where { $0.name == "Z" && $0.price == 4 }, onMissing: .insert) {
      $0.taste = "t"
    }
    #expect(try store.find(Snack.self, 10) == Snack("Z", taste: "t", price: 4, id: 10))
    #expect(
      fault { try store.patch(Snack.self, 11, onMissing: .insert) { $0.taste = "t" } }
        == "missingValue name")
    #expect(
      try store.update(Snack.all.where { $0.price > 1 }) {
        $0[\.price] -= 1; $0.taste = nil
      } == 2)
    #expect(try store.sum(Snack.all, \.price) == 4)
    #expect(try store.delete(Snack.all.sorted(by: .descending(\.price)).limit(1)) == 1)
    #expect(try store.deleteAll(Snack.self) == 2)
  }

  @Test(
    "5.5, 6.3: a throw undoes the block, a savepoint its part; transactions end with their block",
    arguments: StoreKind.everywhere)
  func transactions(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { tx in
        try tx.save(Snack("a"))
        throw Stop()
      }
    }
    #expect(try store.count(Snack.self) == 0)
    var kept: WriteTransaction?
    try store.write { tx in
      try tx.save(Snack("a"))
      #expect(throws: Stop.self) {
        try tx.savepoint { tx in
          try tx.save(Snack("b"))
          throw Stop()
        }
      }
      #expect(fault { try tx.insert([Snack("c"), Snack("d", id: 1)]) } == "duplicate id")
      #expect(try tx.count(Snack.self) == 1)
      kept = tx
    }
    #expect(fault { _ = try kept?.count(Snack.self) } == "transactionEnded")
    #expect(fault { try kept?.save(Snack("x")) } == "transactionEnded")
    #expect(fault { try store.read { _ in try store.write { _ in } } } == "reentrancy")
  }

  @Test(
    "5.1, 6.5: only what changed something is announced, once, in order",
    arguments: StoreKind.everywhere)
  func notices(_ kind: StoreKind) async throws {
    let store = try kind.openStore()
    let seen = SharedList<Set<String>>()
    let observation = store.runtime.transactions.observeCommits { seen.add($0.entities) }
    try Self.writeForNotices(store)
    #expect(try await eventually { seen.all.count == 2 })
    #expect(seen.all == [["Snack"], ["Person", "Snack"]])
    observation.cancel()
  }

  private static func writeForNotices(_ store: any Store) throws {
    let chips = try store.save(Snack("Chips"))
    try store.save(chips)
    try store.update(chips)
    try store.save([chips])
    try store.save([Snack]())
    try store.delete(Snack.self, id: 99)
    try store.delete(Snack.all.where { $0.price > 100 })
    try store.deleteAll(Line.self)
    try? store.write { tx in
      try tx.save(Snack("gone"))
      throw CancellationError()
    }
    try store.write { tx in
      try? tx.savepoint { tx in
        try tx.insert(Line(text: "x"))
        throw CancellationError()
      }
      try tx.save(Person(name: "p"))
      try tx.save(Snack("Nuts"))
    }
  }

  @Test(
    "rows by names: what a row does not name keeps what is stored", arguments: StoreKind.everywhere)
  func dynamicRows(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    try store.write { tx in
      try tx.insert([
        DynamicRow("Snack", ["name": .string("a"), "price": .double(1)]),
        DynamicRow("Snack", ["name": .string("b"), "taste": .string("t")]),
      ])
      try tx.save([
        DynamicRow("Snack", ["id": .int(1), "taste": .string("u")]),
        DynamicRow("Snack", ["id": .int(2), "price": .double(5)]),
        DynamicRow("Snack", ["id": .int(2), "name": .string("c")]),
      ])
    }
    #expect(
      try store.fetch(Snack.all)
        == [Snack("a", taste: "u", price: 1, id: 1), Snack("c", taste: "t", price: 5, id: 2)])
    #expect(
      fault { _ = try store.write { try $0.save([DynamicRow("Snack", ["nope": .null])]) } }
        == "unknownAttribute nope")
    #expect(
      fault { _ = try store.write { try $0.save([DynamicRow("Snack", ["name": .int(1)])]) } }
        == "invalidValue name")
    #expect(fault { _ = try store.write { try $0.save([DynamicRow("Nope")]) } } == "unknownEntity")
    #expect(
      try store.read { try $0.fetch(DynamicQuery("Snack", limit: 1)) }.first?["name"]
        == .string("a"))
    #expect(
      try store.write { try $0.update(DynamicQuery("Snack"), ["taste": .attribute("name")]) } == 2)
    #expect(
      fault {
        _ = try store.write { try $0.update(DynamicQuery("Snack"), ["taste": .attribute("price")]) }
      } == "invalidCondition taste")
  }
}
