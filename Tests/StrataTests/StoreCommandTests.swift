#if Command
  import Foundation
  import Testing

  /// `strata schema`, `stats` and `copy`, and what is said of stores that cannot be opened.
  struct StoreCommandTests {
    @Test("The schema in every form", arguments: Kind.allCases)
    func schema(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,first name,größe,2x,a|b\n1,Ann,,1.5,x\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      #expect(
        try folder.run("schema", store) == """
          T
            id: int64 key
            first name: string
            größe: string?
            2x: double
            a|b: string

          """)
      #expect(
        try folder.run("schema", store, "--format", "mermaid") == """
          erDiagram
            T {
              int64 id PK
              string first_name "first name"
              string gr__e "größe"
              double _2x "2x"
              string a_b "a|b"
            }

          """)
      #expect(
        try folder.run("schema", store, "--format", "dot") == #"""
          digraph schema {
            node [shape=record];
            e0 [label="{T|id: int64 (key)\lfirst name: string\lgröße: string?\l2x: double\la\|b: string\l}"];
          }

          """#)
      let json = try JSONSerialization.jsonObject(
        with: Data(try folder.run("schema", store, "--format", "json").utf8))
      let entities = (json as? [String: Any])?["entities"] as? [[String: Any]]
      let columns = entities?.first?["columns"] as? [[String: Any]]
      #expect(
        columns?.map { $0["attribute"] as? String } == ["id", "first name", "größe", "2x", "a|b"])
      #expect(try folder.failure("schema", store, "--format", "xml").contains("xml"))
    }

    @Test(
      "Between all kinds a copy has the same digests and the same rows", arguments: Kind.allCases)
    func copies(kind: Kind) throws {
      let folder = CommandFolder()
      let first = kind.location("first")
      try folder.write("id,n,t\n-1,0.1,\n9,-0.0,\"é\n\"\n3,1e300,x\n", to: "a.csv")
      try folder.write("n,flag\n1,true\n1,true\n", to: "b.csv")
      _ = try folder.run("import", first, "A", "a.csv")
      _ = try folder.run("import", first, "B", "b.csv")
      let rows = try ["A", "B"].map { try folder.run("query", first, $0, "--format", "jsonl") }
      var digests: Set<String> = []
      for other in Kind.allCases {
        let second = other.location("second-\(kind.rawValue)")
        digests.insert(try folder.run("copy", first, second))
        #expect(
          try ["A", "B"].map { try folder.run("query", second, $0, "--format", "jsonl") } == rows)
        #expect(try folder.run("schema", second) == folder.run("schema", first))
      }
      #expect(digests.count == 1)
      let lines = digests.first?.split(separator: "\n") ?? []
      #expect(lines.count == 2)
      #expect(lines.first?.hasPrefix("A: 3 rows, digest ") == true)
      #expect(lines.last?.hasPrefix("B: 2 rows, digest ") == true)
    }

    @Test("A target with rows is refused and left as it was", arguments: Kind.allCases)
    func refusals(kind: Kind) throws {
      let folder = CommandFolder()
      let target = kind.location("target")
      try folder.write("id\n1\n2\n", to: "a.csv")
      try folder.write("id\n7\n", to: "b.csv")
      _ = try folder.run("import", "sqlite:source.sqlite", "A", "a.csv")
      _ = try folder.run("import", "sqlite:source.sqlite", "B", "a.csv")
      _ = try folder.run("import", target, "B", "b.csv")
      let errors = try folder.failure("copy", "sqlite:source.sqlite", target)
      #expect(errors.contains("notEmpty in B"), "\(errors)")
      #expect(try folder.run("schema", target) == "B\n  id: int64 key\n")
      #expect(try folder.run("query", target, "B", "--format", "csv") == "id\n7\n")
      #expect(try folder.failure("copy", target, target).contains("into itself"))
      #expect(!(try folder.failure("copy", kind.location("missing"), target)).isEmpty)
      #expect(!folder.exists("missing.\(kind.rawValue)"))
    }

    @Test("Rows and bytes are counted", arguments: Kind.allCases)
    func stats(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write("id\n1\n", to: "a.csv")
      _ = try folder.run("import", kind.location(), "A", "a.csv")
      let lines = try folder.run("stats", kind.location()).split(separator: "\n")
      #expect(lines.first == "A: 1 row, 0 indexes")
      let bytes = lines.last?.split(separator: " ")
      #expect(bytes?.first == "file:" && bytes?.last == "bytes")
      #expect(bytes.flatMap { Int($0[1]) } ?? 0 > 0)
    }

    @Test("Reports as JSON, and the version", arguments: Kind.allCases)
    func reportsAsJSON(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,5\n2,6\n", to: "a.csv")
      _ = try folder.run("import", store, "A", "a.csv")
      func report(_ operation: String, _ rest: String...) throws -> [String: Any] {
        let run = try CommandRun([operation, store] + rest + ["--format", "json"], in: folder)
        #expect(run.status == 0 && run.errors == "")
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        return try #require(json as? [String: Any])
      }
      let stats = try report("stats")
      let entities = try #require(stats["entities"] as? [[String: Any]])
      #expect(entities.map { $0["entity"] as? String } == ["A"])
      #expect(entities.map { $0["rows"] as? Int } == [2])
      #expect(entities.map { $0["indexes"] as? Int } == [0])
      #expect(stats["fileBytes"] as? Int ?? 0 > 0)
      let check = try report("check")
      #expect(check["faultCount"] as? Int == 0)
      #expect((check["rows"] as? [[String: Any]])?.first?["count"] as? Int == 2)
      let byKey = try report("explain", "A", "--where", "id = 1")
      #expect(byKey["access"] as? String == "keyLookup")
      let byScan = try report("explain", "A", "--where", "n = 5")
      #expect(byScan["access"] as? String == "scan")
      #expect(try folder.run("--version").first?.isNumber == true)
      #expect(try folder.failure("stats", store, "--format", "csv").contains("csv"))
    }

    @Test("A store that is none is refused with one line", arguments: Kind.allCases)
    func noStores(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write(String(repeating: "not a store ", count: 1000), to: "t.txt")
      for name in ["\(kind.rawValue):t.txt", "\(kind.rawValue):no/such/file"] {
        for operation in ["schema", "stats"] {
          let errors = try folder.failure(operation, name)
          #expect(errors.hasPrefix("Error: "))
          #expect(errors.split(separator: "\n").count == 1, "\(errors)")
        }
      }
      #expect(try folder.failure("schema", "oracle:x").contains("invalidLocation"))
      #expect(try folder.failure("schema", "sqlite:").contains("lacks the path"))
      #expect(!(try folder.failure("drop", "sqlite:x")).isEmpty)
      #expect(!(try folder.failure("query", "memory:", "T")).isEmpty)
    }
  }
#endif
