internal import FoundationEssentials
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clause 5.8: links to keys of every kind of value, on every path that writes or asks for them.
  static let keyKinds: [ConformanceCase] = [
    ConformanceCase("single saves and batches store links to keys of every kind", "5.8") {
      context in
      let (store, keys) = try partStore(context)
      // A graph, a batch by keys, and one row by its key.
      try store.save(Kit(1, main: .key(keys[0])))
      try store.insert([Kit(2, main: .key(keys[0])), Kit(3, main: .key(keys[1])), Kit(4)])
      try store.save([Kit(4, main: .key(keys[2])), Kit(5, main: .key(keys[1]))])
      try store.update([Kit(2, main: .key(keys[2]))])
      try store.patch(Kit.self, 1) { $0.main = .key(keys[1]) }
      try context.expectEqual(
        try store.mains(), [1: keys[1], 2: keys[2], 3: keys[1], 4: keys[2], 5: keys[1]])
      try context.expectEqual(
        try store.update(Kit.all.where { $0.id >= 4 }) { $0.main = .key(keys[0]) }, 2)
      try context.expectEqual(
        try store.mains(), [1: keys[1], 2: keys[2], 3: keys[1], 4: keys[0], 5: keys[0]])
      try context.expectEqual(
        try store.fetch(Kit.all.where { $0.main == keys[0] }).map(\.id), [4, 5])
      try context.expectEqual(
        try store.fetch(Kit.all.prefetch(\.main)).map(\.main.id),
        [keys[1], keys[2], keys[1], keys[0], keys[0]])
      try context.expectError(
        .missingTarget, entity: "Kit", attributes: ["main"], key: [.int(7)]
      ) { try store.insert([Kit(6, main: .key(keys[0])), Kit(7, main: .key(partKey(9)))]) }
      try store.delete(Part.self, id: keys[1])
      try context.expectEqual(
        try store.mains(), [1: nil, 2: keys[2], 3: nil, 4: keys[0], 5: keys[0]])
    },
    ConformanceCase("to-manys of keys of every kind are linked, asked for and unlinked", "5.8") {
      context in
      let (store, keys) = try partStore(context)
      try store.save(Kit(1, parts: .keys([keys[2], keys[0]]), spares: .keys([keys[2], keys[0]])))
      try store.insert([Kit(.max, parts: .keys(keys), spares: .keys([keys[1]])), Kit(3)])
      try context.expectEqual(try store.attach([keys[1], keys[0]], to: 1, \Kit.parts), 1)
      try context.expectEqual(try store.attach(keys, to: 3, \Kit.spares), 3)
      try context.expectEqual(try store.attach([1, 3], to: keys[2], \Part.kits), 1)
      let kits = try store.fetch(Kit.all.prefetch(\.parts, \.spares))
      try context.expectEqual(kits.map(\.id), [1, 3, .max])
      try context.expectEqual(
        kits.map { Set($0.parts.ids ?? []) }, [Set(keys), [keys[2]], Set(keys)])
      try context.expectEqual(
        kits.map { $0.spares.ids }, [[keys[2], keys[0]], keys, [keys[1]]])
      try context.expectEqual(
        try store.fetch(Kit.all.where { $0.parts.contains(keys[0]) }).map(\.id), [1, .max])
      try context.expectEqual(
        try store.fetch(Part.all.where { $0.kits.contains(.max) }).map(\.id), keys)
      try context.expectEqual(try store.detach([keys[0]], from: .max, \Kit.parts), 1)
      try store.delete(Part.self, id: keys[2])
      try context.expectEqual(
        try store.fetch(Kit.all.prefetch(\.parts)).map { Set($0.parts.ids ?? []) },
        [[keys[0], keys[1]], [], [keys[1]]])
      try context.expectEqual(
        try store.fetch(Kit.all.prefetch(\.spares)).map { $0.spares.ids },
        [[keys[0]], [keys[0], keys[1]], [keys[1]]])
    },
    ConformanceCase("lists of keys of every kind find, update and delete their rows", "5.3") {
      context in
      let (store, keys) = try partStore(context)
      try context.expectEqual(
        try store.find(Part.self, [keys[2], partKey(9), keys[0]]).map(\.id), [keys[2], keys[0]])
      try store.insert((1...700).map { Kit($0, main: .key(keys[Int($0 % 3)])) })
      let ids = (1...700).filter { $0 % 2 == 0 }.map { UInt64($0) }
      try context.expectEqual(try store.count(Kit.all.where { $0.id.isIn(ids) }), 350)
      try context.expectEqual(
        try store.update(Kit.all.where { $0.id.isIn(ids) }) { $0.main = .key(keys[0]) }, 350)
      // Of the odd numbers to 700, 117 are divisible by three.
      try context.expectEqual(try store.count(Kit.all.where { $0.main == keys[0] }), 467)
      try context.expectEqual(try store.delete(Kit.self, ids: ids), 350)
      try context.expectEqual(try store.delete(Part.self, ids: Array(keys.prefix(2))), 2)
      try context.expectEqual(try store.fetch(Part.all).map(\.id), [keys[2]])
      try context.expectEqual(try store.check().faultCount, 0)
    },
  ]

  /// A store with three parts, whose keys differ in the size of their unsigned integers alone.
  private static func partStore(
    _ context: ConformanceContext
  ) throws -> (any Store, [Part.ID]) {
    let store = try context.open(Part.self, Kit.self)
    let keys = [7, UInt64(Int64.max), .max].map { partKey($0) }
    try store.insert(keys.map { Part($0) })
    return (store, keys)
  }

  private static func partKey(_ long: UInt64) -> Part.ID {
    Part.ID(
      text: "e\u{301}", long: long, word: 5, byte: 200, whole: -3, number: 2, single: 0.5,
      exact: Decimal(string: "12.50") ?? 0, date: Date(timeIntervalSinceReferenceDate: 1.25),
      uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
      data: Data([0, 255]), flag: true)
  }
}

extension Store {
  /// The key of the part that each kit leads to.
  fileprivate func mains() throws -> [UInt64: Part.ID?] {
    Dictionary(uniqueKeysWithValues: try fetch(Kit.all).map { ($0.id, $0.main.id) })
  }
}
