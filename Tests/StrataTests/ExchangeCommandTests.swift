#if Command
  import Foundation
  import ORM
  import SQLiteBackend
  import Testing

  /// `strata import` with its options, and `strata export`.
  struct ExchangeCommandTests {
    @Test("JSON is imported by a mapping in a file", arguments: Kind.allCases)
    func mapping(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,name,price\n1,Chips,2.5\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      try folder.write(
        #"{"data":{"items":[{"id":1,"cost":{"amount":"3"}},{"id":2,"title":"Cake","cost":{"amount":1}}]}}"#,
        to: "b.json")
      try folder.write(
        #"{"fields":{"name":{"from":["title"]},"price":{"from":["cost.amount"]}}}"#, to: "map.json")
      #expect(
        try folder.run("import", store, "T", "b.json", "--at", "data.items", "--map", "map.json")
          == "T: 1 inserted, 1 updated, 0 unchanged\n")
      #expect(
        try folder.run("query", store, "T", "--format", "csv")
          == "id,name,price\n1,Chips,3.0\n2,Cake,1.0\n")
      try folder.write(#"{"fields":{"nme":{}}}"#, to: "map.json")
      #expect(
        try folder.failure("import", store, "T", "a.csv", "--map", "map.json")
          .contains("invalidMapping"))
    }

    @Test("12.13 Records of several kinds are imported and exported by a mapping in a file")
    func kinds() throws {
      let folder = CommandFolder()
      let schema = try Schema(Beast.self, Lion.self, Lamb.self)
      try SQLiteStore(path: "\(folder.path)/b.sqlite", schema: schema).close()
      try folder.write(
        """
        {"is": "lion", "id": 1, "name": "Leo", "mane": 3, "rival_id": 2}
        {"is": "lamb", "id": 2, "label": "Dolly"}
        {"is": "beast", "id": 3, "name": "Yeti"}
        {"is": "fish", "id": 4, "name": "Cod"}

        """, to: "a.jsonl")
      try folder.write(
        """
        {"kind": {"in": "is", "entities": [
          {"entity": "Lion", "kinds": ["lion"]},
          {"entity": "Lamb", "kinds": ["lamb"], "mapping": {"fields": {"name": {"from": ["label"]}}}},
          {"entity": "Beast", "kinds": ["beast"]}]}}
        """, to: "map.json")
      #expect(
        try folder.run(
          "import", "sqlite:b.sqlite", "Beast", "a.jsonl", "--map", "map.json", "--rejects",
          "bad.jsonl")
          == "Beast: 3 inserted, 0 updated, 0 unchanged, 1 rejected\n")
      #expect(
        try folder.run("query", "sqlite:b.sqlite", "Lion", "--format", "csv")
          == "id,name,mane\n1,Leo,3\n")
      let rows = try folder.run("query", "sqlite:b.sqlite", "Beast", "--format", "csv")
      #expect(
        rows.split(separator: "\n").dropFirst().map { $0.prefix(7) } == [
          "1,Leo,2", "2,Dolly", "3,Yeti,",
        ])
      _ = try folder.run("export", "sqlite:b.sqlite", "Beast", "b.csv", "--map", "map.json")
      let text = try String(contentsOfFile: "\(folder.path)/b.csv", encoding: .utf8)
      #expect(
        text
          == "id,name,rival_id,is,mane,label\n1,Leo,2,lion,3,\n2,,,lamb,,Dolly\n3,Yeti,,beast,,\n")
      #expect(
        try folder.run("import", "sqlite:b.sqlite", "Beast", "b.csv", "--map", "map.json")
          == "Beast: 0 inserted, 0 updated, 3 unchanged\n")
      try folder.write(
        #"{"kind": {"in": "is", "entities": [{"entity": "Cat", "kinds": ["c"]}]}}"#, to: "map.json")
      #expect(
        try folder.failure("import", "sqlite:b.sqlite", "Beast", "b.csv", "--map", "map.json")
          .contains("Cat is no subentity of Beast"))
    }

    @Test("A prune deletes what did not come", arguments: Kind.allCases)
    func prune(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,1\n2,1\n3,2\n4,2\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      try folder.write("id;n\n1;1\n", to: "b.csv")
      #expect(
        try folder.run("import", store, "T", "b.csv", "--prune", "n = 1", "--delimiter", ";")
          == "T: 0 inserted, 0 updated, 1 unchanged, 1 deleted\n")
      #expect(
        try folder.failure("import", store, "T", "b.csv", "--prune", "*", "--delimiter", ";")
          .contains("pruneRefused"))
      #expect(
        try folder.run(
          "import", store, "T", "b.csv", "--prune", "*", "--prune-limit", "90", "--delimiter", ";")
          == "T: 0 inserted, 0 updated, 1 unchanged, 2 deleted\n")
    }

    @Test("Bad records go into a file, and what was mended is imported", arguments: Kind.allCases)
    func rejects(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write("id,n\n1,1\n", to: "a.csv")
      _ = try folder.run("import", store, "T", "a.csv")
      try folder.write("id,n\n2,x\n3,3\n", to: "b.csv")
      #expect(
        try folder.run("import", store, "T", "b.csv", "--rejects", "bad.jsonl", "--every", "1")
          == "T: 1 inserted, 0 updated, 0 unchanged, 1 rejected\n")
      let bad = try String(contentsOfFile: "\(folder.path)/bad.jsonl", encoding: .utf8)
      try folder.write(bad.replacing(#""n":"x""#, with: #""n":2"#), to: "bad.jsonl")
      #expect(
        try folder.run("import", store, "T", "bad.jsonl", "--at", "record")
          == "T: 1 inserted, 0 updated, 0 unchanged\n")
    }

    @Test("What was exported is imported to the same", arguments: Kind.allCases)
    func export(kind: Kind) throws {
      let folder = CommandFolder()
      let store = kind.location()
      try folder.write(
        #"{"id":1,"s":"a,\"b\"","l":["x y"],"o":{"k":[1]},"d":"2024-05-01","r":0.5,"e":""}"# + "\n"
          + #"{"id":2,"s":null,"l":[],"o":null,"d":null,"r":null,"e":"é"}"# + "\n", to: "t.jsonl")
      _ = try folder.run("import", store, "T", "t.jsonl")
      for name in ["e.csv", "e.json", "e.jsonl"] {
        #expect(try folder.run("export", store, "T", name).hasPrefix("T: 2 exported, "))
        #expect(
          try folder.run("import", store, "T", name) == "T: 0 inserted, 0 updated, 2 unchanged\n",
          "\(name)")
      }
      #expect(
        try folder.run("export", store, "T", "one.jsonl", "--where", "id = 2").hasPrefix(
          "T: 1 exported"))
    }
  }

  /// The root of a hierarchy with a link.
  private struct Beast: PrimaryKeyed, Codable {
    var id: Int64
    var name: String
    var rival: ToOne<Beast> = ToOne()

    static let entity = Entity<Beast>("Beast") {
      .key("id", \.id).attribute("name", \.name).relationship("rival", \.rival)
    }
  }

  private struct Lion: PrimaryKeyed, Codable {
    var id: Int64
    var name: String
    var mane: Int

    static let entity = Entity<Lion>("Lion", parent: Beast.self) {
      .key("id", \.id).attribute("name", \.name).attribute("mane", \.mane)
    }
  }

  private struct Lamb: PrimaryKeyed, Codable {
    var id: Int64
    var name: String

    static let entity = Entity<Lamb>("Lamb", parent: Beast.self) {
      .key("id", \.id).attribute("name", \.name)
    }
  }
#endif
