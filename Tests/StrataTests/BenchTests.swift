#if Command
  import Foundation
  import Testing

  /// `strata bench`.
  struct BenchTests {
    private static let steps = [
      "insert, one transaction", "one durable save", "find by key, one transaction",
      "scan to an array", "filter by index", "top 20 by index", "count by index", "count by scan",
      "update by filter", "delete by filter",
    ]

    @Test(
      "Every step is measured on every kind of store, and nothing is left", arguments: Kind.allCases
    )
    func runs(kind: Kind) throws {
      let folder = CommandFolder()
      let output = try folder.run("bench", kind.location(), "--rows", "300", "--repetitions", "1")
      let lines = output.split(separator: "\n").map(String.init)
      #expect(lines.count == 1 + Self.steps.count)
      #expect(lines[0].hasSuffix("wall"))
      for (line, step) in zip(lines.dropFirst(), Self.steps) {
        #expect(line.hasPrefix(step + " "))
        #expect(line.hasSuffix("s"))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("A store in memory needs no path; the record names steps, units and both clocks")
    func json() throws {
      let folder = CommandFolder()
      let output = try folder.run(
        "bench", "memory:", "--rows", "200", "--repetitions", "2", "--format", "json")
      let results = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]]
      #expect(results?.map { $0["name"] as? String } == Self.steps)
      // Of 200 rows with scores 0 to 99 in turn, 20 have scores below 10.
      #expect(
        results?.map { $0["units"] as? Int } == [200, 21, 200, 200, 20, 100, 20, 200, 20, 20])
      for result in results ?? [] {
        #expect(result["cpu"] is NSNumber)
        #expect(result["wall"] is NSNumber)
      }
    }

    @Test("The requests of each step are counted on a store of their own", arguments: Kind.allCases)
    func requests(kind: Kind) throws {
      let folder = CommandFolder()
      let output = try folder.run(
        "bench", kind.location(), "--rows", "200", "--repetitions", "1", "--requests", "--format",
        "json")
      let results = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]]
      let counts = results?.compactMap { $0["counts"] as? [String: Any] } ?? []
      // One batch; 20 saves and a delete; a find for each of 200 keys; a request each; 100 queries.
      #expect(
        counts.map { $0["requests"] as? Int } == [1, 21, 200, 1, 1, 100, 1, 1, 1, 1])
      // No server, so no trips.
      #expect(counts.allSatisfy { $0["trips"] == nil })
      let table = try folder.run(
        "bench", kind.location(), "--rows", "20", "--repetitions", "1", "--requests")
      #expect(table.split(separator: "\n").first?.hasSuffix("requests  rows read  trips") == true)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("A store that is there is left alone", arguments: Kind.allCases)
    func leavesStores(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,2\n", to: "a.csv")
      _ = try folder.run("import", store, "BenchRow", "a.csv")
      _ = try folder.run("bench", store, "--rows", "50", "--repetitions", "1")
      #expect(
        try folder.run("query", store, "BenchRow", "--format", "jsonl") == "{\"id\":1,\"n\":2}\n")
    }

    @Test("Numbers out of range are refused")
    func refusals() throws {
      let folder = CommandFolder()
      #expect(try folder.failure("bench", "memory:", "--rows", "0").contains("rows"))
      #expect(try folder.failure("bench", "memory:", "--repetitions", "0").contains("repetitions"))
      #expect(try folder.failure("bench", "nothing:x").contains("nothing"))
    }
  }
#endif
