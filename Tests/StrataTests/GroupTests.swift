#if Command
  import Testing

  /// `strata query` with columns, groups and conditions on them.
  struct GroupTests {
    private static let file = """
      id,kind,shop,stock,price
      1,salty,North,1,1
      2,salty,South,5,3
      3,salty,North,,1
      4,sweet,South,2,0.5
      5,sweet,,,
      6,,North,4,

      """

    /// A question, and the lines that come after the names of the columns.
    private static let questions: [([String], String, [String])] = [
      (["--group", "kind"], "kind,count()", [",1", "salty,3", "sweet,2"]),
      (
        ["--group", "kind", "--select", "kind, sum(stock), avg(price) AS mean"],
        "kind,sum(stock),mean", [",4,", "salty,6,1.6666666666666667", "sweet,2,0.5"]
      ),
      (
        ["--group", "kind", "--select", "kind", "--having", "count() > 1 AND max(price) >= 0.5"],
        "kind", ["salty", "sweet"]
      ),
      (
        [
          "--group", "kind, shop", "--select", "shop,kind,count()", "--having", "kind != nil",
          "--sort", "-count(), shop nils last",
        ], "shop,kind,count()",
        ["North,salty,2", "South,salty,1", "South,sweet,1", ",sweet,1"]
      ),
      (
        ["--group", "length(shop)", "--select", "count( ), min(id), countDistinct(kind)"],
        "count( ),min(id),countDistinct(kind)", ["1,5,1", "5,1,2"]
      ),
      (
        ["--select", "count(), sum(stock * 2), max(kind)"], "count(),sum(stock * 2),max(kind)",
        ["6,24,sweet"]
      ),
      (
        ["--group", "kind[c]", "--where", "id < 4"], "kind,count()", ["salty,3"]
      ),
      (
        ["--group", "uppercase(kind) [c]", "--select", "count()", "--sort", "count() DESC"],
        "count()", ["3", "2", "1"]
      ),
      (["--select", "shop", "--distinct", "--sort", "-shop"], "shop", ["South", "North", ""]),
      (["--select", "id, price * 2 AS double", "--where", "price > 1"], "id,double", ["2,6.0"]),
      (
        ["--group", "kind", "--where", "stock != nil", "--sort", "sum(stock)", "--limit", "2"],
        "kind,count()", ["sweet,1", ",1"]
      ),
    ]

    private static let faults: [([String], String)] = [
      (["--group", "kind", "--select", "shop"], "shop is neither a key"),
      (["--group", "kind", "--having", "stock > 1"], "its keys and aggregates"),
      (["--group", "kind", "--having", "count() >"], "found the end"),
      (["--group", "nope"], "unknownAttribute"),
      (["--select", "sum(kind)"], "sum cannot be applied to kind"),
      (["--select", "id, count()"], "need `distinct` or keys to group by"),
      (["--having", "count() > 1", "--select", "id"], "need `distinct` or keys to group by"),
    ]

    @Test("4.2: groups, conditions on them, orders by aggregates", arguments: Kind.allCases)
    func groups(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write(Self.file, to: "t.csv")
      _ = try folder.run("import", kind.location(), "T", "t.csv")
      for (arguments, names, lines) in Self.questions {
        let run = try CommandRun(
          ["query", kind.location(), "T", "--format", "csv"] + arguments, in: folder)
        #expect(run.errors == "", "\(arguments)")
        #expect(
          run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init) == [names] + lines, "\(arguments)")
      }
      for (arguments, message) in Self.faults {
        let run = try CommandRun(["query", kind.location(), "T"] + arguments, in: folder)
        #expect(run.status != 0 && run.errors.contains(message), "\(arguments): \(run.errors)")
      }
      let plan = try folder.run("explain", kind.location(), "T", "--group", "kind")
      #expect(!plan.isEmpty)
    }
  }
#endif
