#if Command
  import Foundation
  import ORM
  import PostgresBackend
  import TestSupport
  import Testing

  /// The command on a location of a server.
  @Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
  struct PostgresCommandTests {
    private let namespace = PostgresNamespace()
    private let folder = TestFolder()

    /// The output of a run of the command, its errors if it fails, and the text of standard error.
    private func strata(_ arguments: String...) throws -> (
      output: String, errors: String, log: String
    ) {
      try launch(arguments)
    }

    private func launch(_ arguments: [String]) throws -> (
      output: String, errors: String, log: String
    ) {
      let process = Process()
      process.executableURL = HelperProcess.product("strata")
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      let (output, errors) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      let failure = String(
        decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      return (text, process.terminationStatus == 0 ? "" : failure, failure)
    }

    @Test("Every subcommand takes the location of a server")
    func subcommands() throws {
      let location = try namespace.location()
      let rows = "id,name,price\n1,Chips,3.5\n2,Äpfel,1.25\n3,Nuts,4\n"
      try folder.write(Data(rows.utf8), "snacks.csv")
      func run(_ command: String, _ more: String...) throws -> String {
        var arguments = [command] + more
        arguments.insert(location, at: 1)
        let (output, errors, _) = try launch(arguments)
        #expect(errors == "", "\(command)")
        return output
      }
      #expect(
        try run("import", "Snack", "snacks.csv") == "Snack: 3 inserted, 0 updated, 0 unchanged\n")
      #expect(
        try run("import", "Snack", "snacks.csv") == "Snack: 0 inserted, 0 updated, 3 unchanged\n")
      #expect(
        try run("query", "Snack", "--where", "price > 2", "--format", "json").contains("Nuts"))
      #expect(try run("schema").contains("Snack"))
      #expect(try run("stats") == "Snack: 3 rows, 0 indexes\n")
      #expect(try run("explain", "Snack", "--where", "price > 2").contains("Snack"))
      _ = try run("check")
      #expect(try run("bench", "--rows", "50", "--repetitions", "1").contains("insert"))
      // Other tests run it at the same time.
      let namespaces = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'strata-bench%'"
      var left = Set(try PostgresServer.psql(namespaces))
      for _ in 0..<600 where !left.isEmpty {
        Thread.sleep(forTimeInterval: 0.1)
        left.formIntersection(try PostgresServer.psql(namespaces))
      }
      #expect(left == [])
      // Copies both ways have one digest.
      let there = try strata("copy", location, "sqlite:copy.sqlite")
      #expect(there.errors == "")
      let other = PostgresNamespace()
      let back = try strata("copy", "sqlite:copy.sqlite", try other.location())
      #expect(back.errors == "" && back.output == there.output)
      #expect(
        try strata("copy", "sqlite:copy.sqlite", try other.location()).errors.contains("notEmpty"))
      #expect(try strata("copy", location, location).errors.contains("invalidLocation"))
      #expect(try strata("copy", try other.location(), "lmdb:copy.lmdb").output == there.output)
      #expect(
        try strata("restore", location, "--from", "copy.sqlite").errors.contains("invalidLocation"))
      let refused = try strata("stats", "postgres:app:secret@127.0.0.1:1/x?sslmode=disable").errors
      #expect(refused.contains("cannotOpen"))
      #expect(!refused.contains("secret"))
    }

    @Test("13.6: the log of a command has statements, and no value of a row; trips are counted")
    func log() throws {
      let location = try namespace.location()
      try folder.write(Data("id,name\n1,Chips\n2,Nuts\n".utf8), "snacks.csv")
      #expect(try strata("import", location, "Snack", "snacks.csv", "--log", "info").errors == "")
      let (output, errors, log) = try strata(
        "query", location, "Snack", "--where", "name == 'Chips'", "--format", "csv", "--log",
        "trace")
      #expect(errors == "")
      #expect(output == "id,name\n1,Chips\n")
      let lines = log.split(separator: "\n")
      #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("strata: ") }, "\(log)")
      #expect(lines.first?.contains(": fetch Snack where name == $0") == true, "\(log)")
      #expect(lines.first?.contains("SELECT") == true && lines.first?.contains("$1") == true)
      #expect(!log.contains("Chips"))
      let bench = try strata(
        "bench", location, "--rows", "50", "--repetitions", "1", "--requests", "--format", "json")
      let steps = try JSONSerialization.jsonObject(with: Data(bench.output.utf8))
      let counts = (steps as? [[String: Any]] ?? []).compactMap { $0["counts"] as? [String: Any] }
      #expect(counts.count == 10)
      // Each request is at least one trip; 20 durable saves at least 20.
      for step in counts {
        #expect(step["trips"] as? Int ?? 0 >= step["requests"] as? Int ?? .max, "\(step)")
      }
    }

    @Test("10.1, 10.3: a plan runs on a server, and a dry run changes nothing there")
    func migrate() throws {
      let location = try namespace.location()
      let plan = """
        {"versions":[
          {"number":1,"steps":[
            {"renameEntity":{"name":"T","to":"Snack"}},
            {"renameAttribute":{"name":"flavour","to":"taste","entity":"Snack"}},
            {"set":{"name":"n","entity":"Snack","value":"n * 100","condition":"n != nil",
              "mapping":{"form":{"exact":{}}}}}]},
          {"number":2,"steps":[
            {"dropEntity":{"name":"Draft"}},
            {"changeType":{"name":"n","type":{"double":{}},"entity":"Snack",
              "mapping":{"form":{"exact":{}}},"failure":{"throw":{}}}}]}]}
        """
      let report = """
        version: none → 2
        version 1:
          rename T to Snack
          rename Snack.flavour to taste
          set Snack.n to n * 100 (3 rows)
        version 2:
          drop Draft (1 row)
          make Snack.n double (3 rows)

        """
      try folder.write(Data(plan.utf8), "plan.json")
      try folder.write(Data("id,flavour,n\n1,a,1\n2,,2\n3,c,\n".utf8), "a.csv")
      try folder.write(Data("id\n7\n".utf8), "b.csv")
      func run(_ arguments: String...) throws -> String {
        let (output, errors, _) = try launch(arguments)
        #expect(errors == "", "\(arguments)")
        return output
      }
      _ = try run("import", location, "T", "a.csv")
      _ = try run("import", location, "Draft", "b.csv")
      #expect(try run("migrate", location, "--plan", "plan.json", "--dry-run") == report)
      #expect(try run("migrate", "status", location) == "version: none\n")
      #expect(
        try PostgresServer.psql("SELECT flavour, n FROM \(namespace.name).\"T\" ORDER BY id")
          == ["a|1", "|2", "c|"])
      #expect(try run("migrate", location, "--plan", "plan.json") == report)
      #expect(
        try run("query", location, "Snack", "--format", "csv")
          == "id,taste,n\n1,a,100.0\n2,,200.0\n3,c,\n")
      #expect(
        try PostgresServer.psql("SELECT taste, n FROM \(namespace.name).\"Snack\" ORDER BY id")
          == ["a|100", "|200", "c|"])
      #expect(try run("migrate", "status", location).hasPrefix("version: 2\nversion 1:"))
      #expect(try run("migrate", location, "--plan", "plan.json") == "version: 2, no steps\n")
      #expect(try run("check", location).contains("Snack"))
    }

    @Test("11.7: watch prints the history of a server, and commits of other programs as they come")
    func watch() throws {
      let location = try namespace.location()
      var options = StoreOptions()
      options.history = .retained(level: .values)
      options.author = "test"
      let store = try PostgresStore(location, schema: Schema(Word.self), options: options)
      let token = try store.historyToken
      try store.insert(Word(id: 1, text: "a", weight: 1))
      try store.patch(Word.self, 1) { $0.text = "b" }
      func lines(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
          try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
      }
      let (output, errors, _) = try strata(
        "watch", location, "Word", "--after", token.description, "--limit", "2")
      #expect(errors == "")
      let kept = try lines(output)
      #expect(kept.map { $0["author"] as? String } == ["test", "test"])
      let changes = kept.map { ($0["changes"] as? [[String: Any]])?.first }
      #expect(changes.map { $0?["kind"] as? String } == ["inserted", "updated"])
      #expect((changes[1]?["new"] as? [String: Any])?["text"] as? String == "b")
      // It waits for a commit that comes after it has begun.
      let last = try store.historyToken.description
      let process = Process()
      process.executableURL = HelperProcess.product("strata")
      process.arguments = ["watch", location, "--after", last, "--limit", "1"]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      Thread.sleep(forTimeInterval: 0.5)
      try store.deleteAll(Word.self)
      let rest = try lines(
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(rest.map { $0["everything"] as? [String] } == [["Word"]])
      try store.close()
    }
  }
#endif
