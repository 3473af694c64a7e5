#if Command
  import Foundation
  import LMDBBackend
  import MemoryBackend
  import ORM
  import SQLiteBackend
  import Testing

  /// `strata query` and `explain` of entities with a soft delete: `--deleted`.
  struct DeletedTests {
    struct Binder: PrimaryKeyed, Codable {
      var id: Int64
      var sheets: ToMany<Sheet> = .notLoaded

      static let entity = Entity<Binder>("Binder") {
        .key("id", \.id).relationship("sheets", \.sheets, inverse: \Sheet.binder)
      }
    }

    struct Sheet: PrimaryKeyed, Codable {
      var id: Int64
      var size: Int
      var gone: Date?
      var binder: ToOne<Binder> = ToOne()

      static let entity = Entity<Sheet>("Sheet") {
        .key("id", \.id)
          .attribute("size", \.size)
          .attribute("gone", \.gone, .softDelete)
          .relationship("binder", \.binder)
      }
    }

    /// Binders 1 and 2; in each two sheets, of which the one with the even key is hidden.
    private static func filled(_ kind: Kind) throws -> CommandFolder {
      let folder = CommandFolder()
      let path = "\(folder.path)/store.\(kind.rawValue)"
      let schema = try Schema(Binder.self, Sheet.self)
      let store: any Store =
        switch kind {
        case .sqlite: try SQLiteStore(path: path, schema: schema)
        case .lmdb: try LMDBStore(path: path, schema: schema)
        case .memory: MemoryStore(schema: schema)
        }
      try store.insert([Binder(id: 1), Binder(id: 2)])
      try store.insert(
        (1...4).map { Sheet(id: $0, size: Int($0) * 10, binder: .key(($0 + 1) / 2)) })
      try store.delete(Sheet.self, ids: [2, 4])
      try (store as? MemoryStore)?.write(to: path)
      try store.close()
      return folder
    }

    @Test("Hidden rows are shown on request, or alone", arguments: Kind.allCases)
    func rows(kind: Kind) throws {
      let folder = try Self.filled(kind)
      func ids(_ rest: String...) throws -> [String] {
        let run = try CommandRun(
          ["query", kind.location(), "Sheet", "--format", "csv"] + rest, in: folder)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        return run.output.split(separator: "\n").dropFirst()
          .map { String($0.prefix { $0 != "," }) }
      }
      #expect(try ids() == ["1", "3"])
      #expect(try ids("--deleted", "include") == ["1", "2", "3", "4"])
      #expect(try ids("--deleted", "only") == ["2", "4"])
      #expect(try ids("--deleted", "include", "--where", "size > 15") == ["2", "3", "4"])
      #expect(try ids("--deleted", "only", "--where", "size > 25") == ["4"])
      #expect(try ids("--deleted", "include", "--where", "gone != nil") == ["2", "4"])
      #expect(
        try ids("--deleted", "include", "--sort", "-size", "--limit", "3") == ["4", "3", "2"])
      #expect(try ids("--deleted", "only", "--where", "binder.id == 2") == ["4"])
    }

    @Test("Groups and columns are of the rows that are shown", arguments: Kind.allCases)
    func groups(kind: Kind) throws {
      let folder = try Self.filled(kind)
      func lines(_ deleted: String?, _ rest: String...) throws -> [Substring] {
        let run = try CommandRun(
          ["query", kind.location(), "Sheet", "--format", "csv"] + rest
            + (deleted.map { ["--deleted", $0] } ?? []), in: folder)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        return Array(run.output.split(separator: "\n").dropFirst())
      }
      let sums = ["--select", "count(), sum(size)"]
      #expect(try lines(nil, sums[0], sums[1]) == ["2,40"])
      #expect(try lines("include", sums[0], sums[1]) == ["4,100"])
      #expect(try lines("only", sums[0], sums[1]) == ["2,60"])
      let groups = ["--group", "binder.id", "--select", "binder.id, max(size)"]
      #expect(try lines(nil, groups[0], groups[1], groups[2], groups[3]) == ["1,10", "2,30"])
      #expect(try lines("only", groups[0], groups[1], groups[2], groups[3]) == ["1,20", "2,40"])
    }

    @Test("Related rows stay those that are visible; entities without a soft delete hide nothing")
    func related() throws {
      let folder = try Self.filled(.sqlite)
      let store = Kind.sqlite.location()
      func binders(_ rest: String...) throws -> String {
        let run = try CommandRun(["query", store, "Binder", "--format", "csv"] + rest, in: folder)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        return run.output.split(separator: "\n").dropFirst().joined(separator: " ")
      }
      #expect(try binders("--where", "ANY sheets.size == 20") == "")
      #expect(try binders("--where", "ANY sheets.size == 20", "--deleted", "include") == "")
      #expect(try binders("--where", "ANY sheets.size == 30", "--deleted", "include") == "2")
      #expect(try binders("--deleted", "include") == "1 2")
      #expect(try binders("--deleted", "only") == "")
    }

    @Test("explain shows what hides rows, and others are distinguished", arguments: Kind.allCases)
    func explained(kind: Kind) throws {
      let folder = try Self.filled(kind)
      let store = kind.location()
      let question = ["explain", store, "Sheet", "--where", "size > 1"]
      let hidden = try CommandRun(question, in: folder)
      let all = try CommandRun(question + ["--deleted", "include"], in: folder)
      #expect(hidden.status == 0 && hidden.output.contains("gone"))
      #expect(all.status == 0 && all.output != hidden.output)
      let error = try folder.failure("query", store, "Sheet", "--deleted", "all")
      #expect(error.contains("include") && error.contains("only"), "\(error)")
    }
  }
#endif
