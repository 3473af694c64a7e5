#if Command
  import Foundation
  import Testing

  /// `strata restore`: a copy instead of a store.
  struct RestoreCommandTests {
    private static let plan =
      #"{"versions":[{"number":3,"steps":[{"dropEntity":{"name":"Draft"}}]}]}"#

    @Test("10.14, 10.15: the copy that a migration made is restored", arguments: Kind.allCases)
    func restore(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write("id,n\n1,4\n2,5\n", to: "a.csv")
      try folder.write("id\n7\n", to: "b.csv")
      _ = try folder.run("import", kind.location(), "T", "a.csv")
      _ = try folder.run("import", kind.location(), "Draft", "b.csv")
      try folder.write(Self.plan, to: "plan.json")
      _ = try folder.run("migrate", kind.location(), "--plan", "plan.json")
      let tables = "T\n  id: int64 key\n  n: int64\n"
      #expect(try folder.run("schema", kind.location()) == tables)
      let copy = "store.before-3.\(kind.rawValue)"
      #expect(folder.exists(copy))
      #expect(
        try folder.run("restore", kind.location(), "--from", copy) == "restored: version none\n")
      #expect(
        try folder.run("schema", kind.location()).contains("Draft\n  id: int64 key\n"))
      #expect(
        try folder.run("query", kind.location(), "Draft", "--format", "csv") == "id\n7\n")
      #expect(folder.exists(copy))
    }

    @Test("10.15: what is no copy is refused by its code", arguments: Kind.allCases)
    func refusals(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write("id,n\n1,4\n", to: "a.csv")
      _ = try folder.run("import", kind.location(), "T", "a.csv")
      #expect(
        try folder.failure("restore", kind.location(), "--from", "a.csv").contains("notADatabase"))
      #expect(
        try folder.failure("restore", kind.location(), "--from", "none").contains("cannotOpen"))
      #expect(
        try folder.failure("restore", "memory:", "--from", "a.csv").contains("invalidLocation"))
      #expect(
        try folder.failure("restore", kind.location(), "--from", "store.\(kind.rawValue)")
          .contains("invalidLocation"))
      #expect(try folder.run("query", kind.location(), "T", "--format", "csv") == "id,n\n1,4\n")
    }
  }
#endif
