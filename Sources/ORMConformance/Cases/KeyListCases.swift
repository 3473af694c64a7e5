internal import Dispatch
internal import FoundationEssentials
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 1.6 and 2.3: finds and deletes of many keys, each by one request.
  static let keyLists: [ConformanceCase] = [
    ConformanceCase("every key is answered at its position", "1.6") { context in
      let store = try context.open(Snack.self)
      try store.save((1...5).map { Snack(Int64($0), "s\($0)") })
      let keys: [Int64] = [4, 99, 1, 4, .min, 5, 0, .max, 1]
      let answers = [4, nil, 1, 4, nil, 5, nil, nil, 1] as [Int64?]
      try context.expectEqual(try store.find(Snack.self, each: keys).map { $0?.id }, answers)
      try context.expectEqual(try store.find(Snack.self, each: [2]).map { $0?.name }, ["s2"])
      try context.expectEqual(try store.find(Snack.self, each: [77]), [nil])
      try context.expectEqual(try store.find(Snack.self, each: []), [])
      try context.expectEqual(try store.find(Snack.self, keys).map(\.id), [4, 1, 4, 5, 1])
      let byKey = try store.find(Snack.self, byKey: keys)
      try context.expectEqual(byKey.mapValues(\.name), [4: "s4", 1: "s1", 5: "s5"])
      try store.write { tx in
        try tx.delete(Snack.self, id: 4)
        try tx.save(Snack(99, "new"))
        try context.expectEqual(
          try tx.find(Snack.self, each: [4, 99, 1]).map { $0?.name }, [nil, "new", "s1"])
        try context.expectEqual(try tx.find(Snack.self, byKey: [4, 99]).map(\.key), [99])
      }
    },
    ConformanceCase("many keys are one request", "1.6", "7.1") { context in
      let base = try context.open(Snack.self, Enrolment.self)
      try base.save((1...300).map { Snack(Int64($0 * 2)) })
      try base.save((0..<300).map { Enrolment("r\($0 % 7)", $0) })
      let store = CountingStore(base)
      var found: [Snack?] = []
      let wanted = (0..<600).map { Int64(600 - $0) }
      var requests: [FetchRequest] = try store.requests {
        found = try $0.find(Snack.self, each: wanted)
      }
      try context.expectEqual(requests.count, 1)
      try context.expectEqual(
        found.map { $0?.id }, wanted.map { $0 > 0 && $0 % 2 == 0 ? $0 : nil })
      requests = try store.requests { _ = try $0.find(Snack.self, [4, 2, 4]) }
      try context.expectEqual(requests.count, 1)
      requests = try store.requests { _ = try $0.find(Snack.self, byKey: [4, 2, 4]) }
      try context.expectEqual(requests.count, 1)
      var seats: [Enrolment?] = []
      let keys = (0..<40).map { Enrolment.ID(room: "r\($0 % 7)", number: 39 - $0) }
      requests = try store.requests { seats = try $0.find(Enrolment.self, each: keys) }
      try context.expectEqual(requests.count, 1)
      // r(n % 7) has n: 39 - n is in the same room where 2n - 39 is a multiple of 7.
      try context.expectEqual(
        seats.map { $0?.id.number },
        (0..<40).map { (2 * $0 - 39) % 7 == 0 ? 39 - $0 : nil })
      let all = (0..<600).map { Enrolment.ID(room: "r\($0 % 7)", number: $0) }
      requests = try store.requests { seats = try $0.find(Enrolment.self, each: all) }
      try context.expectEqual(requests.count, 3, "256 keys of several attributes at once")
      try context.expectEqual(seats.map { $0 != nil }, (0..<600).map { $0 < 300 })
    },
    ConformanceCase("a list of keys past the limit of a condition is asked for in parts", "7.1") {
      context in
      var options = StoreOptions()
      options.conditionLimits.listItems = 10
      let store = try context.open(Schema(models: [Snack.self]), options: options)
      try store.save((1...35).map { Snack(Int64($0)) })
      let keys = (1...40).map { Int64(41 - $0) }
      try context.expectEqual(
        try store.find(Snack.self, each: keys).map { $0?.id }, keys.map { $0 > 35 ? nil : $0 })
      try context.expectEqual(try store.find(Snack.self, keys).count, 35)
    },
    ConformanceCase("keys of texts are distinguished by their scalars", "2.3") { context in
      let store = try context.open(Box<String>.self)
      try store.save([Box("\u{E9}", "composed"), Box("e\u{301}", "decomposed"), Box("", "empty")])
      let keys = ["e\u{301}", "x", "\u{E9}", "", "e\u{301}"]
      try context.expectEqual(
        try store.find(Box<String>.self, each: keys).map { $0?.label },
        ["decomposed", nil, "composed", "empty", "decomposed"])
      try context.expectEqual(
        try store.find(Box<String>.self, keys).map(\.label),
        ["decomposed", "composed", "empty", "decomposed"])
      try context.expectEqual(
        try store.delete(Box<String>.self, ids: ["\u{E9}", "e\u{301}", "\u{E9}"]), 2)
      try context.expectEqual(try store.fetch(Box<String>.all).map(\.label), ["empty"])
    },
    ConformanceCase("keys of every type are found together", "1.6", "1.2") { context in
      let doubles = try context.open(Box<Double>.self)
      try doubles.save([Box(-0.0, "zero"), Box(.infinity, "most"), Box(0.1, "tenth")])
      try context.expectEqual(
        try doubles.find(Box<Double>.self, each: [0.1, 0.0, .nan, -0.0, .infinity])
          .map { $0?.label },
        ["tenth", "zero", nil, "zero", "most"])
      let unsigned = try context.open(Box<UInt64>.self)
      try unsigned.save([Box<UInt64>(.max, "max"), Box<UInt64>(0, "0")])
      try context.expectEqual(
        try unsigned.find(Box<UInt64>.self, each: [0, 7, .max]).map { $0?.label },
        ["0", nil, "max"])
      let small = try context.open(Box<Int8>.self)
      try small.save([Box<Int8>(-128, "least"), Box<Int8>(127, "most")])
      try context.expectEqual(
        try small.find(Box<Int8>.self, each: [127, 0, -128]).map { $0?.label },
        ["most", nil, "least"])
      let uuids = try context.open(Box<UUID>.self)
      let (first, second) = (UUID(), UUID())
      try uuids.save([Box(first, "1"), Box(second, "2")])
      try context.expectEqual(
        try uuids.find(Box<UUID>.self, each: [second, UUID(), first]).map { $0?.label },
        ["2", nil, "1"])
      let dates = try context.open(Box<Date>.self)
      let timestamps = [7.25, -1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
      try dates.save([Box(timestamps[0], "late"), Box(timestamps[1], "early")])
      try context.expectEqual(
        try dates.find(Box<Date>.self, each: timestamps + timestamps).map { $0?.label },
        ["late", "early", "late", "early"])
    },
    ConformanceCase("hidden rows are missing, links and subentities as in any find", "5.1", "5.8") {
      context in
      let sketches = try context.open(Sketch.self)
      try sketches.save((1...4).map { Sketch(Int64($0), "d\($0)") })
      try sketches.delete(Sketch.self, ids: [2, 4])
      try context.expectEqual(
        try sketches.find(Sketch.self, each: [4, 3, 2, 1]).map { $0?.id }, [nil, 3, nil, 1])
      let linked = try context.openLinked()
      let players = try linked.find(Player.self, each: [3, 99, 1])
      try context.expectEqual(players.map { $0?.team.id }, [2, nil, 1], "keys of to-ones")
      try context.expectEqual(players[2], try linked.find(Player.self, 1))
      try context.expectEqual(
        try linked.find(Team.self, [3, 1, 3], prefetch: \.players).map(\.players.ids),
        [[], [1, 2, 5], []])
      let vehicles = try context.open(Vehicle.self, Car.self, Truck.self)
      try vehicles.save(Car(1, "car"))
      try vehicles.save(Truck(2, "truck"))
      try context.expectEqual(
        try vehicles.find(Vehicle.self, each: [2, 1, 3]).map { $0?.id }, [2, 1, nil])
      try context.expectEqual(
        try vehicles.find(Car.self, each: [2, 1]).map { $0?.id }, [nil, 1])
    },
    ConformanceCase("positions with one key get one object of a class model", "5.8") { context in
      let store = try context.open(Band.self, Musician.self, Manager.self, Festival.self)
      let saved = try store.save([Musician("a"), Musician("b")])
      let found = try store.find(
        Musician.self, each: [saved.keys[1], saved.keys[0], saved.keys[1]])
      try context.expectEqual(found.map { $0?.name }, ["b", "a", "b"])
      try context.expect(found[0] === found[2], "one object")
    },
    ConformanceCase("objects are deleted as one operation", "5.1", "5.6") { context in
      let store = try context.open(Snack.self)
      let snacks = (1...5).map { Snack(Int64($0), "s\($0)") }
      try store.save(snacks)
      try context.expectEqual(try store.delete([snacks[0], Snack(99), snacks[3], snacks[0]]), 2)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [2, 3, 5])
      try context.expectEqual(try store.delete([Snack]()), 0)
      try store.write { tx in
        try context.expectEqual(try tx.delete([snacks[1]]), 1)
        try context.expectEqual(try tx.count(Snack.self), 2)
      }
      try Persistence.with(store) {
        try context.expectEqual(try snacks[2].delete(), true)
        try context.expectEqual(try Snack.find(each: [5, 3]).map { $0?.id }, [5, nil])
        try context.expectEqual(try store.find(Snack.self, byKey: [5, 3]).map(\.key), [5])
      }
    },
    ConformanceCase(async: "keys are found and objects deleted off the calling thread", "6.2") {
      context in
      let store = try context.open(Snack.self)
      try await store.save((1...5).map { Snack(Int64($0), "s\($0)") })
      try context.expectEqual(
        try await store.find(Snack.self, each: [5, 9, 5]).map { $0?.id }, [5, nil, 5])
      try context.expectEqual(try await store.find(Snack.self, byKey: [5, 9]).map(\.key), [5])
      let found = try await completed {
        store.read(on: .global(), { try $0.find(Snack.self, each: [9, 1]) }, completion: $0)
      }
      try context.expectEqual(found.map { $0?.id }, [nil, 1])
      try context.expectEqual(try await store.delete([Snack(1), Snack(2)]), 2)
      let deleted = try await completed {
        store.write(on: .global(), { try $0.delete([Snack(3), Snack(3)]) }, completion: $0)
      }
      try context.expectEqual(deleted, 1)
      try context.expectEqual(try await store.count(Snack.self), 2)
    },
  ]
}
