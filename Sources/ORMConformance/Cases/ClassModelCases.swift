internal import Dispatch
internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 5.1, 5.5 and 5.8 for models that are classes.
  static let classModels: [ConformanceCase] = [
    ConformanceCase(
      "objects of class models are freed with the last that the program holds", "5.8", "5.14"
    ) { context in
      let store = try Self.openBands(context)
      try store.save(Self.reds())
      func touched(_ body: () throws -> [AnyObject]) throws -> [WeakReference] {
        try body().map { WeakReference($0) }
      }
      func around(_ band: Band?) throws -> [AnyObject] {
        let band = try context.unwrap(band, "the band")
        let musicians = try context.unwrap(band.musicians.loaded, "the musicians")
        let back = try context.unwrap(musicians[0].band.loaded, "the way back")
        let manager = try context.unwrap(band.manager.loaded, "the manager")
        let again = back.manager.loaded.map { $0 as AnyObject }
        return [band, back, manager, again ?? back] + musicians.map { $0 as AnyObject }
      }
      let query = Band.all.prefetch(\.musicians, \.manager)
      var seen = try touched { try around(store.fetch(query).first) }
      seen += try touched { try around(store.find(Band.self, 1, prefetch: \.musicians, \.manager)) }
      seen += try touched { try around(store.save(Self.reds("Blues"))) }
      seen += try touched {
        try around(store.load(store.load(store.fetch(Band.all), \.musicians), \.manager).first)
      }
      seen += try touched {
        try store.fetch(Musician.all.prefetch(\.band) { $0.prefetch(\.musicians) })
          .flatMap { try around(store.load([context.unwrap($0.band.loaded, "")], \.manager)[0]) }
      }
      seen += try touched {
        let band = try context.unwrap(store.find(Band.self, 1), "the band")
        return try store.load(band, \.musicians) { $0.prefetch(\.band) }.map { musician in
          try context.unwrap(musician.band.loaded, "the way back") as AnyObject
        }
      }
      try store.chunks(query, size: 1) { bands in
        seen += try touched { try bands.flatMap { try around($0) } }
      }
      try context.expect(seen.count > 30, "objects were handed out")
      try context.expectEqual(seen.count { $0.object != nil }, 0, "objects that are left")
    },
    ConformanceCase("links to one object of a class model lead to one instance", "5.8", "5.14") {
      context in
      let store = try Self.openBands(context)
      try store.save(Self.reds())
      let band = try context.unwrap(
        store.first(Band.all.prefetch(\.musicians, \.manager)), "the band")
      for musician in band.musicians.loaded ?? [] {
        try context.expect(musician.band.loaded === band, "the way back")
        musician.name += "!"
      }
      let musicians = try context.unwrap(band.musicians.loaded, "the musicians")
      try context.expectEqual(musicians.map(\.name), ["a!", "b!"], "changes stay")
      try store.save(musicians)
      try context.expectEqual(try store.fetch(Musician.all).map(\.name), ["a!", "b!"])
      try context.expect(band.manager.loaded === band.manager.loaded, "the same each time")
      try context.expectEqual(band.manager.loaded?.loads, 1, "told once that it was read")
      try context.expect(band.manager.loaded?.band.loaded === band, "one-to-one")
    },
    ConformanceCase(
      "an object that outlives what it was fetched with still has its links", "5.8", "5.14"
    ) {
      context in
      let store = try Self.openBands(context)
      try store.save(Self.reds())
      func last() throws -> Musician {
        let bands = try store.fetch(Band.all.prefetch(\.musicians, \.manager))
        return try context.unwrap(bands.first?.musicians.loaded?.last, "a musician")
      }
      let musician = try last()
      let band = try context.unwrap(musician.band.loaded, "the band, made anew")
      try context.expectEqual(band.name, "Reds")
      try context.expect(musician.band.loaded === band, "as long as it is held")
      try context.expect(band.musicians.loaded?.last === musician, "and there again")
      try context.expectEqual(band.musicians.loaded?.map(\.name), ["a", "b"])
      try context.expectEqual(band.manager.loaded?.name, "x")
    },
    ConformanceCase("structs and class models lead to one another", "5.8", "5.14") { context in
      let store = try Self.openBands(context)
      var festival = Festival("f")
      festival.bands = [Self.reds(), Band("Blues")]
      festival = try store.save(festival)
      try context.expectEqual(festival.bands.loaded?.map(\.name), ["Reds", "Blues"])
      festival = try context.unwrap(
        store.first(Festival.all.prefetch(\.bands) { $0.prefetch(\.musicians, \.festivals) }), "f")
      let band = try context.unwrap(festival.bands.loaded?.first, "a band")
      try context.expect(festival.bands.loaded?.first === band, "one instance")
      try context.expectEqual(band.musicians.loaded?.map(\.name), ["a", "b"])
      let back = try context.unwrap(band.festivals.loaded?.first, "the festival")
      try context.expect(back.bands.loaded?.first === band, "through a struct")
    },
    ConformanceCase(
      "a write that fails leaves objects of class models as they were", "5.5", "5.8", "5.14"
    ) { context in
      let inner = try Self.openBands(context)
      let store = FaultyStore(inner)
      let other = try store.save(Manager("y"))
      let band = Self.reds()
      let musicians = band.musicians.loaded ?? []
      func expectUntouched(_ text: String) throws {
        try context.expectEqual(band.id, 0, text)
        try context.expectEqual(musicians.map(\.id), [0, 0], text)
        try context.expectEqual(band.manager.loaded?.id, .unassigned, text)
        try context.expect(band.musicians.loaded?.first === musicians[0], text)
        try context.expectEqual(try store.count(Band.self), 0, text)
      }
      try context.expectError(.full) {
        try store.write { tx in
          try tx.save(band)
          try context.expectEqual(band.id, 1)
          try context.expectEqual(musicians.map(\.id), [1, 2])
          throw StoreError(.full, "says the case")
        }
      }
      try expectUntouched("after a write")
      try store.write { tx in
        try context.expectError(.full) {
          try tx.savepoint { inside in
            try inside.insert(band)
            throw StoreError(.full, "says the case")
          }
        }
        try context.expectEqual(band.id, 0, "after a savepoint")
      }
      try expectUntouched("after a savepoint")
      store.add(.fail(.commit, with: StoreError(.full, "says the case")))
      try context.expectError(.full) { try store.save(band) }
      try expectUntouched("after a commit")
      musicians[1].name = "a"
      try context.expectError(.duplicate) { try store.save(band) }
      try context.expectError(.duplicate) { try store.save(musicians) }
      try expectUntouched("after a broken rule")
      musicians[1].name = "b"
      // A link that was set before counts now.
      band.manager = .key(other.id)
      _ = try? store.write { tx in
        try tx.save(band)
        throw StoreError(.full, "says the case")
      }
      try store.save(band)
      let stored = try context.unwrap(
        store.first(Band.all.prefetch(\.manager, \.musicians)), "the band")
      try context.expectEqual(stored.manager.loaded?.name, "y")
      try context.expectEqual(stored.musicians.loaded?.map(\.name), ["a", "b"])
    },
    ConformanceCase(
      "a save gives objects of class models their keys, and changes no more", "5.1", "5.14"
    ) {
      context in
      let store = try Self.openBands(context)
      let band = Self.reds()
      let musicians = band.musicians.loaded ?? []
      let saved = try store.save(band)
      try context.expect(saved !== band, "an object of its own")
      try context.expectEqual([band.id, saved.id], [1, 1])
      try context.expectEqual(musicians.map(\.id), [1, 2])
      try context.expect(band.musicians.loaded?.last === musicians[1], "links stay as set")
      try context.expectEqual(saved.musicians.loaded?.map(\.name), ["a", "b"])
      try context.expect(saved.musicians.loaded?.first?.band.loaded === saved, "the way back")
      try context.expectEqual(saved.manager.loaded?.name, "x")
      try context.expect(band.manager.loaded?.id != .unassigned, "UUIDs too")
      // Saved again, it is the same.
      musicians[0].name = "c"
      try context.expectEqual(try store.save([band]).counts, SaveCounts(unchanged: 1))
      try context.expectEqual(try store.fetch(Musician.all).map(\.name), ["c", "b"])
      let batch = [Musician("d"), Musician("e", band: .key(1))]
      try context.expectEqual(try store.insert(batch).keys, batch.map(\.id))
      try context.expectEqual(batch.map(\.id), [3, 4])
      try store.save(band, merge: .skippingNil)
      let other = Band("Blues")
      try store.save(other, merge: .skippingNil)
      try context.expectEqual(other.id, 2)
      try store.insert(Musician("f"), into: other, \.musicians)
      let manager = Manager("z")
      try store.save([manager])
      try context.expectEqual(try store.find(Manager.self, manager.id)?.name, "z")
    },
    ConformanceCase(
      "an object of a class model that is reached twice is one row", "5.1", "5.8", "5.14"
    ) {
      context in
      let store = try Self.openBands(context)
      let band = Band("Reds")
      let pair = [Musician("a", band: .to(band)), Musician("b", band: .to(band))]
      try store.save(pair)
      try context.expectEqual(try store.count(Band.self), 1)
      try context.expectEqual(try store.fetch(Musician.all).map(\.band.id), [band.id, band.id])
      let twice = Musician("c")
      try context.expectEqual(try store.save([twice, twice]).keys, [3, 3])
      // A circle ends.
      let other = Band("Blues")
      let musician = Musician("d", band: .to(other))
      other.musicians = [musician]
      defer { other.musicians = .notLoaded }
      let saved = try store.save(other)
      try context.expectEqual(saved.musicians.loaded?.map(\.name), ["d"])
      try context.expectEqual(try store.save(musician).band.loaded?.name, "Blues")
      try context.expectEqual(try store.count(Band.self), 2)
      try context.expectEqual(try store.count(Musician.self), 4)
    },
    ConformanceCase("a load leaves the other links of class models as they were", "5.8", "5.14") {
      context in
      let store = try Self.openBands(context)
      try store.save(Self.reds())
      let bands = try store.fetch(Band.all.prefetch(\.manager))
      let loaded = try store.load(bands, \.musicians)
      for band in [bands[0], loaded[0]] {
        try context.expectEqual(band.manager.loaded?.name, "x")
      }
      try context.expectEqual(loaded[0].musicians.loaded?.map(\.name), ["a", "b"])
      try context.expect(bands[0].musicians.loaded == nil, "the given object stays as it was")
      let musician = try context.unwrap(store.find(Musician.self, 1), "a musician")
      musician.band = .key(7)
      try context.expectEqual(try store.load([musician], \.band)[0].band.id, 7)
      try context.expectEqual(musician.band.id, 7, "what was set stays set")
      bands[0].musicians = []
      try context.expectEqual(
        try store.load(bands[0], \.musicians).map(\.name), ["a", "b"], "as it is stored")
      try context.expectEqual(bands[0].musicians.ids, [], "set as it was")
    },
    ConformanceCase("threads may follow the links of one object of a class model", "5.8", "5.14") {
      context in
      let store = try Self.openBands(context)
      try store.save(Self.reds())
      let band = try context.unwrap(
        store.first(Band.all.prefetch(\.musicians, \.manager)), "the band")
      let outlives = try context.unwrap(
        store.fetch(Band.all.prefetch(\.musicians, \.manager))[0].musicians.loaded?[0], "one")
      let wrong = Shared(0)
      DispatchQueue.concurrentPerform(iterations: 400) { _ in
        let musicians: [Musician?] = [band.musicians.loaded?[0], outlives]
        for musician in musicians {
          let names = musician?.band.loaded?.musicians.loaded?.map(\.name)
          let manager = musician?.band.loaded?.manager.loaded?.name
          if names != ["a", "b"] || manager != "x" { wrong.change { $0 += 1 } }
        }
      }
      try context.expectEqual(wrong.value, 0)
    },
    ConformanceCase(
      async: "operations that share a commit take back keys that they gave in vain", "5.5", "6.4",
      "5.14"
    ) { context in
      let inner = try Self.openBands(context)
      let store = FaultyStore(inner)
      let given = (1...9).map { number in
        [Musician("m\(number)"), Musician(number % 4 == 0 ? "held" : "n\(number)")]
      }
      // Writers that run together share no commit that is known beforehand.
      guard inner.runtime.concurrentWriters == nil else { return }
      let held = try await offThePool { try HeldWriter(inner) { try $0.save(Musician("held")) } }
      store.add(.fail(.commit, with: StoreError(.full, "no room, says the case")))
      let results = try await held.finish(
        before: given.map { pair in { try await store.save(pair).keys } })
      for (index, result) in results.enumerated() {
        switch result {
        case .success(let keys):
          try context.expectEqual(given[index].map(\.id), keys)
          try context.expectEqual(
            try await store.find(Musician.self, keys[1])?.name, "n\(index + 1)")
        case .failure:
          try context.expectEqual(index % 4, 3, "only those that break the rule fail")
          try context.expectEqual(given[index].map(\.id), [0, 0])
        }
      }
      try context.expectEqual(try await store.count(Musician.self), 15)
    },
  ]

  private static func openBands(_ context: ConformanceContext) throws -> any Store {
    try context.open(Band.self, Musician.self, Manager.self, Festival.self)
  }

  private static func reds(_ name: String = "Reds") -> Band {
    let prefix = name == "Reds" ? "" : name
    return Band(
      name, manager: .to(Manager("x")),
      musicians: [Musician(prefix + "a"), Musician(prefix + "b")])
  }
}

/// An object that a case watches without holding it.
private struct WeakReference {
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
