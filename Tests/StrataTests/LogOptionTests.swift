#if Command
  import Foundation
  import Testing

  /// The option `--log`.
  struct LogOptionTests {
    @Test(
      "Each level writes its entries and those above it to standard error, and none to the output",
      arguments: Kind.allCases)
    func levels(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,name\n1,secret\n2,other\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      let question = ["query", store, "T", "--where", "name = 'secret'", "--format", "csv"]
      let plain = try CommandRun(question, in: folder)
      #expect(plain.errors == "")
      for level in ["error", "warning", "notice", "info"] {
        let run = try CommandRun(question + ["--log", level], in: folder)
        #expect(run.output == plain.output)
        #expect(run.errors == "", "\(level)")
      }
      let debug = try CommandRun(question + ["--log", "debug"], in: folder)
      #expect(debug.output == plain.output)
      let transactions = debug.errors.split(separator: "\n")
      #expect(transactions.count == 1)
      #expect(transactions.first?.hasPrefix("strata: debug: ") == true)
      #expect(transactions.first?.contains(": read: 1 request in ") == true, "\(debug.errors)")
      let trace = try CommandRun(question + ["--log", "trace"], in: folder)
      #expect(trace.output == plain.output)
      let entries = trace.errors.split(separator: "\n")
      #expect(entries.count == 2)
      #expect(entries.first?.hasPrefix("strata: trace: ") == true)
      #expect(entries.first?.contains(": fetch T where name == $0") == true, "\(trace.errors)")
      #expect(entries.first?.contains("SELECT") == (kind == .sqlite))
      // Clause 13.6: the value of the condition is in no entry.
      #expect(!trace.errors.contains("secret"))
    }

    @Test("Every command that opens a store takes it", arguments: Kind.allCases)
    func commands(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,5\n2,6\n", to: "a.csv")
      let plan = #"{"versions":[{"number":1,"steps":[]}]}"#
      try folder.write(plan, to: "plan.json")
      func errors(_ arguments: String...) throws -> String {
        let run = try CommandRun(arguments + ["--log", "trace"], in: folder)
        #expect(run.isExit && run.status == 0, "\(arguments): \(run.errors)")
        #expect(
          run.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("strata: ") },
          "\(arguments): \(run.errors)")
        return run.errors
      }
      _ = try errors("import", store, "T", "a.csv")
      #expect(try errors("import", store, "T", "a.csv").contains("trace: "))
      #expect(try errors("export", store, "T", "out.csv").contains("fetch T"))
      #expect(try errors("query", store, "T").contains("fetch T"))
      #expect(try errors("stats", store).contains("aggregate T"))
      #expect(try errors("check", store).contains("T"))
      #expect(try errors("copy", store, kind.location("copy")).contains("debug: "))
      #expect(try errors("bench", store, "--rows", "20", "--repetitions", "1").contains("BenchRow"))
      for command in [
        ["explain", store, "T"], ["schema", store], ["schema", "freeze", store],
        ["schema", "diff", store, kind.location("copy")], ["watch", store, "--limit", "0"],
        ["migrate", store, "--plan", "plan.json"], ["migrate", "status", store],
      ] {
        let run = try CommandRun(command + ["--log", "trace"], in: folder)
        #expect(run.isExit && run.status == 0, "\(command): \(run.errors)")
      }
    }

    @Test("An unknown level is refused as a value of other options is, and nothing is opened")
    func unknownLevel() throws {
      let folder = CommandFolder()
      let errors = try folder.failure("stats", "sqlite:none.sqlite", "--log", "loud")
      #expect(errors.contains("'loud' is invalid for '--log <log>'"), "\(errors)")
      #expect(errors.contains("trace"))
      let run = try CommandRun(
        ["stats", "sqlite:none.sqlite", "--log", "loud"], in: folder)
      #expect(run.status == 64)
      #expect(!folder.exists("none.sqlite"))
      #expect(try folder.failure("stats", "sqlite:none.sqlite", "--log").contains("--log"))
    }

    @Test("The help and the completion of shells have its levels")
    func help() throws {
      let folder = CommandFolder()
      let help = try folder.run("query", "--help")
      #expect(help.contains("--log <log>"))
      let completion = try folder.run("--generate-completion-script", "bash")
      #expect(completion.contains("'trace'"))
    }
  }
#endif
