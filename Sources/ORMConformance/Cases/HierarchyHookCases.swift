internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 5.6 in hierarchies: which hooks run for rows that delete rules reach.
  static let hierarchyHooks: [ConformanceCase] = [
    ConformanceCase(
      "hooks of a subentity run where a delete or a rule names it, and not for its parent's",
      "5.6", "5.7", "5.10", "5.11"
    ) { context in
      let store = try context.open(
        Schema(
          Ovine.self, Lamb.self, Byre.self, Paddock.self, Chime.self, Bell.self, Line.self))
      func lines(_ body: (WriteTransaction) throws -> Void) throws -> Set<String> {
        try store.insert([Byre(1), Byre(2)])
        try store.insert([Paddock(1)])
        try store.insert([
          Lamb(1, "a", byre: .key(1), paddock: .key(1)), Lamb(2, "b", byre: .key(1)),
          Lamb(3, "c", byre: .key(2), paddock: .key(1)),
        ])
        try store.insert(Ovine(id: 4, name: "ram"))
        try store.insert([Bell(1, lamb: .key(1)), Bell(2, lamb: .key(3))])
        try store.write(body)
        let found = try store.fetch(Line.all).map(\.text)
        try context.expectSound(store)
        try context.expectEqual(found.count, Set(found).count, "each once: \(found)")
        try store.write { tx in
          try tx.deleteAll(Byre.self)
          try tx.deleteAll(Ovine.self)
          try tx.deleteAll(Paddock.self)
          try tx.deleteAll(Line.self)
        }
        return Set(found)
      }
      let first: Set = ["-a", "a is gone true", "-bell 1"]
      try context.expectEqual(try lines { try $0.delete(Lamb.self, id: 1) }, first, "by key")
      try context.expectEqual(
        try lines { try $0.delete(Lamb.self, ids: [1]) }, first, "by keys")
      try context.expectEqual(
        try lines { try $0.delete(Lamb.all.where { $0.name == "a" }) }, first, "by a query")
      try context.expectEqual(
        try lines { try $0.delete(Byre.self, id: 1) },
        first.union(["-b", "b is gone true"]), "by cascade")
      try context.expectEqual(
        try lines { try $0.delete(Paddock.self, id: 1) }, ["a leaves 1", "c leaves 1"],
        "by nullify")
      try context.expectEqual(
        try lines { try $0.delete(Ovine.self, ids: [1, 4]) }, ["-bell 1"], "as its parent's")
      try context.expectEqual(try store.count(Chime.all), 0)
    },
    ConformanceCase(
      "a cascade to a subentity leaves a row of another kind that has the key", "2.9", "5.7",
      "5.10", "5.11"
    ) { context in
      let store = try context.open(
        Schema(Fowl.self, Duck.self, Nest.self, Egg.self, Line.self))
      try store.insert([Duck(5), Duck(6)])
      try store.insert([Nest(1, duck: .key(5)), Nest(2, duck: .key(6))])
      // The key 5 stays behind in the nest, and is then that of a fowl that is no duck.
      try store.delete(Duck.self, id: 5)
      try store.insert(Fowl(5))
      try store.insert([Egg(1, fowl: .key(5)), Egg(2, fowl: .key(6))])
      try store.delete(Nest.self, ids: [1, 2])
      try context.expectEqual(try store.fetch(Fowl.all).map(\.id), [5])
      try context.expectEqual(try store.fetch(Egg.all).map(\.id), [1])
      try context.expectEqual(
        Set(try store.fetch(Line.all).map(\.text)), ["-duck 5", "-duck 6"])
    },
  ]
}
