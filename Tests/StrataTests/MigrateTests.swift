#if Command
  import Foundation
  import LMDBBackend
  import ORM
  import ORMMigrations
  import SQLiteBackend
  import Testing

  /// `strata migrate`: plans as JSON on stores without their program.
  struct MigrateTests {
    private static let plan = """
      {"versions":[
        {"number":1,"steps":[
          {"renameEntity":{"name":"T","to":"Snack"}},
          {"renameAttribute":{"name":"flavour","to":"taste","entity":"Snack"}},
          {"set":{"name":"n","entity":"Snack","value":"n * 100","condition":"n != nil",
            "mapping":{"form":{"exact":{}}}}}]},
        {"number":2,"steps":[
          {"dropEntity":{"name":"Draft"}},
          {"changeType":{"name":"n","type":{"double":{}},"entity":"Snack","mapping":{"form":{"exact":{}}},
            "failure":{"throw":{}}}}]}]}
      """

    private static let report = """
      version: none → 2
      version 1:
        rename T to Snack
        rename Snack.flavour to taste
        set Snack.n to n * 100 (3 rows)
      version 2:
        drop Draft (1 row)
        make Snack.n double (3 rows)

      """

    private func folder(_ kind: Kind) throws -> CommandFolder {
      let folder = CommandFolder()
      try folder.write("id,flavour,n\n1,a,1\n2,,2\n3,c,\n", to: "a.csv")
      try folder.write("id\n7\n", to: "b.csv")
      _ = try folder.run("import", kind.location(), "T", "a.csv")
      _ = try folder.run("import", kind.location(), "Draft", "b.csv")
      try folder.write(Self.plan, to: "plan.json")
      return folder
    }

    /// The bytes of the store's file, and of the log beside it unless that is empty.
    private func bytes(_ folder: CommandFolder, _ kind: Kind) throws -> [Data] {
      let path = "\(folder.path)/store.\(kind.rawValue)"
      let files = [path, path + "-wal"].filter(FileManager.default.fileExists)
      return try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }.filter { !$0.isEmpty }
    }

    @Test("10.3: a dry run says what would happen, and changes no byte", arguments: Kind.allCases)
    func dryRun(kind: Kind) throws {
      let folder = try folder(kind)
      let before = try bytes(folder, kind)
      #expect(
        try folder.run("migrate", kind.location(), "--plan", "plan.json", "--dry-run")
          == Self.report)
      #expect(try bytes(folder, kind) == before)
      #expect(try folder.run("migrate", "status", kind.location()) == "version: none\n")
    }

    @Test("10.1, 10.4: a plan runs once, version by version", arguments: Kind.allCases)
    func run(kind: Kind) throws {
      let folder = try folder(kind)
      #expect(try folder.run("migrate", kind.location(), "--plan", "plan.json") == Self.report)
      #expect(
        try folder.run("schema", kind.location())
          == "Snack\n  id: int64 key\n  taste: string?\n  n: double?\n")
      #expect(
        try folder.run("query", kind.location(), "Snack", "--format", "csv")
          == "id,taste,n\n1,a,100.0\n2,,200.0\n3,c,\n")
      let status = try folder.run("migrate", "status", kind.location()).split(separator: "\n")
      #expect(status.first == "version: 2")
      #expect(status.dropFirst().map { $0.prefix(10) } == ["version 1:", "version 2:"])
      #expect(
        try folder.run("migrate", kind.location(), "--plan", "plan.json")
          == "version: 2, no steps\n")
      #expect(
        try folder.run("query", kind.location(), "Snack", "--where", "n = 100.0").contains("a"))
      #expect(try folder.run("check", kind.location()).contains("Snack"))
    }

    @Test("10.3: a plan leads to the schema of a file, additions made", arguments: Kind.allCases)
    func target(kind: Kind) throws {
      let folder = try folder(kind)
      try folder.write("id,taste,n,more\n1,a,0.5,\n2,,,\n", to: "c.csv")
      _ = try folder.run("import", "memory:c.memory", "Snack", "c.csv")
      try folder.write(try folder.run("schema", "freeze", "memory:c.memory"), to: "c.json")
      #expect(
        try folder.run("migrate", kind.location(), "--plan", "plan.json", "--to", "c.json")
          == Self.report)
      #expect(
        try folder.run("schema", kind.location())
          == "Snack\n  id: int64 key\n  taste: string?\n  n: double?\n  more: string?\n")
      #expect(
        try folder.run("schema", "diff", kind.location(), "c.json").contains("version: 2 → none"))
    }

    @Test("10.11: versions are undone, or nothing leads back", arguments: Kind.allCases)
    func undo(kind: Kind) throws {
      let folder = try folder(kind)
      let before = try folder.run("query", kind.location(), "T", "--format", "csv")
      let plan = #"""
        {"versions":[
          {"number":1,"steps":[{"renameAttribute":{"name":"flavour","to":"taste","entity":"T"}}]},
          {"number":2,"steps":[
            {"set":{"name":"n","entity":"T","value":"n * 100","mapping":{"form":{"exact":{}}}},
              "undo":[{"set":{"name":"n","entity":"T","value":"n / 100",
                "mapping":{"form":{"exact":{}}}}}]}]},
          {"number":3,"steps":[{"dropEntity":{"name":"Draft"}}]}]}
        """#
      try folder.write(plan, to: "undo.json")
      func run(_ rest: String...) throws -> String {
        let run = try CommandRun(
          ["migrate", kind.location(), "--plan", "undo.json"] + rest, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.output
      }
      _ = try run()
      let failed = try CommandRun(
        ["migrate", kind.location(), "--plan", "undo.json", "--down-to", "1"], in: folder)
      #expect(failed.status != 0 && failed.errors.contains("irreversible"))
      #expect(failed.errors.contains("version 3, step 1 (drop Draft)"))
      try folder.write(
        plan.replacing(#"{"name":"Draft"}}"#, with: #"{"name":"Draft"},"undo":[]}"#),
        to: "undo.json")
      let report = """
        version: 3 → 1
        version 2:
        version 1:
          set T.n to n / 100 (3 rows)

        """
      #expect(try run("--down-to", "1", "--dry-run") == report)
      #expect(try folder.run("migrate", "status", kind.location()).hasPrefix("version: 3\n"))
      #expect(try run("--down-to", "1") == report)
      #expect(try folder.run("migrate", "status", kind.location()).hasPrefix("version: 1\n"))
      let none = try CommandRun(
        ["migrate", kind.location(), "--plan", "undo.json", "--down-to", "0"], in: folder)
      #expect(none.status != 0 && none.errors.contains("invalidPlan"))
      #expect(
        try folder.run("query", kind.location(), "T", "--format", "csv")
          == before.replacing("flavour", with: "taste"))
    }

    @Test("What does not fit is refused, and the store is as it was", arguments: Kind.allCases)
    func refusals(kind: Kind) throws {
      let folder = try folder(kind)
      let before = try bytes(folder, kind)
      func failure(_ plan: String, _ rest: String...) throws -> String {
        try folder.write(plan, to: "other.json")
        let run = try CommandRun(
          ["migrate", kind.location(), "--plan", "other.json"] + rest, in: folder)
        #expect(run.isExit && run.status != 0 && run.output == "")
        return run.errors
      }
      let closure =
        #"{"versions":[{"number":1,"steps":[{"rows":{"entity":"T","closure":"#
        + #"{"name":"full names","revision":1}}}]}]}"#
      for rest in [[], ["--dry-run"]] {
        try folder.write(closure, to: "other.json")
        let run = try CommandRun(
          ["migrate", kind.location(), "--plan", "other.json"] + rest, in: folder)
        #expect(run.status != 0)
        #expect(run.errors.contains("invalidPlan") && run.errors.contains("\"full names\""))
      }
      #expect(
        try failure(#"{"versions":[{"number":1,"steps":[{"dropEntity":{"name":"X"}}]}]}"#)
          .contains("invalidPlan"))
      #expect(try failure("[]").contains("no migration plan"))
      try folder.write(try folder.run("schema", "freeze", kind.location()), to: "a.json")
      let drop = #"{"versions":[{"number":1,"steps":[{"dropEntity":{"name":"Draft"}}]}]}"#
      #expect(try failure(drop, "--to", "missing.json").contains("invalidLocation"))
      let retype =
        #"{"versions":[{"number":1,"steps":[{"changeType":{"name":"n","type":{"string":{}},"#
        + #""entity":"T","mapping":{"form":{"text":{}}},"failure":{"throw":{}}}}]}]}"#
      #expect(try failure(retype, "--to", "a.json").contains("invalidPlan"))
      #expect(try bytes(folder, kind) == before)
      #expect(
        !(try folder.failure("migrate", kind.location("none"), "--plan", "plan.json")).isEmpty)
      #expect(!folder.exists("none.\(kind.rawValue)"))
    }

    @Test(
      "10.9: an interrupted migration is reported, and abandoned or replaced by another",
      arguments: [Kind.sqlite, .lmdb])
    func interrupted(kind: Kind) throws {
      for isAbandoned in [true, false] {
        let folder = try folder(kind)
        try interrupt(kind, folder)
        #expect(
          try folder.run("migrate", "status", kind.location())
            == "version: none\na migration is under way; run it again, or abandon it\n")
        #expect(
          try folder.run("migrate", "status", kind.location(), "--format", "json")
            .contains("\"isUnderWay\":true"))
        let rows = "id,flavour,n\n1,a,1\n2,,2\n3,c,\n"
        #expect(try folder.run("query", kind.location(), "T", "--format", "csv") == rows)
        #expect(
          try folder.failure("import", kind.location(), "T", "a.csv")
            .contains("busy"))
        if isAbandoned {
          #expect(try folder.run("migrate", "abandon", kind.location()) == "")
          #expect(try folder.run("migrate", "status", kind.location()) == "version: none\n")
          try folder.write("id,flavour,n\n4,d,4\n", to: "a.csv")
          _ = try folder.run("import", kind.location(), "T", "a.csv")
          #expect(
            try folder.run("query", kind.location(), "T", "--format", "csv") == rows + "4,d,4\n")
        } else {
          #expect(
            try folder.run(
              "migrate", kind.location(), "--plan", "plan.json", "--mode", "resumable", "--online")
              == Self.report)
          #expect(
            try folder.run("query", kind.location(), "Snack", "--format", "csv")
              == "id,taste,n\n1,a,100.0\n2,,200.0\n3,c,\n")
        }
        #expect(try folder.run("check", kind.location()).contains("Draft") == isAbandoned)
      }
    }

    /// Begins a migration that stops at its second row.
    private func interrupt(_ kind: Kind, _ folder: CommandFolder) throws {
      let location = try StoreLocation(
        "\(kind.rawValue):\(folder.path)/store.\(kind.rawValue)", among: [.sqlite, .lmdb])
      let store = try location.open()
      var schema = store.schema
      try store.close()
      schema.version = 1
      var options = StoreOptions()
      options.migration.mode = .resumable
      options.migration.batchRows = 1
      options.migration.partDuration = .zero
      options.schemaPolicy = .migrate(
        MigrationPlan([
          .version(
            1,
            [
              .rows(of: "T", named: "stop", revision: 1) { row in
                row["flavour"] = .string("x")
                if row["id"] == .int(2) { throw StoreError(.full, "the test says so") }
              }
            ])
        ]))
      #expect(throws: StoreError.self) {
        try location.open(schema: Schema(frozen: schema), options: options).close()
      }
    }
  }
#endif
