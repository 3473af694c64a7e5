internal import Foundation
internal import ORM
internal import ORMCore

/// A shelf whose title and cover are assigned to volumes.
private struct Shelf: PrimaryKeyed, Codable {
  var id: Int64
  var title: String?
  var cover: Data?
  static let entity = Entity<Shelf>("Shelf") {
    .key("id", \.id)
      .attribute("title", \.title, .indexed(.caseInsensitive))
      .attribute("cover", \.cover)
  }
}

/// A volume, with attributes of each kind that takes a text.
private struct Volume: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var label: String?
  var folded: String?
  var normal: String?
  var cover: Data?
  var shelf: ToOne<Shelf> = ToOne()
  static let entity = Entity<Volume>("Volume") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("label", \.label)
      .attribute("folded", \.folded, .indexed(.caseInsensitive))
      .attribute("normal", \.normal, .normalized)
      .attribute("cover", \.cover)
      .relationship("shelf", \.shelf)
  }
}

extension ConformanceCase {
  /// Clause 2.6: texts and bytes of related rows as values of a change.
  static let relatedTexts: [ConformanceCase] = [
    ConformanceCase("texts of related rows are assigned to the last byte", "2.6", "2.8") {
      context in
      let store = try context.open(Shelf.self, Volume.self)
      let titles: [String?] = ["Plain", "Stra\u{DF}e", "a\0b\u{1}\u{3}", "e\u{301}", "", nil]
      try store.insert(
        titles.enumerated().map { number, title in
          Shelf(id: Int64(number + 1), title: title, cover: title.map { Data($0.utf8) })
        })
      // Volumes 7 and 8 have no shelf.
      try store.insert(
        (1...8).map { Volume(id: $0, name: "v", shelf: $0 > 6 ? ToOne() : .key($0)) })
      let title = Operand.path(Operand.Path(["shelf", "title"]))
      let cover = Operand.path(Operand.Path(["shelf", "cover"]))
      func assign() throws -> Int {
        try store.write {
          try $0.update(
            DynamicQuery("Volume"),
            ["label": title, "folded": title, "normal": title, "cover": cover])
        }
      }
      func bytes(_ texts: [String?]) -> [[UInt8]?] { texts.map { $0.map { Array($0.utf8) } } }
      // Rows that stay as they are count as well.
      for _ in 0..<2 {
        try context.expectEqual(try assign(), 8)
        let volumes = try store.fetch(Volume.all)
        let expected = bytes(titles + [nil, nil])
        try context.expectEqual(bytes(volumes.map(\.label)), expected)
        try context.expectEqual(bytes(volumes.map(\.folded)), expected)
        try context.expectEqual(volumes.map { $0.cover.map { Array($0) } }, expected)
        try context.expectEqual(
          bytes(volumes.map(\.normal)),
          bytes(["Plain", "Stra\u{DF}e", "a\0b\u{1}\u{3}", "\u{E9}", "", nil, nil, nil]))
      }
      let plain = Volume.all.where { $0.folded.equals("PLAIN", .caseInsensitive) }
      try context.expectEqual(try store.fetch(plain).map(\.id), [1])
      // Shelf 6 has no title.
      try context.expectError(.missingValue, entity: "Volume", attributes: ["name"]) {
        try store.write { _ = try $0.update(DynamicQuery("Volume"), ["name": title]) }
      }
      try context.expectEqual(
        try store.fetch(Volume.all).map(\.name), Array(repeating: "v", count: 8))
    },
    ConformanceCase("a text of a related row past the limit is refused", "1.5", "2.6") { context in
      var store = try context.open(Shelf.self, Volume.self)
      // 334 letters of three bytes each are 1,002 bytes.
      try store.insert([
        Shelf(id: 1, title: String(repeating: "a", count: 1_000)),
        Shelf(id: 2, title: String(repeating: "\u{20AC}", count: 334)),
      ])
      try store.insert([
        Volume(id: 1, name: "v", label: "one", shelf: .key(1)),
        Volume(id: 2, name: "v", label: "two", shelf: .key(2)),
      ])
      var options = StoreOptions()
      options.maximumValueSize = 1_000
      store = try context.reopen(store, Shelf.self, Volume.self, options: options)
      let title = Operand.path(Operand.Path(["shelf", "title"]))
      try context.expectError(.tooLarge, entity: "Volume", attributes: ["label"]) {
        try store.write { _ = try $0.update(DynamicQuery("Volume"), ["label": title]) }
      }
      try context.expectEqual(try store.fetch(Volume.all).map(\.label), ["one", "two"])
      let first = DynamicQuery("Volume", where: .compare(.attribute("id"), .equal, int(1), []))
      try context.expectEqual(try store.write { try $0.update(first, ["label": title]) }, 1)
      try context.expectEqual(
        try store.fetch(Volume.all).map { $0.label?.utf8.count }, [1_000, 3])
    },
  ]
}
