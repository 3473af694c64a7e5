#if Command
  import Foundation
  import ORM
  import SQLiteBackend
  import TestSupport
  import Testing

  /// `strata query`: conditions, orders, limits and forms.
  struct QueryTests {
    private static let file = #"""
      id,name,city,height,on,day
      1,Ångström,Oslo,10,true,2024-05-01
      2,angstrom,,2.5,false,2024-05-02
      3,"Lee, ""Jo""","New
      York",-4,true,2024-05-03
      4,O'Hara,Oslo,10,,2024-05-04

      """#

    /// Conditions and the ids of the rows they hold for.
    private static let conditions: [(String, String)] = [
      ("id = 2", "2"), ("id == 2", "2"), ("id=2", "2"), ("id != 2", "1 3 4"), ("id <> 2", "1 3 4"),
      ("id<2", "1"), ("id <= 2", "1 2"), ("id > 3", "4"), ("id>=3", "3 4"), ("id < 2.5", "1 2"),
      ("id = 2.0", "2"), ("height > -5", "1 2 3 4"), ("height<-3.5", "3"), ("height = 10", "1 4"),
      ("name = 'angstrom'", "2"), ("name = 'angstrom' AND 1 == 1", "2"),
      ("name ==[c] 'ANGSTROM'", "2"),
      ("name ==[cd] 'ANGSTROM'", "1 2"), ("name !=[cd] 'ANGSTROM'", "3 4"),
      ("name = \"O'Hara\"", "4"), (#"name = 'O\'Hara'"#, "4"), ("name CONTAINS 'str'", "1 2"),
      ("name contains '\"'", "3"), ("name BEGINSWITH[cd] 'A'", "1 2"), ("name ENDSWITH 'ra'", "4"),
      ("name LIKE '*g*m'", "1 2"), ("name LIKE[d] '?ngstr?m'", "1 2"),
      ("name LIKE[cd] '?ngstr?m'", "1 2"), ("name IN {'angstrom', \"O'Hara\"}", "2 4"),
      ("id IN {1, 3, 9}", "1 3"), ("id IN {}", ""), ("city = nil", "2"), ("city != null", "1 3 4"),
      ("city = 'nil'", ""), ("NOT city = 'Oslo'", "2 3"), ("on = true", "1 3"), ("on = nil", "4"),
      ("day >= '2024-05-03'", "3 4"), ("day < '2024-05-01T12:00:00Z'", "1"),
      ("city = 'Oslo' AND id > 1", "4"), ("id = 1 OR id = 2 AND city = 'Oslo'", "1"),
      ("id = 3 or city = 'Oslo' and not id = 1", "3 4"),
      ("id BETWEEN {2, 3} && !(on == YES)", "2"), ("height * 2 == 20", "1 4"),
      ("length(name) == 6", "4"), ("city != nil AND name MATCHES 'O.*'", "4"),
    ]

    /// Conditions and what is said about them.
    private static let faults: [(String, String)] = [
      ("", "found the end, expected a value or a condition"),
      ("id", "expected a condition, found id"), ("id =", "(offset 4): found the end"),
      ("nope = 1", "unknownAttribute in T.nope"), ("hight = 1", "did you mean height?"),
      ("id = x", "T has no attribute or relationship x"),
      ("id ~ 1", "found ~, expected AND, OR or the end"),
      ("id =! 1", "invalidCondition"), ("id = 1 AND", "found the end"),
      ("id = 1 id = 2", "found id, expected AND, OR or the end"), ("name = 'x", "no closing quote"),
      ("name ==[x] 'a'", "'x' is not an option"), ("name ==[c 'a'", "expected ]"),
      ("id IN 1", "expected a list"), ("id IN {1", "expected , or }"),
      ("= 1", "found =, expected a value"), ("id <[c] 1", "the options [c] apply only to text"),
      ("on = 'maybe'", "cannot be compared"), ("id CONTAINS 1", "CONTAINS needs text"),
      ("id = $X", "the variable $X has no value; it stands in column 7 of id == $X; bind it"),
    ]

    @Test("Conditions hold for the rows they say", arguments: Kind.allCases)
    func holds(kind: Kind) throws {
      let folder = try Self.filled(kind)
      // Every condition once, and each kind of store with a third of them.
      let part = Kind.allCases.firstIndex(of: kind) ?? 0
      for (index, (condition, ids)) in Self.conditions.enumerated() where index % 3 == part {
        #expect(try Self.ids(folder, kind, "--where", condition) == ids, "\(condition)")
      }
    }

    @Test("A condition that makes no sense is distinguished")
    func faults() throws {
      let folder = try Self.filled(.sqlite)
      for (condition, message) in Self.faults {
        let errors = try folder.failure("query", Kind.sqlite.location(), "T", "--where", condition)
        #expect(errors.contains(message), "\(condition): \(errors)")
      }
    }

    @Test("Orders and limits, by several terms, descending with a minus", arguments: Kind.allCases)
    func orders(kind: Kind) throws {
      let folder = try Self.filled(kind)
      #expect(try Self.ids(folder, kind, "--sort", "name") == "3 4 2 1")
      #expect(try Self.ids(folder, kind, "--sort", "-id", "--limit", "2") == "4 3")
      #expect(try Self.ids(folder, kind, "--sort", "city,-id") == "2 3 4 1")
      #expect(try Self.ids(folder, kind, "--sort", "-height, id") == "1 4 2 3")
      #expect(try Self.ids(folder, kind, "--sort", "-height , -name") == "1 4 2 3")
      #expect(try Self.ids(folder, kind, "--limit", "0") == "")
      #expect(try Self.ids(folder, kind, "--sort", "city nils last, id desc") == "3 4 1 2")
      #expect(try Self.ids(folder, kind, "--sort", "name[cd]") == "1 2 3 4")
      #expect(try Self.ids(folder, kind, "--sort", "length(name), id") == "4 1 2 3")
      let store = kind.location()
      #expect(
        try folder.failure("query", store, "T", "--sort", "nope").contains("unknownAttribute"))
      #expect(try folder.failure("query", store, "T", "--sort", "id,").contains("found the end"))
      #expect(try folder.failure("query", store, "T", "--limit=-1").contains("invalidPage"))
      #expect(try folder.failure("query", store, "U").contains("unknownEntity in U"))
      #expect(!(try folder.run("explain", store, "T", "--where", "id = 1")).isEmpty)
    }

    @Test("Variables take texts that are read in the type of their other side")
    func variables() throws {
      let folder = try Self.filled(.sqlite)
      func ids(_ condition: String, _ rest: String...) throws -> String {
        let run = try CommandRun(
          ["query", Kind.sqlite.location(), "T", "--format", "csv", "--where", condition] + rest,
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.output.split(separator: "\n").filter { $0.first?.isNumber == true }
          .compactMap { $0.split(separator: ",").first }.joined(separator: " ")
      }
      #expect(
        try ids("id == $ID AND name == $NAME", "--set", "ID=2", "--set", "NAME=angstrom") == "2")
      #expect(try ids("day >= $DAY", "--set", "DAY=2024-05-03") == "3 4")
      #expect(try ids("on == $ON", "--set", "ON=yes") == "1 3")
      #expect(try ids("id IN $IDS", "--set", "IDS=1, 3") == "1 3")
      #expect(try ids("name == $X", "--set", "X=a=b") == "")
      let store = Kind.sqlite.location()
      #expect(
        try folder.failure("query", store, "T", "--where", "id == $ID", "--set", "ID=x")
          .contains("does not read as an integer"))
    }

    @Test("Every form of output is as written here", arguments: Kind.allCases)
    func forms(kind: Kind) throws {
      let folder = try Self.filled(kind)
      let store = kind.location()
      let some = ["--where", "id IN {2, 3}"]
      func output(_ form: String) throws -> String {
        try folder.run("query", store, "T", some[0], some[1], "--format", form)
      }
      #expect(
        try output("table") == """
          id  name       city      height  on     day
          --  ---------  --------  ------  -----  --------------------
          2   angstrom             2.5     false  2024-05-02T00:00:00Z
          3   Lee, "Jo"  New York  -4.0    true   2024-05-03T00:00:00Z
          2 rows

          """)
      let two =
        #"{"id":2,"name":"angstrom","city":null,"height":2.5,"on":false,"day":"2024-05-02T00:00:00Z"}"#
      let three =
        #"{"id":3,"name":"Lee, \"Jo\"","city":"New\nYork","height":-4.0,"on":true,"#
        + #""day":"2024-05-03T00:00:00Z"}"#
      #expect(try output("jsonl") == "\(two)\n\(three)\n")
      #expect(try output("json") == "[\(two),\n \(three)]\n")
      #expect(
        try output("csv") == #"""
          id,name,city,height,on,day
          2,angstrom,,2.5,false,2024-05-02T00:00:00Z
          3,"Lee, ""Jo""","New
          York",-4.0,true,2024-05-03T00:00:00Z

          """#)
      #expect(try folder.failure("query", store, "T", "--format", "xml").contains("xml"))
    }

    @Test("A table shows whole texts in a pipe, and fits the lines of a terminal")
    func wideTable() throws {
      let folder = CommandFolder()
      let x = String(repeating: "x", count: 41)
      try folder.write("a,b,c\n,\(x),1\n1,日本,\n", to: "t.csv")
      _ = try folder.run("import", "a.sqlite", "T", "t.csv")
      #expect(
        try folder.run("query", "a.sqlite", "T") == """
          a  b                                          c
          -  -----------------------------------------  -
             \(x)  1
          1  日本
          2 rows

          """)
      func onTerminal(_ columns: UInt16) throws -> String {
        try CommandRun(["query", "a.sqlite", "T"], in: folder, terminal: columns).output
      }
      #if os(Linux)
        #expect(
          try onTerminal(16) == """
            a  b           c
            -  ----------  -
               xxxxxxxxx…  1
            1  日本
            2 rows

            """)
        // Where not even one column of each cell fits, the lines are cut.
        #expect(try onTerminal(5) == "a  b…\n-  -…\n   ……\n1  …\n2 rows\n")
        #expect(try onTerminal(200) == folder.run("query", "a.sqlite", "T"))
      #endif
    }

    @Test("LIKE with the wildcards of SQL is noted, and nothing else is")
    func wildcards() throws {
      let folder = try Self.filled(.sqlite)
      func note(_ condition: String, _ rest: String...) throws -> String {
        let arguments = ["query", Kind.sqlite.location(), "T", "--where", condition] + rest
        let run = try CommandRun(arguments, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.errors
      }
      let noted = try note("id > 1 AND NOT (name LIKE[c] 'a%_')")
      #expect(noted.contains("LIKE 'a%_' has no wildcard") && noted.contains("LIKE 'a*?'"))
      #expect(try note("TERNARY(name LIKE 'b%', 1, 2) == 2").contains("'b%'"))
      #expect(try note("name LIKE $P", "--set", "P=%x").contains("LIKE '%x'"))
      for other in ["name LIKE 'a*_'", "name LIKE '?%'", "name LIKE 'a\\\\%'", "name == 'a%'"] {
        #expect(try note(other) == "", "\(other)")
      }
      let having = ["--group", "name", "--having", "name LIKE 'a%'", "--format", "csv"]
      let run = try CommandRun(["query", Kind.sqlite.location(), "T"] + having, in: folder)
      #expect(run.errors.contains("LIKE 'a%'") && run.output == "name,count()\n")
      let exported = try CommandRun(
        ["export", Kind.sqlite.location(), "T", "a.csv", "--where", "name LIKE 'a%'"], in: folder)
      #expect(exported.status == 0 && exported.errors.contains("LIKE 'a%'"))
    }

    #if os(Linux)
      @Test("Rows are printed as they come, in memory that does not grow with them")
      func constantMemory() throws {
        let folder = CommandFolder()
        let store = try SQLiteStore(
          path: folder.path + "/a.sqlite", schema: Schema(Page.self))
        let text = String(repeating: "x", count: 2_000)
        try store.insert((1...3_000).map { Page(id: Int64($0), text: text) })
        try store.close()
        // The output is more than a pipe holds, so that the process is there when it is looked at.
        let few = try Self.memory(folder, "--limit", "600")
        let all = try Self.memory(folder)
        #expect(all.bytes > 6_000_000)
        // Measured: 6 MB, most of them pages of SQLite; with all rows in memory 20 MB.
        #expect(few.peak > 0)
        #expect(all.peak - few.peak < 12_000, "\(few.peak), \(all.peak) KiB")
      }

      /// The bytes of a query's output, and the greatest memory of its process in KiB as it ends.
      private static func memory(
        _ folder: CommandFolder, _ options: String...
      ) throws -> (bytes: Int, peak: Int) {
        let process = Process()
        process.executableURL = HelperProcess.product("strata")
        process.arguments = ["query", "a.sqlite", "Page", "--format", "jsonl"] + options
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        try pipe.fileHandleForWriting.close()
        var bytes = 0
        var peak = 0
        while let part = try pipe.fileHandleForReading.read(upToCount: 1 << 16), !part.isEmpty {
          bytes += part.count
          // The process waits for its reader where it has more to write.
          let status = try? String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
          let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
          peak = max(peak, line?.split(separator: " ").compactMap { Int($0) }.first ?? 0)
        }
        process.waitUntilExit()
        return (bytes, peak)
      }
    #endif

    @Test("What csv and jsonl write is read back as the same rows")
    func roundTrip() throws {
      let folder = try Self.filled(.lmdb)
      let store = Kind.lmdb.location()
      for form in ["csv", "jsonl"] {
        try folder.write(try folder.run("query", store, "T", "--format", form), to: "again.\(form)")
        #expect(
          try folder.run("import", store, "T", "again.\(form)")
            == "T: 0 inserted, 0 updated, 4 unchanged\n")
      }
    }

    private static func filled(_ kind: Kind) throws -> CommandFolder {
      let folder = CommandFolder()
      try folder.write(file, to: "t.csv")
      _ = try folder.run("import", kind.location(), "T", "t.csv")
      return folder
    }

    private static func ids(
      _ folder: CommandFolder, _ kind: Kind, _ first: String, _ second: String, _ rest: String...
    ) throws -> String {
      let run = try CommandRun(
        ["query", kind.location(), "T", "--format", "csv", first, second] + rest, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      // Only a row begins with a digit: the second line of New York does not.
      return run.output.split(separator: "\n").filter { $0.first?.isNumber == true }
        .compactMap { $0.split(separator: ",").first }.joined(separator: " ")
    }
  }

  /// A model with a long text.
  private struct Page: PrimaryKeyed, Codable {
    var id: Int64
    var text: String

    static let entity = Entity<Page>("Page") {
      .key("id", \.id).attribute("text", \.text)
    }
  }
#endif
