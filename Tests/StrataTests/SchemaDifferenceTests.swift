#if Command
  import Foundation
  import Testing

  /// `strata schema freeze` and `diff`.
  struct SchemaDifferenceTests {
    @Test("A frozen schema is the same text for every kind of store", arguments: Kind.allCases)
    func freeze(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write("id,n\n1,\n2,0.5\n", to: "a.csv")
      _ = try folder.run("import", kind.location(), "T", "a.csv")
      #expect(
        try folder.run("schema", "freeze", kind.location()) == """
          {
            "entities": [
              {
                "columns": [
                  {"attribute": "id", "isInternal": false, "isNormalized": false, \
          "isOptional": false, "name": "id", "type": {"int64": {}}},
                  {"attribute": "n", "isInternal": false, "isNormalized": false, \
          "isOptional": true, "name": "n", "type": {"double": {}}}
                ],
                "indexes": [],
                "isInternal": false,
                "key": [0],
                "keySource": "program",
                "modelName": "T",
                "name": "T",
                "relationships": [],
                "rules": [],
                "templates": []
              }
            ]
          }

          """)
      #expect(try folder.run("schema", kind.location()) == "T\n  id: int64 key\n  n: double?\n")
      #expect(
        try folder.run("schema", "show", kind.location())
          == folder.run("schema", kind.location()))
    }

    @Test("Stores and frozen schemas are compared, renames asked about", arguments: Kind.allCases)
    func difference(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write("id,flavour,n\n1,a,1\n2,,2\n", to: "a.csv")
      try folder.write("id,taste,n\n1,a,0.5\n2,,2\n", to: "b.csv")
      let (a, b) = (kind.location("a"), kind.location("b"))
      _ = try folder.run("import", a, "T", "a.csv")
      _ = try folder.run("import", b, "T", "b.csv")
      try folder.write(try folder.run("schema", "freeze", b), to: "b.json")
      #expect(try folder.run("schema", "diff", b, "b.json") == "no differences\n")
      let text = """
        T
          - flavour: string?
          + taste: string?
          ~ n: int64 → double

        steps:
          make T.n double (values that do not fit stop the migration, unless by: or onFailure: says \
        more)

        questions:
          Was T.flavour renamed to taste (14 % alike)?
          if not: drop flavour of T (its values are lost)

        """
      #expect(try folder.run("schema", "diff", a, "b.json") == text)
      // Between two stores, values count as much as names: (1/7 + 1) / 2.
      #expect(
        try folder.run("schema", "diff", a, b)
          == text.replacingOccurrences(of: "14 % alike", with: "57 % alike, 100 % of the values"))
      #expect(
        try folder.run("schema", "diff", a, b, "--rename", "T.flavour=taste", "--swift") == """
          // The version of the program's schema has to be greater than the store's.
          let plan = MigrationPlan([
            .version(1, [
              .renameAttribute("flavour", to: "taste", in: "T"),
              // Check T.n: values that do not fit stop the migration, unless by: or onFailure: says more.
              .changeType(of: "n", to: .double, in: "T"),
            ])
          ])

          """)
      let json = try JSONSerialization.jsonObject(
        with: Data(try folder.run("schema", "diff", a, b, "--format", "json").utf8))
      let questions = (json as? [String: Any])?["questions"] as? [[String: Any]]
      #expect(questions?.map { $0["name"] as? String } == ["flavour"])
      let steps = (json as? [String: Any])?["steps"] as? [[String: Any]]
      #expect(steps?.map { Array($0.keys) } == [["changeType"]])
    }

    @Test("What is no schema is refused with one line")
    func refusals() throws {
      let folder = CommandFolder()
      try folder.write("id\n1\n", to: "a.csv")
      _ = try folder.run("import", "memory:a.memory", "T", "a.csv")
      #expect(
        try folder.failure("schema", "diff", "memory:a.memory", "b.json").contains(
          "invalidLocation"))
      #expect(try folder.failure("schema", "diff", "memory:a.memory", "a.csv").contains("decoding"))
      #expect(
        try folder.failure(
          "schema", "diff", "memory:a.memory", "memory:a.memory", "--rename", "T.x=y"
        )
        .contains("invalidPlan"))
      #expect(
        !(try folder.failure(
          "schema", "diff", "memory:a.memory", "memory:a.memory", "--rename", "T"))
          .isEmpty)
      #expect(!(try folder.failure("schema", "freeze", "sqlite:none.sqlite")).isEmpty)
      #expect(!folder.exists("none.sqlite"))
    }
  }
#endif
