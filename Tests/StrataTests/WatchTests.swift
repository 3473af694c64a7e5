#if Command
  import Foundation
  import ORM
  import SQLiteBackend
  import Testing

  /// `strata watch`.
  @Suite struct WatchTests {
    struct Tea: PrimaryKeyed, Codable {
      var id: Int64
      var name: String

      static let entity = Entity<Tea>("Tea") {
        .key("id", \.id)
          .attribute("name", \.name)
      }
    }

    @Test("The history from a token on comes as JSON Lines")
    func history() throws {
      let folder = CommandFolder()
      var options = StoreOptions()
      options.history = .retained(level: .values)
      options.author = "test"
      let store = try SQLiteStore(
        path: "\(folder.path)/store.sqlite", schema: Schema(Tea.self), options: options)
      let token = try store.historyToken
      try store.insert(Tea(id: 1, name: "a \"b\""))
      try store.patch(Tea.self, 1) { $0.name = "c" }
      try store.deleteAll(Tea.self)
      try store.close()
      let output = try folder.run(
        "watch", "sqlite:store.sqlite", "Tea", "--after", token.description, "--limit", "3")
      let lines = try output.split(separator: "\n").map {
        try #require(
          try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      try #require(lines.count == 3)
      #expect(lines.map { $0["number"] as? Int } == [1, 2, 3])
      #expect(lines.map { $0["author"] as? String } == ["test", "test", "test"])
      let changes = lines.map { ($0["changes"] as? [[String: Any]])?.first }
      #expect(changes[0]?["kind"] as? String == "inserted")
      #expect(changes[0]?["key"] as? [Int] == [1])
      #expect((changes[0]?["new"] as? [String: Any])?["name"] as? String == "a \"b\"")
      #expect(changes[1]?["attributes"] as? [String] == ["name"])
      #expect((changes[1]?["old"] as? [String: Any])?["name"] as? String == "a \"b\"")
      #expect(lines[2]["everything"] as? [String] == ["Tea"])
      let next = try #require(lines[0]["token"] as? String)
      let rest = try folder.run(
        "watch", "sqlite:store.sqlite", "--after", next, "--level", "keys", "--limit", "1")
      #expect(rest.contains("\"kind\":\"updated\"") && !rest.contains("\"old\""))
      let cut = String(token.description.dropLast())
      #expect(
        try folder.failure("watch", "sqlite:store.sqlite", "--after", cut).contains("invalidToken"))
      #expect(
        try folder.failure("watch", "sqlite:store.sqlite", "Coffee").contains("unknownEntity"))
    }
  }
#endif
