#if Command
  import Foundation
  import Testing

  /// `-` instead of files, and paths instead of locations.
  struct StandardStreamTests {
    @Test(
      "- is standard input of imports, and standard output of exports", arguments: Kind.allCases)
    func streams(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      let imported = try CommandRun(
        ["import", store, "T", "-"], in: folder, input: "id,n\n1,5\n2,\n")
      #expect(imported.output == "T: 2 inserted, 0 updated, 0 unchanged\n")
      #expect(imported.errors == "")
      let more = try CommandRun(
        ["import", store, "T", "-", "--format", "jsonl"], in: folder, input: #"{"id":2,"n":7}"#)
      #expect(more.output == "T: 0 inserted, 1 updated, 0 unchanged\n")
      let exported = try CommandRun(["export", store, "T", "-"], in: folder)
      #expect(exported.output == "id,n\n1,5\n2,7\n")
      #expect(exported.errors == "T: 2 exported, 13 bytes\n")
      let some = try CommandRun(
        ["export", store, "T", "-", "--format", "json", "--where", "-"], in: folder, input: "n = 7")
      #expect(some.output == "[\n{\"id\":2,\"n\":7}\n]\n")
      let queried = try CommandRun(
        ["query", store, "T", "--format", "csv", "--where", "-"], in: folder, input: "id > 1\n")
      #expect(queried.output == "id,n\n2,7\n")
      #expect(!folder.exists("-"))
    }

    @Test("Rejects go to standard output, and errors name standard input")
    func rejects() throws {
      let folder = CommandFolder()
      func run(_ input: String, _ arguments: String...) throws -> CommandRun {
        try CommandRun(["import", "a.sqlite", "T", "-"] + arguments, in: folder, input: input)
      }
      #expect(try run("id,n\n1,1\n").status == 0)
      let failed = try run("id,n\n3,x\n")
      #expect(failed.status != 0)
      #expect(
        failed.errors.contains("standard input, n (line 2, column 3, byte 7)"),
        "\(failed.errors)")
      let rejected = try run("id,n\n3,x\n4,4\n", "--rejects", "-")
      #expect(rejected.errors == "T: 1 inserted, 0 updated, 0 unchanged, 1 rejected\n")
      #expect(rejected.output.split(separator: "\n").count == 1)
      let mended = rejected.output.replacing(#""n":"x""#, with: #""n":3"#)
      #expect(
        try run(mended, "--format", "jsonl", "--at", "record").output
          == "T: 1 inserted, 0 updated, 0 unchanged\n")
      try folder.write(#"[{"id":5,"m":"6"}]"#, to: "a.json")
      let mapped = try CommandRun(
        ["import", "a.sqlite", "T", "a.json", "--map", "-"], in: folder,
        input: #"{"fields":{"n":{"from":["m"]}}}"#)
      #expect(mapped.output == "T: 1 inserted, 0 updated, 0 unchanged\n")
      #expect(
        try folder.run("query", "a.sqlite", "T", "--format", "csv")
          == "id,n\n1,1\n3,3\n4,4\n5,6\n")
    }

    @Test("12.3 No progress is recorded for standard input, which cannot come again")
    func progress() throws {
      let folder = CommandFolder()
      let arguments = [
        "import", "a.sqlite", "T", "-", "--every", "1", "--types", "n=integer", "--rejects",
        "bad.jsonl", "--prune", "*",
      ]
      // The last transaction is refused, since a record is bad; those before stay.
      let failed = try CommandRun(arguments, in: folder, input: "id,n\n1,1\n2,x\n3,3\n")
      #expect(failed.errors.contains("pruneRefused"), "\(failed.errors)")
      #expect(
        try folder.run("query", "a.sqlite", "T", "--format", "csv") == "id,n\n1,1\n3,3\n")
      #expect(
        try folder.run("query", "a.sqlite", "ImportCheckpoint", "--format", "csv") == "id,state\n")
    }

    @Test("Every subcommand takes the path of a store's file")
    func paths() throws {
      let folder = CommandFolder()
      try folder.write("id,n\n1,1\n", to: "a.csv")
      for store in ["a.sqlite", "./b.lmdb", "\(folder.path)/c.strata"] {
        _ = try folder.run("import", store, "T", "a.csv")
        #expect(try folder.run("query", store, "T", "--format", "csv") == "id,n\n1,1\n")
        #expect(try folder.run("migrate", "status", store) == "version: none\n")
        #expect(try folder.run("check", store).contains("T"))
        #expect(try folder.run("stats", store).hasPrefix("T: 1 row"))
        #expect(try folder.run("schema", store) == "T\n  id: int64 key\n  n: int64\n")
        try folder.write(
          #"{"versions":[{"number":1,"steps":[{"dropAttributes":{"names":["n"],"entity":"T"}}]}]}"#,
          to: "plan.json")
        #expect(
          try folder.run("migrate", store, "--plan", "plan.json").hasPrefix("version: none → 1\n"))
      }
      _ = try folder.run("copy", "a.sqlite", "d.lmdb")
      #expect(try folder.run("query", "lmdb:d.lmdb", "T", "--format", "csv") == "id\n1\n")
      #expect(
        try folder.run("schema", "diff", "a.sqlite", "d.lmdb").split(separator: "\n").count == 1)
      for other in ["a.db", "a.csv", "sqlite", "-"] {
        let errors = try folder.failure("schema", other)
        #expect(errors.contains("a path alone ends in one of .sqlite, .lmdb, .strata"), "\(errors)")
      }
      #expect(try folder.failure("schema", "oracle:a.sqlite").contains("'oracle:…'"))
    }

    @Test("A name is suggested by its words before its letters")
    func suggestion() throws {
      let folder = CommandFolder()
      try folder.write("id,latitude,altitude_ft\n1,2,3\n", to: "a.csv")
      _ = try folder.run("import", "a.sqlite", "Airport", "a.csv")
      for operation in ["query", "explain"] {
        #expect(
          try folder.failure(operation, "a.sqlite", "Airport", "--where", "altitude > 3")
            .contains("did you mean altitude_ft?"))
      }
      #expect(
        try folder.failure("export", "a.sqlite", "Airport", "-", "--where", "lattitude > 3")
          .contains("did you mean latitude?"))
    }
  }
#endif
