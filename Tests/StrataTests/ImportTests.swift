#if Command
  import Foundation
  import Testing

  /// `strata import` on every kind of store.
  struct ImportTests {
    @Test("Types are what every row allows", arguments: Kind.allCases)
    func inference(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write(
        """
        id,n,mixed,real,flag,day,code,huge,plus,hex,words,empty,tiny
        1,5,1,1.5,true,2024-05-01,007,9223372036854775808,+49,0x10,nan,,-7
        2,,2.5,2e3,FALSE,2024-05-01T10:00:00.5Z,12,1,50,1,inf,,9223372036854775807

        """, to: "t.csv")
      let store = kind.location()
      #expect(
        try folder.run("import", store, "T", "t.csv") == "T: 2 inserted, 0 updated, 0 unchanged\n")
      #expect(
        try folder.run("schema", store) == """
          T
            id: int64 key
            n: int64?
            mixed: double
            real: double
            flag: bool
            day: date
            code: string
            huge: string
            plus: string
            hex: string
            words: string
            empty: string?
            tiny: int64

          """)
      #expect(
        try folder.run("query", store, "T", "--format", "csv") == """
          id,n,mixed,real,flag,day,code,huge,plus,hex,words,empty,tiny
          1,5,1.0,1.5,true,2024-05-01T00:00:00Z,007,9223372036854775808,+49,0x10,nan,,-7
          2,,2.5,2000.0,false,2024-05-01T10:00:00.5Z,12,1,50,1,inf,,9223372036854775807

          """)
    }

    @Test("JSON Lines keep their kinds and the order of their members", arguments: Kind.allCases)
    func jsonLines(kind: Kind) throws {
      let folder = CommandFolder()
      try folder.write(
        "\u{FEFF}{\"z\":1,\"id\":\"a\",\"on\":true,\"at\":\"2024-05-01\",\"list\":[1,2]}\r\n"
          + "\n"
          + "{\"id\":\"b\",\"z\":2.5,\"on\":null,\"o\":{\"k\":[1, \"x\"]},\"mix\":3,\"list\":[]}\n"
          + "{\"id\":\"c\",\"z\":0,\"mix\":\"\\u00e9\",\"z\":7,\"s\":[\"p q\"],\"big\":1e2}",
        to: "t.jsonl")
      let store = kind.location()
      #expect(
        try folder.run("import", store, "T", "t.jsonl") == "T: 3 inserted, 0 updated, 0 unchanged\n"
      )
      #expect(
        try folder.run("schema", store) == """
          T
            z: double
            id: string key
            on: bool?
            at: date?
            list: array of int64?
            o: json?
            mix: string?
            s: array of string?
            big: double?

          """)
      let a =
        #"{"z":1.0,"id":"a","on":true,"at":"2024-05-01T00:00:00Z","list":[1,2],"o":null,"#
        + #""mix":null,"s":null,"big":null}"#
      let b =
        #"{"z":2.5,"id":"b","on":null,"at":null,"list":[],"o":{"k":[1,"x"]},"mix":"3","#
        + #""s":null,"big":null}"#
      let c =
        #"{"z":7.0,"id":"c","on":null,"at":null,"list":null,"o":null,"mix":"é","#
        + #""s":["p q"],"big":100.0}"#
      #expect(
        try folder.run("query", store, "T", "--format", "jsonl")
          == [a, b, c, ""].joined(separator: "\n")
      )
    }

    @Test("A broken line of JSON is reported with its line")
    func brokenJSON() throws {
      let folder = CommandFolder()
      for (text, message) in [
        (
          "{\"id\":1}\n{\"id\":}\n",
          "t.jsonl, id (line 2, column 7, byte 15): not JSON that can be read: no JSON value"
        ),
        (
          "{\"id\":1}\n\n[1]\n",
          "t.jsonl, the top (line 3, column 1, byte 10): expected an object, found an array"
        ),
        (
          "{\"id\":1} x\n",
          "t.jsonl, the top (line 1, column 10, byte 9): not JSON that can be read: text after the end"
        ),
      ] {
        try folder.write(text, to: "t.jsonl")
        let errors = try folder.failure("import", "sqlite:a.sqlite", "T", "t.jsonl")
        #expect(errors.contains("invalidImport: " + message), "\(errors)")
        #expect(!folder.exists("a.sqlite"))
      }
    }

    private let integer = "an integer of 64 bits or a text of it"

    @Test("A wrong value in any row leaves the store as it was", arguments: Kind.allCases)
    func allOrNothing(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,10\n2,20\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      let before = try folder.run("query", store, "T", "--format", "jsonl")
      // More than one batch of 5,000 is written before the fault.
      let rows = (1...6_000).map { "\($0),0" } + ["6001,x"]
      try folder.write("id,n\n" + rows.joined(separator: "\n"), to: "b.csv")
      let errors = try folder.failure("import", store, "T", "b.csv")
      #expect(
        errors.contains(
          "b.csv, n (line 6002, column 6, byte 40903): expected \(integer), found a string"),
        "\(errors)")
      #expect(try folder.run("query", store, "T", "--format", "jsonl") == before)
      for (text, message) in [
        (
          "id,other\n3,1\n",
          "c.csv, other (line 2, column 3, byte 11): the mapping does not know the member"
        ),
        (
          "id,n\n3,\n",
          "c.csv, n (line 2, column 3, byte 7): expected \(integer), found null"
        ),
        (
          "id,n\n,4\n",
          "c.csv, id (line 2, column 1, byte 5): expected \(integer), found null"
        ),
        ("n\n4\n", "c.csv, line 2, column 1, byte 2: the record has no key id"),
        ("id,n\n3,4\n\"5", "c.csv, line 3, column 1, byte 9: a quoted field has no closing quote"),
        (
          "id,n\n3,99999999999999999999\n",
          "c.csv, n (line 2, column 3, byte 7): expected \(integer), found a number"
        ),
      ] {
        try folder.write(text, to: "c.csv")
        let errors = try folder.failure("import", store, "T", "c.csv")
        #expect(errors.contains(message), "\(errors)")
      }
      #expect(try folder.run("query", store, "T", "--format", "jsonl") == before)
      #expect(try folder.run("schema", store) == "T\n  id: int64 key\n  n: int64\n")
    }

    @Test("A file that does not fit makes neither store nor entity", arguments: Kind.allCases)
    func nothingIsMade(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,x\n", to: "a.csv")
      let errors = try folder.failure("import", store, "T", "a.csv", "--types", "n=integer")
      #expect(
        errors.contains("a.csv, line 2, column 3, byte 7: the value of T.n does not read as int64"))
      _ = try folder.failure("import", store, "T", "a.csv", "--key", "nope")
      _ = try folder.failure("import", store, "T", "a.csv", "--types", "n=thing")
      _ = try folder.failure("import", store, "T", "a.csv", "--types", "m=text")
      _ = try folder.failure("import", store, "T", "missing.csv")
      _ = try folder.failure("import", store, "T", ".")
      try folder.write("id,n\n1,2\n,3\n", to: "b.csv")
      _ = try folder.failure("import", store, "T", "b.csv")
      try folder.write("id,n\n", to: "c.csv")
      _ = try folder.failure("import", store, "T", "c.csv")
      #expect(!folder.exists("store.\(kind.rawValue)"))
      try folder.write("id,n\n1,2\n", to: "d.csv")
      _ = try folder.run("import", store, "Other", "d.csv")
      _ = try folder.failure("import", store, "T", "a.csv", "--types", "n=integer")
      #expect(try folder.run("schema", store) == "Other\n  id: int64 key\n  n: int64\n")
    }

    @Test(
      "Importing again updates by key and keeps what the file leaves out", arguments: Kind.allCases)
    func again(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("code,name,note\nA,Ann,x\nB,Bob,y\n", to: "a.csv")
      #expect(
        try folder.run("import", store, "T", "a.csv", "--key", "code")
          == "T: 2 inserted, 0 updated, 0 unchanged\n")
      try folder.write("code,name\nB,Bert\nA,Ann\n", to: "b.csv")
      #expect(
        try folder.run("import", store, "T", "b.csv", "--key", "code", "--types", "name=text")
          == "T: 0 inserted, 1 updated, 1 unchanged\n")
      #expect(
        try folder.run("query", store, "T", "--format", "csv")
          == "code,name,note\nA,Ann,x\nB,Bert,y\n")
      _ = try folder.failure("import", store, "T", "b.csv", "--key", "name")
      _ = try folder.failure("import", store, "T", "b.csv", "--types", "name=integer")
      try folder.write("id,n\n1,2\n", to: "c.csv")
      #expect(
        try folder.run("import", store, "Second", "c.csv")
          == "Second: 1 inserted, 0 updated, 0 unchanged\n")
      #expect(try folder.run("stats", store).hasPrefix("T: 2 rows, 0 indexes\nSecond: 1 row"))
    }

    @Test("Bad records of a new entity go into a file, and have no say", arguments: Kind.allCases)
    func rejectsOfNewEntities(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      func rejected(_ entity: String, _ file: String, _ rest: String...) throws -> String {
        let run = try CommandRun(
          ["import", store, entity, file, "--rejects", "bad.jsonl"] + rest, in: folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.output
      }
      try folder.write("id,n\n1,10\n2,x\n,30\n4,40\n", to: "a.csv")
      #expect(
        try rejected("T", "a.csv", "--types", "n=integer")
          == "T: 2 inserted, 0 updated, 0 unchanged, 2 rejected\n")
      let bad = try String(contentsOfFile: "\(folder.path)/bad.jsonl", encoding: .utf8)
      #expect(bad.split(separator: "\n").map { $0.contains("\"line\":3") } == [true, false])
      #expect(bad.split(separator: "\n").map { $0.contains("\"line\":4") } == [false, true])
      #expect(try folder.run("query", store, "T", "--format", "csv") == "id,n\n1,10\n4,40\n")
      try folder.write(
        #"{"id":1,"n":1}"# + "\n" + #"{"id":2,"n":"x"} x"# + "\n" + #"{"n":3}"# + "\n"
          + #"{"id":4}"# + "\n", to: "b.jsonl")
      #expect(try rejected("U", "b.jsonl") == "U: 2 inserted, 0 updated, 0 unchanged, 2 rejected\n")
      #expect(
        try folder.run("schema", store)
          == "T\n  id: int64 key\n  n: int64\n\nU\n  id: int64 key\n  n: int64?\n")
      try folder.write("id,n\n1,x\n", to: "c.csv")
      let errors = try folder.failure(
        "import", store, "V", "c.csv", "--types", "n=integer", "--rejects", "bad.jsonl")
      #expect(errors.contains("every record of the file is bad"), "\(errors)")
      #expect(!(try folder.run("schema", store).contains("V")))
    }

    @Test("12.1 An import that fails leaves no new entity", arguments: Kind.allCases)
    func failuresOfNewEntities(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      // The name is read as a path, at which the record has nothing.
      try folder.write(#"{"id":1,"a.b":3}"#, to: "a.jsonl")
      try folder.write("id,n\n1,2\n", to: "b.csv")
      _ = try folder.run("import", store, "Other", "b.csv")
      for rest in [
        ["a.jsonl"], ["b.csv", "--prune", "nope = 1"],
        ["b.csv", "--rejects", "no/folder/bad.jsonl"],
      ] {
        for every in [[], ["--every", "1"]] {
          let run = try CommandRun(["import", store, "New"] + rest + every, in: folder)
          #expect(run.status != 0)
          let entities = try folder.run("schema", store).split(separator: "\n")
          #expect(entities.contains("Other") && !entities.contains("New"), "\(rest + every)")
        }
      }
      #expect(try folder.run("query", store, "Other", "--format", "csv") == "id,n\n1,2\n")
      #expect(
        try folder.run("import", store, "New", "b.csv")
          == "New: 1 inserted, 0 updated, 0 unchanged\n")
    }

    @Test(
      "12.3 An interrupted import of a new entity goes on", arguments: [Kind.sqlite, .lmdb])
    func newEntityGoesOn(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,1\n2,x\n3,3\n", to: "a.csv")
      let arguments = [
        "import", store, "T", "a.csv", "--types", "n=integer", "--every", "1", "--rejects",
        "bad.jsonl",
      ]
      // The last transaction is refused, since a record is bad; those before stay.
      for _ in 0..<2 {
        let run = try CommandRun(arguments + ["--prune", "*"], in: folder)
        #expect(run.errors.contains("pruneRefused"), "\(run.errors)")
      }
      let run = try CommandRun(arguments, in: folder)
      #expect(
        run.output == "T: 2 inserted, 0 updated, 0 unchanged, 1 rejected, resumed after 3\n",
        "\(run.errors)")
      #expect(try folder.run("query", store, "T", "--format", "csv") == "id,n\n1,1\n3,3\n")
    }

    @Test("A file without a key gets a hidden one, and named types hold", arguments: Kind.allCases)
    func hiddenKeyAndTypes(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("zip,price,ref\n01234,0.10,1\n99,1e2,2\n01234,0.10,1\n", to: "a.csv")
      _ = try folder.run(
        "import", store, "T", "a.csv", "--types", "price=decimal,zip=text,ref=double")
      #expect(
        try folder.run("query", store, "T", "--format", "csv")
          == "zip,price,ref\n01234,0.1,1.0\n99,100,2.0\n01234,0.1,1.0\n")
    }
  }
#endif
