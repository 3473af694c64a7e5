internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 5.15: primary keys that are made of to-ones.
  static let linkedKeys: [ConformanceCase] = [
    ConformanceCase(
      "a key of to-ones: saved, found, updated, deleted", "1.6", "5.1", "5.15"
    ) { context in
      let store = try context.openTheatre()
      let key = Casting.ID(1, .init("Bonn", 2024))
      let found = try context.unwrap(try store.find(Casting.self, key), "by key")
      try context.expectEqual(found.fee, 12)
      try context.expectEqual(found.id, key)
      try context.expectEqual(try store.find(Casting.self, .init(3, .init("Bonn", 2024))), nil)
      try context.expectEqual(
        try store.find(Casting.self, each: [.init(2, .init("Bonn", 2024)), key]).map(\.?.fee),
        [21, 12])
      try context.expectEqual(try store.find(Casting.self, byKey: [key])[key]?.fee, 12)
      // A save updates the row with the key.
      var changed = found
      changed.fee = 99
      try context.expectEqual(try store.save(changed).fee, 99)
      try store.save([Casting(1, "Bonn", 2024, fee: 98), Casting(2, "Ulm", 2023, fee: 7)])
      try context.expectEqual(try store.count(Casting.all), 4)
      try context.expectEqual(try store.find(Casting.self, key)?.fee, 98)
      try context.expectError(.duplicate, entity: "Casting") {
        try store.insert(Casting(1, "Bonn", 2024))
      }
      try context.expectError(.duplicate, entity: "Casting") {
        try store.insert([Casting(3, "Ulm", 2023), Casting(1, "Bonn", 2024)])
      }
      try context.expectError(.notFound, entity: "Casting") {
        try store.update(Casting(3, "Ulm", 2023))
      }
      try store.save(Casting(1, "Bonn", 2024), merge: .skippingNil)
      try store.save(Casting(1, "Bonn", 2024, fee: 5), merge: .insertOnly)
      try context.expectEqual(try store.find(Casting.self, key)?.fee, 98)
      try store.save(Casting(1, "Bonn", 2024, fee: 4), merge: .only(\.fee))
      try store.save(Casting(3, "Bonn", 2024, fee: 4), merge: .only(\.fee))
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.fee == 4 }).map(\.id.performer), [1, 3])
      try store.patch(Casting.self, key) { $0.fee = 3 }
      try context.expectEqual(try store.update(Casting.all.where { $0.fee == 3 }) { $0.fee = 2 }, 1)
      try context.expectEqual(try store.save(Casting(1, "Bonn", 2024, fee: 2)).fee, 2)
      try store.delete(Casting.self, id: key)
      try store.delete(Casting(3, "Bonn", 2024))
      try context.expectEqual(try store.find(Casting.self, key), nil)
      try context.expectEqual(try store.count(Casting.all), 3)
      try context.expectSound(store)
    },
    ConformanceCase(
      "conditions and orders over a key of to-ones", "2.9", "3.2", "3.4", "5.15"
    ) { context in
      let store = try context.openTheatre()
      func fees(_ query: Query<Casting>, line: Int = #line) throws -> [Int?] {
        let explanation = try store.explain(query)
        try context.expect(explanation.related.isEmpty, "\(explanation)", line: line)
        return try store.fetch(query).map(\.fee)
      }
      // In the order of the key, part by part.
      try context.expectEqual(try fees(Casting.all), [11, 12, 21, 22])
      try context.expectEqual(try fees(Casting.all.where { $0.performer.id == 2 }), [21, 22])
      try context.expectEqual(try fees(Casting.all.where { $0.performer == 2 }), [21, 22])
      try context.expectEqual(try fees(Casting.all.where { $0.id.performer == 2 }), [21, 22])
      try context.expectEqual(try fees(Casting.all.where(\.performer.id == 2)), [21, 22])
      try context.expectEqual(try fees(Casting.all.where("performer.id == 2")), [21, 22])
      try context.expectEqual(try fees(Casting.all.where("performer_id == 2")), [21, 22])
      try context.expectEqual(
        try fees(Casting.all.where { $0.production.id.city == "Bonn" }), [11, 12, 21])
      try context.expectEqual(
        try fees(Casting.all.where { $0.production == Production.ID("Bonn", 2024) }), [12, 21])
      try context.expectEqual(try fees(Casting.all.where { $0.performer == nil }), [])
      try context.expectEqual(
        try fees(Casting.all.sorted(by: .descending(\.performer.id))), [22, 21, 12, 11])
      try context.expectEqual(
        try fees(
          Casting.all.sorted(by: .descending { $0.production.id.year }, .ascending(\.id.performer))),
        [12, 21, 11, 22])
      let page = try store.fetchPage(Casting.all.sorted(by: .ascending(\.id.performer)).limit(2))
      try context.expectEqual(page.rows.map(\.fee), [11, 12])
      try context.expectEqual(
        try store.fetch(
          Casting.all.sorted(by: .ascending(\.id.performer)).limit(2).after(page.end)
        ).map(\.fee), [21, 22])
      let groups = try store.fetch(Casting.all.grouped(by: \.id.performer) { $0.sum(\.fee) })
      try context.expectEqual(groups.map(\.0), [1, 2])
      try context.expectEqual(groups.map(\.1), [23, 43])
      // Through it, and in memory.
      try context.expectEqual(
        try store.fetch(Performer.all.where { $0.castings.any { $0.fee == 12 } }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(
          Performer.all.where { $0.productions.any { $0.id.city == "Ulm" } }
        ).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Performer.all.where { $0.castings.isEmpty() }).map(\.id), [3])
      try context.expectEqual(
        try store.fetch(
          Performer.all.where { $0.castings.contains(.init(2, .init("Ulm", 2023))) }
        ).map(\.id), [2])
      let first = try context.unwrap(try store.first(Casting.all), "a casting")
      try context.expect(
        try Casting.all.where { $0.id.performer == 1 && $0.production.id.city == "Bonn" }.filter
          .matches(first), "in memory")
      let explanation = try store.explain(
        Casting.all.where { $0.performer.id == 2 }, analyze: true)
      if let read = explanation.rowsRead { try context.expectEqual(read, 2, "\(explanation)") }
    },
    ConformanceCase(
      "a key of to-ones is made of the keys of new targets", "5.5", "5.8", "5.15"
    ) { context in
      let store = try context.openTheatre()
      let saved = try store.save(
        Casting(.to(Performer(0, "Lea")), .to(Production("Kiel", 2025)), fee: 1))
      try context.expectEqual(saved.id, .init(4, .init("Kiel", 2025)))
      try context.expectEqual(saved.performer.loaded?.name, "Lea")
      try context.expectEqual(try store.find(Performer.self, 4)?.name, "Lea")
      // The owner of a to-many is the part that is left out.
      let owner = try store.save(
        Performer(
          0, "Kim",
          castings: [
            Casting(ToOne(), .key(.init("Kiel", 2025)), fee: 2),
            Casting(
              ToOne(), .key(.init("Ulm", 2023)), fee: 3, rehearsals: [Rehearsal(1), Rehearsal(2)]),
          ], biography: .to(Biography("born"))))
      try context.expectEqual(owner.id, 5)
      try context.expectEqual(
        owner.castings.loaded?.map(\.id),
        [.init(5, .init("Kiel", 2025)), .init(5, .init("Ulm", 2023))])
      try context.expectEqual(try store.find(Biography.self, .init(5))?.text, "born")
      let inserted = try store.insert(
        Casting(ToOne(), .key(.init("Bonn", 2023)), fee: 4), into: owner, \.castings)
      try context.expectEqual(inserted.id, .init(5, .init("Bonn", 2023)))
      var changed = try context.unwrap(try store.find(Performer.self, 5), "the owner")
      changed.castings.append(Casting(ToOne(), .key(.init("Bonn", 2024)), fee: 5))
      try store.save(changed)
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.performer.id == 5 }).map(\.fee), [4, 5, 2, 3])
      // A batch of rows with new targets, and a key of a key.
      let result = try store.save([
        Casting(.to(Performer(0, "A")), .key(.init("Kiel", 2025))),
        Casting(.to(Performer(0, "B")), .key(.init("Kiel", 2025))),
        Casting(.key(5), .key(.init("Kiel", 2025)), fee: 20),
      ])
      try context.expectEqual(result.counts.inserted, 2)
      try context.expectEqual(result.counts.updated, 1)
      try context.expectEqual(result.keys.map(\.performer), [6, 7, 5])
      let rehearsal = try store.save(
        Rehearsal(
          7, hours: 2,
          casting: .to(Casting(.to(Performer(0, "C")), .key(.init("Ulm", 2023))))))
      try context.expectEqual(
        rehearsal.id, .init(casting: .init(8, .init("Ulm", 2023)), number: 7))
      try context.expectEqual(
        try store.fetch(
          Rehearsal.all.where { $0.casting.performer.name == "Kim" }
        ).map(\.number), [1, 2])
      try context.expectEqual(
        try store.fetch(Rehearsal.all.sorted(by: .descending(\.id.number))).map(\.number),
        [7, 2, 1])
      try context.expectSound(store)
    },
    ConformanceCase(
      "what would break a key of to-ones is refused", "5.1", "5.6", "5.13", "5.15"
    ) { context in
      let store = try context.openTheatre()
      let before = try store.fetch(Casting.all)
      try context.expectError(.missingValue, entity: "Casting", attributes: ["performer"]) {
        try store.save(Casting(ToOne(), .key(.init("Bonn", 2023))))
      }
      try context.expectError(.missingValue, entity: "Casting", attributes: ["production"]) {
        try store.insert([Casting(.key(3), nil), Casting(.key(3), .key(.init("Ulm", 2023)))])
      }
      try context.expectError(.missingValue, attributes: ["performer"]) {
        try store.find(Casting.self, .init(nil, .init("Bonn", 2023)))
      }
      try context.expectError(.missingTarget, entity: "Casting", attributes: ["performer"]) {
        try store.save(Casting(9, "Bonn", 2023))
      }
      // A row keeps its owners: its key never changes.
      let other = try context.unwrap(try store.find(Performer.self, 3), "a performer")
      try context.expectError(.invalidValue, entity: "Casting") {
        try store.attach([.init(1, .init("Bonn", 2023))], to: other.id, \Performer.castings)
      }
      try context.expectEqual(
        try store.attach([.init(1, .init("Bonn", 2023))], to: 1, \Performer.castings), 0)
      try context.expectError(.invalidValue, entity: "Casting") {
        try store.insert(before[0], into: other, \.castings)
      }
      try context.expectError(.invalidValue, entity: "Casting") {
        try store.save(Performer(3, castings: .keys([.init(1, .init("Bonn", 2023))])))
      }
      try context.expectError(.conflictingLinks) {
        try store.save(Performer(3, castings: [Casting(1, "Bonn", 2023)]))
      }
      try context.expectError(.invalidValue, entity: "Casting") {
        try store.update(Casting.all) { $0.performer = .key(3) }
      }
      try context.expectError(.missingValue, entity: "Casting") {
        try store.save(Performer(1, castings: []))
      }
      try context.expectError(.missingValue, entity: "Casting") {
        try store.remove(before[0], from: Performer(1), \.castings)
      }
      try context.expectError(.conflictingLinks, entity: "Casting") {
        try store.save(
          Performer(
            3,
            castings: [
              Casting(ToOne(), .key(.init("Ulm", 2023)), fee: 1),
              Casting(ToOne(), .key(.init("Ulm", 2023)), fee: 2),
            ]))
      }
      try context.expectEqual(try store.fetch(Casting.all), before)
      // Another owner makes another row.
      var moved = before[0]
      moved.performer = .key(3)
      try context.expectEqual(try store.save(moved).id, .init(3, .init("Bonn", 2023)))
      try context.expectEqual(try store.count(Casting.all), 5)
      try context.expectSound(store)
    },
    ConformanceCase(
      "rows whose key is a to-one go with its target", "5.7", "5.15"
    ) { context in
      let store = try context.openTheatre()
      try store.save([
        Rehearsal(1, casting: .key(.init(1, .init("Bonn", 2024)))),
        Rehearsal(1, casting: .key(.init(2, .init("Bonn", 2024)))),
        Rehearsal(1, casting: .key(.init(2, .init("Ulm", 2023)))),
      ])
      try store.save(Biography("one", performer: .key(1)))
      try store.delete(Performer.self, id: 1)
      try context.expectEqual(try store.fetch(Casting.all).map(\.fee), [21, 22])
      try context.expectEqual(try store.count(Rehearsal.all), 2)
      try context.expectEqual(try store.count(Biography.all), 0)
      try store.delete(Production.self, id: .init("Ulm", 2023))
      try context.expectEqual(try store.fetch(Casting.all).map(\.fee), [21])
      try context.expectEqual(try store.count(Rehearsal.all), 1)
      try store.delete(Casting.self, id: .init(2, .init("Bonn", 2024)))
      try context.expectEqual(try store.count(Rehearsal.all), 0)
      try context.expectEqual(try store.count(Performer.all), 2)
      try context.expectSound(store)
    },
    ConformanceCase(
      "a many-to-many through rows whose key is both ends", "5.8", "5.13", "5.15"
    ) { context in
      let store = try context.openTheatre()
      let one = try context.unwrap(
        try store.find(Performer.self, 1, prefetch: \.productions, \.castings), "a performer")
      try context.expectEqual(
        one.productions.loaded?.map(\.id), [.init("Bonn", 2023), .init("Bonn", 2024)])
      try context.expectEqual(one.castings.loaded?.map(\.fee), [11, 12])
      // The rows that stay keep their attributes.
      try store.save(
        Performer(1, "x", productions: .keys([.init("Ulm", 2023), .init("Bonn", 2024)])))
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.performer.id == 1 }).map(\.fee), [12, nil])
      try context.expectEqual(
        try store.attach([3], to: Production.ID("Ulm", 2023), \Production.performers), 1)
      try context.expectEqual(
        try store.attach([3], to: Production.ID("Ulm", 2023), \Production.performers), 0)
      try context.expectEqual(
        try store.find(Casting.self, .init(3, .init("Ulm", 2023)))?.fee, .some(nil))
      try context.expectEqual(
        try store.detach([1, 2], from: Production.ID("Ulm", 2023), \Production.performers), 2)
      try context.expectEqual(
        try store.fetch(Casting.all.sorted(by: .ascending(\.id.performer))).map(\.id),
        [
          .init(1, .init("Bonn", 2024)), .init(2, .init("Bonn", 2024)),
          .init(3, .init("Ulm", 2023)),
        ])
      let castings = try store.fetch(Casting.all.prefetch(\.performer, \.production))
      try context.expectEqual(castings.map { $0.performer.loaded?.id }, [1, 2, 3])
      try context.expectEqual(
        castings.map { $0.production.loaded?.id.city }, ["Bonn", "Bonn", "Ulm"])
      try context.expectEqual(
        castings[0].performer.loaded?.name, "x")
      try context.expectSound(store)
    },
    ConformanceCase(
      "the schema of a key of to-ones", "7.6", "5.7", "5.15"
    ) { context in
      let entity = Casting.entity.description
      try context.expectEqual(
        entity.key, ["performer_id", "production_city", "production_year"])
      try context.expectEqual(
        Rehearsal.entity.description.key,
        ["casting_performer_id", "casting_production_city", "casting_production_year", "number"])
      try context.expectEqual(Biography.entity.description.key, ["performer_id"])
      try context.expect(
        entity.key.allSatisfy { name in
          entity.attributes.contains { $0.name == name && !$0.isOptional }
        }, "required columns")
      // The first part of a key needs no index of its own.
      try context.expectEqual(
        entity.indexes.map { $0.terms.map(\.attribute) },
        [["production_city", "production_year"]])
      let error = try context.expectError(.invalidSchema) {
        try Schema(Tour.self, Tourist.self, Gallery.self)
      }
      try context.expectEqual(
        error.failures.map(\.message),
        [
          "it is part of the primary key, so Tourist.tours cannot have the delete rule nullify; "
            + "choose cascade or deny",
          "it is part of the primary key, so deleting its target cannot nullify it; choose cascade "
            + "or deny",
        ])
      try context.expectEqual(error.failures.map(\.attributes), [["tourist"], ["gallery"]])
    },
    ConformanceCase(
      "a key of to-ones as JSON, in change sets and in dictionaries", "5.8", "11.1", "5.15"
    ) { context in
      let store = try context.openTheatre()
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let casting = try context.unwrap(try store.first(Casting.all), "a casting")
      let json = String(decoding: try encoder.encode(casting), as: UTF8.self)
      try context.expectEqual(
        json, #"{"fee":11,"performer":1,"production":{"city":"Bonn","year":2023}}"#)
      let read = try JSONDecoder().decode(Casting.self, from: Data(json.utf8))
      try context.expectEqual(read.id, casting.id)
      let id = String(decoding: try encoder.encode(casting.id), as: UTF8.self)
      try context.expectEqual(id, #"{"performer":1,"production":{"city":"Bonn","year":2023}}"#)
      try context.expectEqual(
        try JSONDecoder().decode(Casting.ID.self, from: Data(id.utf8)), casting.id)
      let rehearsal = try encoder.encode(
        LinkHolder(casting: .key(.init(1, .init("Bonn", 2023)))))
      try context.expectEqual(
        String(decoding: rehearsal, as: UTF8.self),
        #"{"casting":{"performer_id":1,"production_city":"Bonn","production_year":2023}}"#)
      try context.expectEqual(
        try JSONDecoder().decode(LinkHolder.self, from: rehearsal).casting.id, casting.id)
      let sets = try ChangeSets(store)
      try store.save(read)
      try context.expectEqual(sets.lines(), [])
      try store.save(Casting(3, "Ulm", 2023, fee: 3))
      try store.patch(Casting.self, .init(1, .init("Bonn", 2023))) { $0.fee = 1 }
      try store.delete(Casting.self, id: .init(2, .init("Ulm", 2023)))
      try context.expectEqual(
        sets.lines(),
        [
          "Casting inserted 3;Ulm;2023", "Casting updated 1;Bonn;2023 fee",
          "Casting deleted 2;Ulm;2023",
        ])
      // Of any number of keys, in one request.
      let ids = try store.fetch(Casting.all).map(\.id)
      try context.expectEqual(
        try store.find(Casting.self, byKey: ids).values.map(\.id).count, ids.count)
    },
  ]
}

/// A to-one outside of a model.
private struct LinkHolder: Codable {
  var casting: ToOne<Casting>
}

/// A linking model with rules that would clear its key.
private struct Tour: PrimaryKeyed, Codable {
  struct ID: CompositeKey {
    var tourist: Int64?
    var gallery: Int64?
  }
  var tourist: ToOne<Tourist>
  var gallery: ToOne<Gallery>
  var id: ID {
    get { ID(tourist: tourist.id, gallery: gallery.id) }
    set {
      tourist.setKey(newValue.tourist)
      gallery.setKey(newValue.gallery)
    }
  }
  static let entity = Entity<Tour>("Tour") {
    .key("tourist", \.tourist, inverse: \Tourist.tours)
      .key("gallery", \.gallery, targetDeleted: .nullify)
  }
}

private struct Tourist: PrimaryKeyed, Codable {
  var id: Int64
  var tours: ToMany<Tour>
  static let entity = Entity<Tourist>("Tourist") {
    .key("id", \.id).relationship("tours", \.tours)
  }
}

private struct Gallery: PrimaryKeyed, Codable {
  var id: Int64
  static let entity = Entity<Gallery>("Gallery") { .key("id", \.id) }
}

extension ConformanceContext {
  /// Performers 1 to 3, productions Bonn 2023, Bonn 2024 and Ulm 2023, and four castings.
  func openTheatre() throws -> any Store {
    let store = try open(
      Performer.self, Production.self, Casting.self, Rehearsal.self, Biography.self)
    try store.save([Performer(1, "Ada"), Performer(2, "Bo"), Performer(3, "Cy")])
    try store.save([Production("Bonn", 2024), Production("Bonn", 2023), Production("Ulm", 2023)])
    try store.save([
      Casting(1, "Bonn", 2023, fee: 11), Casting(1, "Bonn", 2024, fee: 12),
      Casting(2, "Bonn", 2024, fee: 21), Casting(2, "Ulm", 2023, fee: 22),
    ])
    return store
  }

  /// Expects that a check of a store finds nothing.
  fileprivate func expectSound(_ store: any Store, line: Int = #line) throws {
    try expectEqual(try store.check().faults.map(\.message), [], line: line)
  }
}
