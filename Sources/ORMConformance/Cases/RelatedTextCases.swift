internal import Foundation
internal import ORM
internal import ORMCore

/// An atlas whose title and cover are assigned to charts.
private struct Atlas: PrimaryKeyed, Codable {
  var id: Int64
  var title: String?
  var cover: Data?
  static let entity = Entity<Atlas>("Atlas") {
    .key("id", \.id)
      .attribute("title", \.title, .indexed(.caseInsensitive))
      .attribute("cover", \.cover)
  }
}

/// A chart, with attributes of each kind that takes a text.
private struct Chart: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var label: String?
  var folded: String?
  var normal: String?
  var cover: Data?
  var atlas: ToOne<Atlas> = ToOne()
  static let entity = Entity<Chart>("Chart") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("label", \.label)
      .attribute("folded", \.folded, .indexed(.caseInsensitive))
      .attribute("normal", \.normal, .normalized)
      .attribute("cover", \.cover)
      .relationship("atlas", \.atlas)
  }
}

extension ConformanceCase {
  /// Clause 2.6: texts and bytes of related rows as values of a change.
  static let relatedTexts: [ConformanceCase] = [
    ConformanceCase("texts of related rows are assigned to the last byte", "2.6", "2.8") {
      context in
      let store = try context.open(Atlas.self, Chart.self)
      let titles: [String?] = ["Plain", "Stra\u{DF}e", "a\0b\u{1}\u{3}", "e\u{301}", "", nil]
      try store.insert(
        titles.enumerated().map { number, title in
          Atlas(id: Int64(number + 1), title: title, cover: title.map { Data($0.utf8) })
        })
      // Charts 7 and 8 have no atlas.
      try store.insert(
        (1...8).map { Chart(id: $0, name: "v", atlas: $0 > 6 ? ToOne() : .key($0)) })
      let title = Operand.path(Operand.Path(["atlas", "title"]))
      let cover = Operand.path(Operand.Path(["atlas", "cover"]))
      func assign() throws -> Int {
        try store.write {
          try $0.update(
            DynamicQuery("Chart"),
            ["label": title, "folded": title, "normal": title, "cover": cover])
        }
      }
      func bytes(_ texts: [String?]) -> [[UInt8]?] { texts.map { $0.map { Array($0.utf8) } } }
      // Rows that stay as they are count as well.
      for _ in 0..<2 {
        try context.expectEqual(try assign(), 8)
        let charts = try store.fetch(Chart.all)
        let expected = bytes(titles + [nil, nil])
        try context.expectEqual(bytes(charts.map(\.label)), expected)
        try context.expectEqual(bytes(charts.map(\.folded)), expected)
        try context.expectEqual(charts.map { $0.cover.map { Array($0) } }, expected)
        try context.expectEqual(
          bytes(charts.map(\.normal)),
          bytes(["Plain", "Stra\u{DF}e", "a\0b\u{1}\u{3}", "\u{E9}", "", nil, nil, nil]))
      }
      let plain = Chart.all.where { $0.folded.equals("PLAIN", .caseInsensitive) }
      try context.expectEqual(try store.fetch(plain).map(\.id), [1])
      // Atlas 6 has no title.
      try context.expectError(.missingValue, entity: "Chart", attributes: ["name"]) {
        try store.write { _ = try $0.update(DynamicQuery("Chart"), ["name": title]) }
      }
      try context.expectEqual(
        try store.fetch(Chart.all).map(\.name), Array(repeating: "v", count: 8))
    },
    ConformanceCase("a text of a related row past the limit is refused", "1.5", "2.6") { context in
      var store = try context.open(Atlas.self, Chart.self)
      // 334 letters of three bytes each are 1,002 bytes.
      try store.insert([
        Atlas(id: 1, title: String(repeating: "a", count: 1_000)),
        Atlas(id: 2, title: String(repeating: "\u{20AC}", count: 334)),
      ])
      try store.insert([
        Chart(id: 1, name: "v", label: "one", atlas: .key(1)),
        Chart(id: 2, name: "v", label: "two", atlas: .key(2)),
      ])
      var options = StoreOptions()
      options.maximumValueSize = 1_000
      store = try context.reopen(store, Atlas.self, Chart.self, options: options)
      let title = Operand.path(Operand.Path(["atlas", "title"]))
      try context.expectError(.tooLarge, entity: "Chart", attributes: ["label"]) {
        try store.write { _ = try $0.update(DynamicQuery("Chart"), ["label": title]) }
      }
      try context.expectEqual(try store.fetch(Chart.all).map(\.label), ["one", "two"])
      let first = DynamicQuery("Chart", where: .compare(.attribute("id"), .equal, int(1), []))
      try context.expectEqual(try store.write { try $0.update(first, ["label": title]) }, 1)
      try context.expectEqual(
        try store.fetch(Chart.all).map { $0.label?.utf8.count }, [1_000, 3])
    },
  ]
}
