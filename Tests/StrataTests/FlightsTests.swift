#if Command
  import Foundation
  import Testing

  /// The OpenFlights files in every kind of store, against what Python's csv counts in them.
  struct FlightsTests {
    /// The data lies beside the package, whose root is the working folder of tests.
    private static let folder = URL(fileURLWithPath: "../shared/data/openflights").path
    private static let isThere = FileManager.default.fileExists(atPath: folder + "/routes.csv")

    /// Entity, condition, and the same condition in Python on a row `r` of texts.
    private static let questions: [(String, String, String)] = [
      ("airports", "latitude > -1 AND latitude < 1", "-1 < float(r['latitude']) < 1"),
      ("airports", "country = 'Iceland'", "r['country'] == 'Iceland'"),
      ("airports", "iata = nil", "r['iata'] == ''"),
      ("airports", "name CONTAINS 'Inter'", "'Inter' in r['name']"),
      (
        "airports", "altitude_ft >= 5000 OR altitude_ft < 0",
        "not 0 <= int(r['altitude_ft']) < 5000"
      ),
      ("airports", "id IN {1, 2, 3, 99999999}", "r['id'] in ('1', '2', '3', '99999999')"),
      ("airlines", "name BEGINSWITH[c] 'air '", "r['name'].casefold().startswith('air ')"),
      (
        "airlines", "active = 'Y' AND country = 'United States'",
        "r['active'] == 'Y' and r['country'] == 'United States'"
      ),
      ("routes", "stops > 0", "int(r['stops']) > 0"),
      (
        "routes", "source = 'KEF' OR destination = 'KEF'",
        "'KEF' in (r['source'], r['destination'])"
      ),
      ("routes", "destination_id = nil", "r['destination_id'] == ''"),
      ("routes", "NOT equipment CONTAINS '7'", "'7' not in r['equipment']"),
      ("planes", "iata BEGINSWITH '74'", "r['iata'].startswith('74')"),
      ("countries", "name ENDSWITH 'land'", "r['name'].endswith('land')"),
    ]

    @Test(
      "Counts and answers are those of an independent program",
      .enabled(if: isThere, "../shared/data/openflights is not here"), arguments: Kind.allCases)
    func flights(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      let names = ["airports", "airlines", "routes", "countries", "planes"]
      // All in one list, since each run of Python reads its files again.
      let tests = Self.questions.map { "sum(1 for r in rows('\($0.0)') if \($0.2))" }
      let expected = try Self.python(
        "*(" + (names.map { "len(rows('\($0)'))" } + tests).joined(separator: ", ") + ",)"
      ).split(separator: " ").map(String.init)
      try #require(expected.count == names.count + tests.count)
      for (name, count) in zip(names, expected) {
        #expect(
          try folder.run("import", store, name, "\(Self.folder)/\(name).csv")
            == "\(name): \(count) inserted, 0 updated, 0 unchanged\n")
      }
      for ((entity, condition, _), count) in zip(Self.questions, expected.dropFirst(names.count)) {
        let found = try folder.run(
          "query", store, entity, "--where", condition, "--format", "jsonl")
        #expect("\(found.utf8.count { $0 == 10 })" == count, "\(entity) \(condition)")
      }
      try folder.write(
        try folder.run("query", store, "airports", "--format", "csv"), to: "airports.csv")
      let total = "sum(int(r['altitude_ft']) for r in rows('airports'))"
      #expect(try Self.python(total, in: folder.path) == Self.python(total))
      let names2 =
        "'|'.join(r['name'] for r in sorted(rows('airports'), key=lambda r: int(r['id'])))"
      #expect(try Self.python(names2, in: folder.path) == Self.python(names2))
    }

    /// The value of an expression in Python.
    private static func python(_ expression: String, in data: String = folder) throws -> String {
      let program = """
        import csv, functools
        @functools.cache
        def rows(n): return list(csv.DictReader(open('\(data)/' + n + '.csv', encoding='utf-8', newline='')))
        print(\(expression))
        """
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", program]
      process.standardOutput = output
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
  }
#endif
