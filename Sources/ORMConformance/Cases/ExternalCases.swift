internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Data stored outside of rows: clauses 1.2, 1.5, 2.1, 5.1, 5.5, 5.7 and 7.5 hold for it as for any
  /// other.
  static let external: [ConformanceCase] = [
    ConformanceCase("data stored outside comes back as it was saved, of every size", "1.2", "1.9") {
      context in
      var store = try context.open(Picture.self, Album.self)
      let sizes = [0, 1, 49, 50, 99, 100, 101, 4095, 4096, 70_000]
      let models =
        sizes.enumerated().map { index, size in
          Picture(
            Int64(index), image: Picture.content(index, size),
            raw: [UInt8](Picture.content(-index, size)))
        } + [Picture(100)]
      try store.save(models)
      for _ in 0..<2 {
        try context.expectEqual(try store.fetch(Picture.all), models)
        for model in models {
          try context.expectEqual(try store.find(Picture.self, model.id), model)
          let row = try store.read {
            try $0.fetch(
              DynamicQuery("Picture", where: attribute("id").compare(.equal, int(model.id)))
            ).first
          }
          try context.expectSame(
            [row?["image"] ?? .bool(true), row?["raw"] ?? .bool(true)],
            [model.image.map { .data($0) } ?? .null, .data(Data(model.raw))])
        }
        try context.expectEqual(
          try store.fetch(Picture.all.select(\.image)), models.map(\.image), "a projection")
        try context.expectSound(store, models)
        store = try context.reopen(store, Picture.self, Album.self)
      }
    },
    ConformanceCase("equal contents are stored once for all that refer to them", "5.1", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let content = Picture.content(1)
      let models = [
        Picture(1, image: content, raw: [UInt8](content)), Picture(2, image: content),
      ]
      try store.save(models)
      try store.save(Album(cover: content))
      try context.expectEqual(try store.externalCounts(), [5000: 4])
      try context.expectEqual(
        try store.save(models).unchanged, 2, "what is stored to the last bit is not written")
      try store.delete(Picture.self, id: 1)
      try context.expectEqual(try store.externalCounts(), [5000: 2])
      try store.deleteAll(Album.self)
      try store.deleteAll(Picture.self)
      try context.expectEqual(try store.externalCounts(), [:])
      try context.expectSound(store, [])
    },
    ConformanceCase("every way to change a row counts its contents", "5.1", "5.4", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let (a, b, c) = (Picture.content(1, 200), Picture.content(2, 300), Picture.content(3, 400))
      try store.save([Picture(1, "x", image: a), Picture(2, "x", image: a), Picture(3, "y")])
      try context.expectEqual(try store.externalCounts(), [200: 2])
      try context.expectEqual(
        try store.update(Picture.all.where { $0.title == "x" }) { $0.image = b }, 2)
      try context.expectEqual(try store.externalCounts(), [300: 2])
      try store.update(Picture.all) { $0.title = "z" }
      try context.expectEqual(try store.externalCounts(), [300: 2])
      try store.patch(Picture.self, 1) { $0.image = nil }
      try context.expectEqual(try store.externalCounts(), [300: 1])
      try store.save(Picture(2, "z"), merge: .skippingNil)
      try context.expectEqual(try store.externalCounts(), [300: 1])
      try store.save(Picture(2, "z", image: c), merge: .insertOnly)
      try context.expectEqual(try store.externalCounts(), [300: 1])
      try store.save(Picture(2, "z", image: c), merge: .only(\.image))
      try context.expectEqual(try store.externalCounts(), [400: 1])
      try store.write {
        _ = try $0.save(Picture(9, "z", image: c, raw: [UInt8](a)), matchingOn: \.title)
      }
      try context.expectEqual(try store.externalCounts(), [200: 3, 400: 3])
      let models = (1...3).map { Picture($0, "z", image: c, raw: [UInt8](a)) }
      try context.expectSound(store, models)
      try context.expectEqual(
        try store.delete(Picture.all.sorted(by: .descending(\.id)).limit(2)), 2)
      try context.expectEqual(try store.externalCounts(), [200: 1, 400: 1])
      try store.delete(models[0])
      try context.expectEqual(try store.externalCounts(), [:])
    },
    ConformanceCase("a batch counts the rows that it takes over in itself", "5.1", "5.3", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let contents = (0..<4).map { Picture.content($0, 200 + $0) }
      try store.save([
        Picture(1, image: contents[0]), Picture(1, image: contents[1]),
        Picture(2, image: contents[1]), Picture(1, image: contents[2]),
      ])
      try context.expectEqual(try store.externalCounts(), [201: 1, 202: 1])
      try store.save((0..<3000).map { Picture($0, image: contents[Int($0) % 4]) })
      try context.expectEqual(
        try store.externalCounts(), [200: 750, 201: 750, 202: 750, 203: 750])
    },
    ConformanceCase("writes that are undone leave no count and no content", "5.5", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let (a, b, c) = (Picture.content(1, 200), Picture.content(2, 300), Picture.content(3, 400))
      try store.save(Picture(1, image: a))
      struct Undone: Error {}
      try? store.write { transaction in
        try transaction.save(Picture(1, image: b))
        try context.expectEqual(try transaction.find(Picture.self, 1)?.image, b, "in the block")
        throw Undone()
      }
      try context.expectSound(store, [Picture(1, image: a)])
      try store.write { transaction in
        try transaction.save(Picture(2, image: b))
        try? transaction.savepoint { transaction in
          try transaction.save([Picture(2, image: c), Picture(3, image: b)])
          try transaction.delete(Picture.self, id: 1)
          throw Undone()
        }
        try context.expectEqual(try transaction.find(Picture.self, 2)?.image, b)
        _ = try context.expectError(.duplicate) {
          try transaction.insert([Picture(4, image: c), Picture(1, image: c)])
        }
      }
      try context.expectEqual(try store.externalCounts(), [200: 1, 300: 1])
      try context.expectSound(store, [Picture(1, image: a), Picture(2, image: b)])
      try store.write { transaction in
        try transaction.save(Picture(1, image: c))
        try transaction.save(Picture(1, image: a))
      }
      try context.expectEqual(try store.externalCounts(), [200: 1, 300: 1])
    },
    ConformanceCase("cascades and graphs count their contents", "5.7", "5.8", "1.9") { context in
      let store = try context.open(Picture.self, Album.self)
      let (a, b, c) = (Picture.content(1, 200), Picture.content(2, 300), Picture.content(3, 400))
      let album = try store.save(
        Album(cover: a, pictures: [Picture(1, image: b), Picture(2, image: a)]))
      try store.save(Album(cover: c, pictures: [Picture(3, image: b)]))
      try context.expectEqual(try store.externalCounts(), [200: 2, 300: 2, 400: 1])
      let loaded = try store.fetch(Album.all.prefetch(\.pictures))
      try context.expectEqual(
        loaded.map { $0.pictures.loaded?.map(\.image) ?? [] }, [[b, a], [b]])
      try context.expectEqual(
        try store.fetch(Picture.all.select { ($0.id, $0.album.cover) }).map(\.1),
        [a, a, c] as [Data?],
        "a projection through a to-one")
      try store.delete(album)
      try context.expectEqual(try store.externalCounts(), [300: 1, 400: 1])
      try context.expectEqual(try store.fetch(Picture.all).map(\.image), [b])
    },
    ConformanceCase("conditions ask only whether there is data outside", "2.1", "7.4", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let content = Picture.content(1)
      try store.save([Picture(1, image: content), Picture(2), Picture(3, image: Data())])
      try context.expectEqual(
        try store.fetch(Picture.all.where { $0.image == nil }).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Picture.all.where { !($0.image == nil) }).map(\.id), [1, 3])
      try context.expectEqual(
        try store.fetch(Picture.all.where { $0.image != nil && $0.id > 1 }).map(\.id), [3])
      try context.expectEqual(try store.count(Picture.all.where { $0.image != nil }), 2)
      let refused: [Filter<Picture>] = [
        try Filter(format: "image == %@", content), try Filter(format: "image IN %@", [content]),
        try Filter(format: "image > %@", content), try Filter(format: "raw == image"),
        try Filter(format: "album.cover == %@", content),
        try Filter.equal(Picture(1, image: content), on: \.image),
      ]
      for filter in refused {
        try context.expectError(.invalidCondition, "\(filter)") {
          try store.fetch(Picture.all.where(filter))
        }
        try context.expectError(.invalidCondition, "\(filter) in memory") {
          try filter.matches(Picture(1, image: content))
        }
      }
      try context.expectError(.invalidCondition, entity: "Picture", attributes: ["image"]) {
        try store.fetch(Picture.all.sorted(by: .ascending(\.image)))
      }
      try context.expectError(.invalidCondition, "least") {
        try store.min(Picture.all, \.image)
      }
      try context.expectError(.invalidCondition, "copied in the store") {
        try store.write {
          try $0.update(DynamicQuery("Picture"), ["image": .attribute("raw")])
        }
      }
      try context.expectEqual(try store.externalCounts(), [5000: 1])
    },
    ConformanceCase("data stored outside is no key, index or text", "7.5", "1.9", "7.6") {
      context in
      func schema(_ change: (inout EntityDescription) -> Void) throws -> Schema {
        var entity = EntityDescription(
          name: "Film",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription("reel", .data, externalThreshold: 10),
          ], key: ["id"])
        change(&entity)
        return try Schema(entities: [entity])
      }
      _ = try schema { _ in }
      let wrong: [(inout EntityDescription) -> Void] = [
        { $0.indexes = [IndexDescription(["reel"])] }, { $0.key = ["reel"] },
        { $0.attributes[1].type = .string }, { $0.attributes[1].externalThreshold = -1 },
        { $0.attributes[1].defaultValue = .value(.data(Data(count: 11))) },
      ]
      for change in wrong {
        try context.expectError(.invalidSchema) { try schema(change) }
      }
      let store = try context.open(try schema { _ in })
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, try schema { $0.attributes[1].externalThreshold = nil })
      }
      try context.expectEqual(error.failures.map(\.entity), ["Film"])
      try context.expectEqual(error.failures.map(\.attributes), [["reel"]])
    },
    ConformanceCase("attributes stored outside are added to old rows", "7.5", "1.9") { context in
      let old = try Schema(entities: [
        EntityDescription(
          name: "Film", attributes: [AttributeDescription("id", .int64)], key: ["id"])
      ])
      var store = try context.open(old)
      try store.write { _ = try $0.save([DynamicRow("Film", ["id": .int(1)])]) }
      var entity = EntityDescription(
        name: "Film",
        attributes: [
          AttributeDescription("id", .int64),
          AttributeDescription("reel", .data, isOptional: true, externalThreshold: 10),
          AttributeDescription(
            "trailer", .data, defaultValue: .value(.data(Data([1, 2]))), externalThreshold: 10),
        ], key: ["id"])
      store = try context.reopen(store, try Schema(entities: [entity]))
      let content = Picture.content(1, 300)
      try store.write {
        _ = try $0.save([
          DynamicRow("Film", ["id": .int(2), "reel": .data(content)]),
          DynamicRow("Film", ["id": .int(3), "trailer": .data(content)]),
        ])
      }
      // Another size above which data is stored outside leaves stored values as they are.
      entity.attributes[1].externalThreshold = 1000
      for _ in 0..<2 {
        let rows = try store.read { try $0.fetch(DynamicQuery("Film")) }
        try context.expectSame(rows.map { $0["reel"] }, [.null, .data(content), .null])
        try context.expectSame(
          rows.map { $0["trailer"] }, [.data(Data([1, 2])), .data(Data([1, 2])), .data(content)])
        try context.expectEqual(try store.externalCounts(), [300: 2])
        store = try context.reopen(store, try Schema(entities: [entity]))
      }
      try context.expectEqual(
        store.schema.entities.map(\.name).filter { $0 == "Film" }, ["Film"])
    },
    ConformanceCase("a value stored outside has the limit of every other", "1.5", "1.9") {
      context in
      var options = StoreOptions()
      options.maximumValueSize = 1000
      let store = try context.open(Picture.self, Album.self, options: options)
      try store.save(Picture(1, image: Picture.content(1, 1000)))
      try context.expectError(.tooLarge, entity: "Picture", attributes: ["image"]) {
        try store.save(Picture(2, image: Picture.content(1, 1001)))
      }
      try context.expectError(.tooLarge, entity: "Picture", attributes: ["image"]) {
        try store.update(Picture.all) { $0.image = Picture.content(1, 1001) }
      }
      try context.expectSound(store, [Picture(1, image: Picture.content(1, 1000))])
    },
    ConformanceCase("a snapshot keeps the data outside that it began with", "6.1", "1.9") {
      context in
      let store = try context.open(Picture.self, Album.self)
      let (a, b) = (Picture.content(1), Picture.content(2))
      try store.save([Picture(1, image: a), Picture(2, image: b)])
      try store.read { transaction in
        try elsewhere {
          try store.delete(Picture.self, id: 1)
          try store.save(Picture(2, image: a))
          try store.save(Picture(3))
        }
        try context.expectEqual(
          try transaction.fetch(Picture.all).map(\.image), [a, b], "the block's snapshot")
      }
      try store.save(Picture(4))
      try context.expectSound(store, [Picture(2, image: a), Picture(3), Picture(4)])
      try context.expectEqual(try store.sweepExternalData(), 0, "commits cleaned up")
    },
  ]
}

extension Store {
  /// Returns the number of values that are each content, by its length.
  func externalCounts() throws -> [Int: Int] {
    try read { transaction in
      let rows = try transaction.fetch(DynamicQuery("strata_external"))
      return Dictionary(
        rows.compactMap { row in
          guard case .int(let length) = row["length"], case .int(let count) = row["references"],
            count > 0
          else { return nil }
          return (Int(length), Int(count))
        }, uniquingKeysWith: +)
    }
  }
}

extension ConformanceContext {
  /// The store holds these pictures, and is sound.
  func expectSound(
    _ store: any Store, _ pictures: [Picture], _ subject: String = "", file: String = #fileID,
    line: Int = #line
  ) throws {
    try expectEqual(
      try store.fetch(Picture.all), pictures, subject, file: file, line: line)
    let report = try store.check(decoding: [Picture.self, Album.self])
    try expectEqual(report.faults, [], subject, file: file, line: line)
    try expectEqual(report.unusedContents, 0, subject, file: file, line: line)
    try expectEqual(report.overcountedContents, 0, subject, file: file, line: line)
  }
}
