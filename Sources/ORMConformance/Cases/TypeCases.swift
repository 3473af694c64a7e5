internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 1.1, 1.2, 1.4, 1.7 and 2.7: enums with a fallback, sets, and JSON asked by path.
  static let types: [ConformanceCase] = [
    ConformanceCase("a fallback stands for raw values without a case", "1.4") { context in
      let store = try context.open(Garment.self)
      try store.save(Garment(1, .red, lining: .blue, fit: .large))
      try store.insertUnknown("Garment")
      var unknown = Garment(2, .other, lining: .other, fit: .unknown)
      unknown.label = "x"
      try context.expectEqual(
        try store.fetch(Garment.all),
        [Garment(1, .red, lining: .blue, fit: .large), unknown, Garment(3, .blue)])
      try context.expectEqual(try store.find(Garment.self, 2), unknown)
      let colours: [Colour] = try store.fetch(Garment.all.select(\.colour))
      try context.expectEqual(colours, [.red, .other, .blue])
      let linings = try store.fetch(Garment.all.select { ($0.lining, $0.fit) })
      try context.expectEqual(linings.map(\.0), [.blue, .other, nil])
      try context.expectEqual(linings.map(\.1), [.large, .unknown, .small])
      // Groups are those of the stored values: blue, green, red.
      let groups = try store.fetch(Garment.all.grouped(by: \.colour) { $0.count() })
      try context.expectEqual(groups.map(\.0), [.blue, .other, .red])
    },
    ConformanceCase("a fallback is written by a save, and by nothing else", "1.4", "5.4") {
      context in
      let store = try context.open(Garment.self)
      try store.insertUnknown("Garment")
      try context.expectEqual(try store.ids(Garment.all.where { $0.colour == .other }), [])
      try context.expectEqual(try store.ids(Garment.all.where("colour == 'green'")), [2])
      try store.patch(Garment.self, 2) { $0.label = "y" }
      try store.update(Garment.all) { $0.fit = .large }
      try context.expectEqual(try store.ids(Garment.all.where("colour == 'green'")), [2])
      let read = try context.unwrap(try store.find(Garment.self, 2), "the garment")
      try store.save([read], merge: .only(\.label))
      try context.expectEqual(try store.ids(Garment.all.where("colour == 'green'")), [2])
      try store.save(read)
      try context.expectEqual(try store.ids(Garment.all.where("colour == 'green'")), [])
      try context.expectEqual(
        try store.ids(Garment.all.where { $0.colour == .other && $0.lining == .other }), [2])
    },
    ConformanceCase("a fallback of models that are Codable", "1.4") { context in
      let store = try context.open(Cloth.self)
      try store.insertUnknown("Cloth")
      try context.expectEqual(
        try store.fetch(Cloth.all),
        [
          Cloth(id: 2, colour: .other, lining: .other, fit: .unknown, label: "x"),
          Cloth(id: 3, colour: .blue, lining: nil, fit: .small, label: ""),
        ])
    },
    ConformanceCase("a fallback is for no other fault, and for no other attribute", "1.4") {
      context in
      let good: [StoredValue] = [
        .int(1), .string("green"), .null, .int(7), .null, .string(""),
      ]
      try context.expectEqual(try Mapper<Garment>.model(from: good).fit, .unknown)
      try context.expectEqual(try Mapper<Cloth>.model(from: good).colour, .other)
      func refused(_ position: Int, _ value: StoredValue, _ name: String) throws {
        var values = good
        values[position] = value
        try context.expectError(.decoding, entity: "Garment", attributes: [name]) {
          try Mapper<Garment>.model(from: values)
        }
        try context.expectError(.decoding, entity: "Cloth", attributes: [name]) {
          try Mapper<Cloth>.model(from: values)
        }
      }
      try refused(1, .int(3), "colour")
      try refused(1, .null, "colour")
      try refused(3, .string("large"), "fit")
      try refused(4, .string("green"), "strict")
    },
    ConformanceCase(
      "sets are stored in one order, independent of the order they were made in", "1.1", "1.2"
    ) {
      context in
      let store = try context.open(Bag.self)
      let words = ["b", "", "😀", "B", "é", "a"]
      for turn in words.indices {
        var bag = Bag(1)
        for word in words[turn...] + words[..<turn] { bag.words.insert(word) }
        bag.numbers = turn.isMultiple(of: 2) ? [.max, 0, 1 << 63] : [1 << 63, .max, 0]
        bag.days = [.init(timeIntervalSinceReferenceDate: 0.1), .distantPast]
        let counts = try store.save([bag]).counts
        try context.expectEqual(
          counts, turn == 0 ? SaveCounts(inserted: 1) : SaveCounts(unchanged: 1))
        try context.expectEqual(try store.find(Bag.self, 1), bag)
      }
      let rows = try store.read { try $0.fetch(DynamicQuery("Bag")) }
      try context.expectSame(
        rows.map { $0["words"] },
        [.array(["", "B", "a", "b", "é", "😀"].map { .string($0) })])
      try context.expectSame(
        rows.map { $0["numbers"] }, [.array([.int(0), .uint(1 << 63), .uint(.max)])])
      var empty = Bag(2)
      empty.days = []
      try store.save([empty, Bag(3)])
      try context.expectEqual(try store.fetch(Bag.all.where { $0.id > 1 }), [empty, Bag(3)])
    },
    ConformanceCase("sets are asked by element, with an index and without", "2.7") { context in
      let store = try context.open(Bag.self)
      var one = Bag(1)
      one.words = ["hot", "sweet"]
      one.numbers = [1, .max]
      one.days = [.distantPast]
      var two = Bag(2)
      two.words = ["hat"]
      two.numbers = [1]
      two.days = []
      try store.save([one, two, Bag(3)])
      func expect(_ query: Query<Bag>, _ ids: [Int64], line: Int = #line) throws {
        try context.expectEqual(try store.ids(query), ids, "\(query.filter)", line: line)
      }
      try expect(Bag.all.where { $0.words.contains("hot") }, [1])
      try expect(Bag.all.where { !$0.words.contains("hot") }, [2, 3])
      try expect(Bag.all.where { $0.words.any { $0.beginsWith("h") } }, [1, 2])
      try expect(Bag.all.where { $0.words.all { $0.beginsWith("h") } }, [2, 3])
      try expect(Bag.all.where { $0.words.count() == 2 }, [1])
      try expect(Bag.all.where { $0.numbers.contains(.max) }, [1])
      try expect(Bag.all.where { $0.numbers.max() == 1 }, [2])
      try expect(Bag.all.where { $0.days.contains(.distantPast) }, [1])
      try expect(Bag.all.where { $0.days.isNil() }, [3])
      try expect(Bag.all.where { $0.words == ["sweet", "hot"] }, [1])
      try expect(Bag.all.where("ANY words == 'hat' OR 'sweet' IN words"), [1, 2])
      try expect(Bag.all.where("words.@count == 0"), [3])
      try store.update(Bag.all.where { $0.words.contains("hat") }) { $0.words = ["cap", "hot"] }
      try expect(Bag.all.where { $0.words.contains("hot") }, [1, 2])
      try expect(Bag.all.where { $0.words.contains("hat") }, [])
      try context.expect(try store.check().isSound, "the indexes")
    },
    ConformanceCase("json: a Codable attribute is asked by typed paths", "1.7", "2.1") { context in
      let store = try context.open(Leaflet.self)
      func leaflet(_ id: Int64, _ title: String, _ numbers: [Double], _ count: Int) -> Leaflet {
        Leaflet(
          id: id,
          content: .init(
            title: title, bytes: Data(), when: .distantPast, numbers: numbers, count: count,
            nested: ["k": [nil, Int(id)]]))
      }
      try store.save([
        leaflet(1, "beta", [3.5, 1], 7), leaflet(2, "alpha", [2], 9), leaflet(3, "gamma", [], 8),
      ])
      func expect(_ query: Query<Leaflet>, _ ids: [Int64], line: Int = #line) throws {
        try context.expectEqual(try store.ids(query), ids, "\(query.filter)", line: line)
      }
      try expect(Leaflet.all.where { $0.content.json("title", as: String.self) == "beta" }, [1])
      try expect(
        Leaflet.all.where { $0.content.json("title", as: String.self).beginsWith("a") }, [2])
      try expect(Leaflet.all.where { $0.content.json("numbers", 0, as: Double.self) > 2.5 }, [1])
      try expect(Leaflet.all.where { $0.content.json("numbers", 0, as: Double.self).isNil() }, [3])
      try expect(
        Leaflet.all.where { $0.content.json("nested", "k", 1, as: Int.self) >= 2 }, [2, 3])
      try expect(Leaflet.all.where("content.title LIKE '*a' AND content.numbers[0] > 2"), [1])
      try expect(
        Leaflet.all.where("content.nested.k[0] == nil AND content.count IN {7, 8}"), [1, 3])
      try expect(
        Leaflet.all.sorted(by: .ascending { $0.content.json("title", as: String.self) }), [2, 1, 3])
      let titles = try store.fetch(
        Leaflet.all.select {
          (
            $0.content.json("title", as: String.self),
            $0.content.json("numbers", 0, as: Double.self)
          )
        })
      try context.expectEqual(titles.map(\.0), ["beta", "alpha", "gamma"])
      try context.expectEqual(titles.map(\.1), [3.5, 2, nil])
    },
  ]
}

extension Store {
  /// Inserts garments as another program would: the first of colours and sizes without a case.
  fileprivate func insertUnknown(_ entity: String) throws {
    _ = try write { transaction in
      try transaction.insert([
        DynamicRow(
          entity,
          [
            "id": .int(2), "colour": .string("green"), "lining": .string("pink"), "fit": .int(99),
            "strict": .null, "label": .string("x"),
          ]),
        DynamicRow(
          entity,
          [
            "id": .int(3), "colour": .string("blue"), "lining": .null, "fit": .int(1),
            "strict": .null, "label": .string(""),
          ]),
      ])
    }
  }
}
