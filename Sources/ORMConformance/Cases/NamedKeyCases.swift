internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 1.6: keys whose properties have another name than `id`.
  static let namedKeys: [ConformanceCase] = [
    ConformanceCase("a key under another name than id is asked by both key paths", "1.6") {
      context in
      let store = try context.open(Coupon.self)
      let saved = try store.save(Coupon("a"))
      try context.expectEqual([saved.couponNumber, saved.id], [1, 1])
      try store.save([Coupon("b"), Coupon("c"), Coupon("d")])
      try context.expectEqual(try store.find(Coupon.self, 2)?.label, "b")
      func expect(_ labels: [String], _ query: Query<Coupon>) throws {
        try context.expectEqual(try store.fetch(query).map(\.label), labels)
      }
      try expect(["b"], Coupon.all.where { $0.couponNumber == 2 })
      try expect(["b"], Coupon.all.where { $0.id == 2 })
      try expect(["c", "d"], Coupon.all.where(\.id > 2))
      try expect(["c", "d"], Coupon.all.where(\.couponNumber > 2))
      try expect(["a", "c"], Coupon.all.where("couponNumber IN {1, 3}"))
      try expect(["b"], Coupon.all.where(#Predicate { $0.id == 2 && $0.couponNumber < 3 }))
      try expect(["d", "c", "b", "a"], Coupon.all.sorted(by: .descending(\.id)))
      try expect(["d", "c", "b", "a"], Coupon.all.sorted(by: .descending(\.couponNumber)))
      let pairs = try store.fetch(Coupon.all.where(\.id < 3).select(\.id, \.couponNumber))
      try context.expectEqual(pairs.map { [$0.0, $0.1] }, [[1, 1], [2, 2]])
      try context.expectEqual(try store.max(Coupon.all, \.id), 4)
      let filter: Filter<Coupon> = \.id == 1
      try context.expectEqual(filter.description, "couponNumber == 1")
      try context.expect(try filter.matches(saved), "an object is asked by id")
      try context.expectError(.unknownAttribute, entity: "Coupon") {
        try store.fetch(Coupon.all.where(Filter(format: "id == 2")))
      }
    },
    ConformanceCase("a key under another name than id is stored as declared", "1.6", "5.1") {
      context in
      let store = try context.open(Coupon.self)
      var coupon = try store.save(Coupon("a"))
      coupon.label = "b"
      try store.save(coupon)
      coupon.id = 7
      try context.expectEqual(coupon.couponNumber, 7)
      try store.save(coupon)
      let rows = try store.read { try $0.fetch(DynamicQuery("Coupon")) }
      try context.expectEqual(rows.map { $0["couponNumber"] }, [.int(1), .int(7)])
      try context.expectEqual(rows.map { $0["label"] }, [.string("b"), .string("b")])
      try store.patch(Coupon.self, 7) { $0.label = "c" }
      try context.expectError(.invalidValue, entity: "Coupon") {
        try store.update(Coupon.all) { $0.id = 3 }
      }
      try context.expectEqual(try store.delete(Coupon.self, id: 1), true)
      try context.expectEqual(try store.fetch(Coupon.all).map(\.label), ["c"])
    },
    ConformanceCase("a key of several attributes may have another name, and be linked to", "1.6") {
      context in
      let store = try context.open(Coupon.self, Booth.self)
      try store.save([Coupon("a"), Coupon("b")])
      try store.save([Booth("x", 1, coupon: .key(2)), Booth("x", 2), Booth("y", 1)])
      let found = try context.unwrap(
        try store.find(Booth.self, Booth.Spot(hall: "x", number: 1)), "the booth")
      try context.expectEqual(found.coupon.id, 2)
      func numbers(_ query: Query<Booth>) throws -> [Int] {
        try store.fetch(query).map(\.id.number)
      }
      try context.expectEqual(try numbers(Booth.all.where { $0.id.hall == "x" }), [1, 2])
      try context.expectEqual(try numbers(Booth.all.where { $0.spot.hall == "x" }), [1, 2])
      try context.expectEqual(try numbers(Booth.all.where(\.id.number == 2)), [2])
      try context.expectEqual(try numbers(Booth.all.where { $0.coupon == 2 }), [1])
      try context.expectEqual(try numbers(Booth.all.where { $0.coupon.id == 2 }), [1])
      try context.expectEqual(try numbers(Booth.all.where { $0.coupon.couponNumber == 2 }), [1])
      try context.expectEqual(try numbers(Booth.all.where("coupon.couponNumber == 2")), [1])
      let rows = try store.read { try $0.fetch(DynamicQuery("Booth")) }
      try context.expectEqual(
        rows.map { $0["coupon_couponNumber"] }, [.int(2), .null, .null])
    },
  ]
}
