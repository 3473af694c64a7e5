internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Relationships that lead to an entity with subentities, to a subentity, and from either.
  static let hierarchyLinks: [ConformanceCase] = [
    ConformanceCase(
      "a relationship to an entity leads to rows of every kind of it", "2.7", "5.8", "5.11"
    ) {
      context in
      let store = try context.openBeasts()
      let den = try context.unwrap(try store.fetch(Den.all.prefetch(\.beasts)).first, "the den")
      try context.expectEqual(den.beasts.loaded?.map(\.id), [1, 2, 10])
      try context.expectEqual(
        try store.fetch(Den.all.where { $0.beasts.any { $0.name == "leo" } }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Beast.all.where { $0.den.id == 1 }).map(\.id), [1, 2, 10])
      try context.expectEqual(
        try store.fetch(Beast.all.where { $0.den.id == 1 }, as: .concrete).map {
          "\(type(of: $0))"
        },
        ["Beast", "Lion", "Cub"])
      try context.expectEqual(try store.fetch(Den.all.where { $0.beasts.count == 3 }).count, 1)
    },
    ConformanceCase(
      "objects that are fetched as what they are come with their links", "5.8", "2.9", "5.11"
    ) { context in
      let store = try context.openBeasts()
      let query = Beast.all.where { $0.den.id == 1 }.prefetch(\.den, \.tags)
      let objects = try store.fetch(
        query,
        as: .concrete
          .prefetch(for: Lion.self) { $0.prefetch(\.cubs, \.rival) }
          .prefetch(for: Cub.self) { $0.prefetch(\.lion) { $0.prefetch(\.rival) } })
      try context.expectEqual(objects.map { "\(type(of: $0))" }, ["Beast", "Lion", "Cub"])
      let owl = try context.unwrap(objects[0] as? Beast, "the owl")
      try context.expectEqual(owl.den.loaded?.id, 1)
      try context.expectEqual(owl.tags.loaded?.map(\.id), [1])
      let leo = try context.unwrap(objects[1] as? Lion, "the lion")
      try context.expectEqual(leo.cubs.loaded?.map(\.id), [10, 11])
      try context.expectEqual(leo.rival.loaded?.mane, 7)
      let cub = try context.unwrap(objects[2] as? Cub, "the cub")
      try context.expectEqual(cub.lion.loaded?.rival.loaded?.mane, 7)
      let plain = try store.fetch(query, as: .concrete)
      try context.expectEqual((plain[0] as? Beast)?.tags.loaded?.map(\.id), [1])
      try context.expect((plain[1] as? Lion)?.cubs.loaded == nil, "not fetched")
      let found = try store.find(
        Beast.self, 2, as: .concrete.prefetch(for: Lion.self) { $0.prefetch(\.cubs) })
      try context.expectEqual((found as? Lion)?.cubs.loaded?.map(\.weight), [1, 3])
      let beast = try store.find(
        Beast.self, 1,
        as: .concrete
          .prefetch(for: Beast.self) { $0.prefetch(\.den) }
          .prefetch(for: Lion.self) { $0.prefetch(\.cubs) })
      try context.expectEqual((beast as? Beast)?.den.loaded?.id, 1)
      let cubs = ConcreteModels.concrete.prefetch(for: Cub.self) { $0.prefetch(\.lion) }
      try context.expect(try store.find(Beast.self, 99, as: cubs) == nil, "there is none")
      try context.expectError(.invalidCondition, entity: "Cub") {
        try store.fetch(Lion.all, as: cubs)
      }
    },
    ConformanceCase(
      "a relationship to a subentity leads to its rows alone", "2.7", "2.8", "5.6", "5.11"
    ) {
      context in
      let store = try context.openBeasts()
      let lion = try context.unwrap(
        try store.fetch(Lion.all.where { $0.id == 2 }.prefetch(\.cubs, \.rival)).first, "the lion")
      try context.expectEqual(lion.cubs.loaded?.map(\.id), [10, 11])
      try context.expectEqual(lion.rival.loaded?.mane, 7)
      try context.expectEqual(
        try store.fetch(Cub.all.where { $0.lion.mane == 5 }).map(\.id), [10, 11])
      try context.expectEqual(
        try store.fetch(Lion.all.where { $0.cubs.any { $0.weight > 2 } }).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Lion.all.where { $0.cubs.sum(\.weight) == 4 }).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Lion.all.where { $0.cubs.count == 0 }).map(\.id), [3], "lions alone")
      try context.expectEqual(
        try store.fetch(Den.all.where { $0.guardian.name == "leo" }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Den.all.where { $0.pets.any { $0.weight < 2 } }).map(\.id), [1])
      let den = try context.unwrap(
        try store.fetch(Den.all.prefetch(\.pets, \.guardian)).first, "the den")
      try context.expectEqual(den.pets.loaded?.map(\.weight), [1])
      try context.expectEqual(den.guardian.loaded?.mane, 5)
      for wrong in [1, 10, 99] as [Int64] {
        try context.expectError(.missingTarget, attributes: ["guardian"]) {
          try store.save(Den(1, guardian: .key(wrong)))
        }
      }
      try context.expectError(.missingTarget, entity: "Cub", attributes: ["lion"]) {
        try store.save(Cub(12, lion: .key(11)))
      }
    },
    ConformanceCase("graphs are saved through subentities", "5.8", "5.11") { context in
      let store = try context.openBeasts()
      let saved = try store.save(
        Lion(4, "new", mane: 2, cubs: [Cub(20, "x"), Cub(11, "moved")], rival: .key(2)))
      try context.expectEqual(Set(saved.cubs.ids ?? []), [20, 11])
      try context.expectEqual(
        try store.fetch(Cub.all.where { $0.lion.id == 4 }).map(\.id), [11, 20])
      try context.expectEqual(
        try store.fetch(Cub.all.where { $0.lion.id == 2 }).map(\.id), [10])
      try context.expectError(.duplicate, entity: "Cub") {
        try store.save(Lion(5, cubs: [Cub(1, "a beast has this key")]))
      }
      try context.expect(try store.find(Lion.self, 5) == nil, "nothing of it was saved")
      try context.expectError(.validationFailed, entity: "Lion", attributes: ["cubs"]) {
        try store.save(Lion(5, cubs: [Cub(21), Cub(22), Cub(23), Cub(24)]))
      }
      try store.save(Beast(10, "tagged", tags: [BeastTag(3)]))
      let cub = try context.unwrap(try store.find(Cub.self, 10), "still a cub")
      try context.expectEqual(cub.name, "tagged")
      try context.expectEqual(cub.lion.id, 2)
    },
    ConformanceCase(
      "delete rules hold for rows by whatever entity they are deleted", "5.6", "5.7", "5.11"
    ) {
      context in
      for way in 0..<4 {
        let store = try context.openBeasts()
        var free = try context.unwrap(try store.find(Den.self, 1), "the den")
        free.guardian = nil
        try store.save(free)
        switch way {
        case 0: try store.delete(Beast.self, id: 2)
        case 1: try store.delete(Lion.self, id: 2)
        case 2: try store.delete(Beast.all.where { $0.name == "leo" })
        default: try store.delete(Lion.all.where { $0.mane == 5 })
        }
        try context.expectEqual(try store.fetch(Beast.all).map(\.id), [1, 3], "cubs went with it")
        try context.expectEqual(try store.fetch(BeastTag.all).map(\.id), [1], "and its tag")
        try context.expectEqual(try store.find(Lion.self, 3)?.rival.id, nil)
        let den = try context.unwrap(
          try store.fetch(Den.all.prefetch(\.beasts, \.pets)).first, "the den")
        try context.expectEqual(den.beasts.ids, [1])
        try context.expectEqual(den.pets.ids, [])
        try context.expect(try store.check().isSound, "\(try store.check())")
      }
      let store = try context.openBeasts()
      let before = try store.read { try $0.fetch(DynamicQuery("Beast")) }
      for delete in [
        { try store.delete(Beast.self, id: 2) ? 1 : 0 }, { try store.deleteAll(Lion.self) },
        { try store.deleteAll(Beast.self) },
      ] as [() throws -> Int] {
        try context.expectError(.denied, entity: "Den", attributes: ["guardian"]) { try delete() }
      }
      try context.expectEqual(try store.read { try $0.fetch(DynamicQuery("Beast")) }, before)
      try store.delete(Cub.all)
      try context.expectEqual(try store.count(Beast.all), 3)
      try context.expect(try store.check().isSound, "\(try store.check())")
    },
  ]
}

extension ConformanceContext {
  /// A store of beasts: a den with a beast, a lion, which interceptors it, and a cub; another lion.
  func openBeasts() throws -> any Store {
    let store = try open(
      Schema(Beast.self, Lion.self, Cub.self, Den.self, BeastTag.self))
    try store.save([Lion(3, "rex", mane: 7), Lion(2, "leo", mane: 5, rival: .key(3))])
    try store.save(Lion(3, "rex", mane: 7, rival: .key(2)))
    try store.save([
      Cub(10, "a", weight: 1, lion: .key(2)), Cub(11, "b", weight: 3, lion: .key(2)),
    ])
    try store.save(Beast(1, "owl", tags: [BeastTag(1)]))
    try store.save(BeastTag(2, beast: .key(2)))
    try store.save(
      Den(
        1, beasts: .keys([1, 2, 10]), guardian: .key(2), pets: .keys([10])))
    return store
  }
}
