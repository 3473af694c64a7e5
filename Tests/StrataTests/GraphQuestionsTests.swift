#if Command
  import Foundation
  import TestSupport
  import Testing

  /// Questions in predicate formats about the OpenFlights data as a graph, asked by the command of a
  /// store of every kind, against what Python works out of the files.
  struct GraphQuestionsTests {
    private static let folder = URL(fileURLWithPath: "../shared/data/openflights").path
    private static let isThere = FileManager.default.fileExists(atPath: folder + "/routes.csv")

    /// Entity, format, and how many rows match, in Python.
    private static let questions: [(String, String, String)] = [
      (
        "Route", "stops > 0 AND ANY equipment == '73W'",
        "sum(int(r['stops']) > 0 and '73W' in r['equipment'].split() for r in routes)"
      ),
      (
        "Route", "source.country == 'Iceland'",
        "sum(country(airport(r, 'source')) == 'Iceland' for r in routes)"
      ),
      ("Airport", "departures.@count > 100", "sum(len(leaving[a]) > 100 for a in airports)"),
      (
        "Airline", "country == 'Iceland' AND routes.@count > 0",
        "sum(a['country'] == 'Iceland' and len(flown[k]) > 0 for k, a in airlines.items())"
      ),
      (
        "Airline", "routes.@count > 0 AND ALL routes.isCodeshare == YES",
        "sum(len(flown[k]) > 0 and all(r['codeshare'] == 'Y' for r in flown[k]) for k in airlines)"
      ),
      (
        "Airport", "SUBQUERY(departures, $r, $r.destination.country == country).@count > 0",
        """
        sum(any(country(airport(r, 'destination')) == a['country'] for r in leaving[k]) \
        for k, a in airports.items())
        """
      ),
      ("Route", "destination == nil", "sum(airport(r, 'destination') is None for r in routes)"),
      (
        "Airport", "iata MATCHES '[KL].[FX]'",
        "sum(re.fullmatch('[KL].[FX]', a['iata']) is not None for a in airports.values())"
      ),
      (
        "Airport", "altitude BETWEEN {10000, 12000} OR latitude < -70",
        """
        sum(10000 <= int(a['altitude_ft']) <= 12000 or float(a['latitude']) < -70 \
        for a in airports.values())
        """
      ),
      (
        "Route", "equipment[SIZE] >= 3 AND airline.name BEGINSWITH[c] 'air '",
        """
        sum(len(r['equipment'].split()) >= 3 and r['airline_id'] in airlines \
        and airlines[r['airline_id']]['name'].casefold().startswith('air ') for r in routes)
        """
      ),
      (
        "Airport", "departures.@max.stops == 1 AND NOT city == nil",
        """
        sum(max((int(r['stops']) for r in leaving[k]), default=0) == 1 and a['city'] != '' \
        for k, a in airports.items())
        """
      ),
    ]

    @Test(
      "2.7: questions about the graph are answered as by an independent program",
      .enabled(if: isThere, "../shared/data/openflights is not here"))
    func graph() throws {
      let folder = CommandFolder()
      let made = try Self.output(
        HelperProcess.product("Demo"), [Self.folder, "--keep", folder.path + "/kept"])
      let stores = made.split(separator: "\n").map(String.init)
      try #require(stores.count == 3)
      let expected = try Self.python(Self.questions.map(\.2)).split(separator: " ").map(String.init)
      try #require(expected.count == Self.questions.count)
      for store in stores {
        for ((entity, format, _), count) in zip(Self.questions, expected) {
          let found = try folder.run("query", store, entity, "--where", format, "--format", "jsonl")
          #expect("\(found.utf8.count { $0 == 10 })" == count, "\(store) \(entity) \(format)")
        }
      }
    }

    private static func python(_ expressions: [String]) throws -> String {
      let program = """
        import collections, csv, re
        def rows(n): return list(csv.DictReader(open('\(folder)/' + n + '.csv', encoding='utf-8', newline='')))
        routes = rows('routes')
        airports = {a['id']: a for a in rows('airports')}
        airlines = {a['id']: a for a in rows('airlines')}
        def airport(r, end): return airports.get(r[end + '_id'])
        def country(a): return a and a['country']
        leaving, flown = collections.defaultdict(list), collections.defaultdict(list)
        for r in routes:
          leaving[r['source_id']].append(r)
          flown[r['airline_id']].append(r)
        print(\(expressions.joined(separator: ", ")))
        """
      return try output(URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", program])
    }

    private static func output(_ program: URL, _ arguments: [String]) throws -> String {
      let process = Process()
      let output = Pipe()
      process.executableURL = program
      process.arguments = arguments
      process.standardOutput = output
      try process.run()
      let text = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }
#endif
