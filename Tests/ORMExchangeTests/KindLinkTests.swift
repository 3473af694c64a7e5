import Foundation
import ORMExchange
import TestSupport
import Testing

/// Relationships of the entity above in imports of several kinds: with keys of the store, recorded keys,
/// hooks, and lists whose missing members are deleted.
@Suite struct KindLinkTests {
  let folder = TestFolder()

  private func open(_ kind: ImportStore) throws -> any Store {
    let store = try kind.open(
      folder, Schema(Machine.self, Robot.self, Tool.self, Maker.self, ImportCheckpoint.self))
    try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
    return store
  }

  private static let mapping = JSONMapping(Machine.self)
    .nested(\.tools, from: "tools", missing: .delete)
    .kind(in: "is", ["robot": Robot.self, "machine": Machine.self])

  private func importing(
    _ lines: [String], into store: any Store,
    _ configure: (inout ImportOptions<Machine>) -> Void = { _ in }
  ) throws -> ImportReport {
    try store.import(Machine.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
      $0.mapping = Self.mapping
      configure(&$0)
    }
  }

  private func rows(_ store: any Store) throws -> [String] {
    let objects = try store.fetch(Machine.all, as: .concrete)
    return try zip(objects, store.fetch(Machine.all.prefetch(\.tools))).map { object, machine in
      let arms = (object as? Robot).map { " arms \($0.arms)" } ?? ""
      let tools = (machine.tools.loaded ?? []).map(\.name).sorted()
      return "\(type(of: object)) \(machine.name)\(arms)"
        + (machine.maker.id.map { " maker \($0)" } ?? "") + (tools.isEmpty ? "" : " \(tools)")
    }
  }

  @Test(
    "12.5, 12.13 Records whose keys the store gives have their links too",
    arguments: ImportStore.allCases)
  func generatedKeys(kind: ImportStore) throws {
    let store = try open(kind)
    try store.save(Robot(name: "old", arms: 0))
    let lines = [
      #"{"is":"robot","name":"r","arms":2,"maker_id":1}"#,
      #"{"is":"machine","name":"m","maker_id":2}"#,
      #"{"is":"robot","name":"s","arms":3,"maker":"x"}"#,
      #"{"is":"robot","name":"t","arms":4,"maker_id":2,"tools":[{"name":"saw"}]}"#,
      #"{"is":"robot","id":1,"name":"old","maker_id":1}"#,
    ]
    let report = try importing(lines, into: store) {
      $0.onBad = .collect()
      $0.prune = .missing(in: Machine.all)
      $0.prunesDespiteBadRecords = true
    }
    #expect((report.inserted, report.updated, report.badCount) == (3, 1, 1))
    #expect(report.deleted == 0)
    let expected = [
      "Robot old arms 0 maker 1", "Robot r arms 2 maker 1", "Machine m maker 2",
      #"Robot t arms 4 maker 2 ["saw"]"#,
    ]
    #expect(try Set(rows(store)) == Set(expected))
    // Rows found by an attribute.
    _ = try importing(
      [
        #"{"is":"robot","name":"r","arms":5,"maker_id":null}"#,
        #"{"is":"machine","name":"n","maker_id":1}"#,
      ], into: store
    ) { $0.match = .on(\.name) }
    #expect(
      try Set(rows(store)) == [
        "Robot old arms 0 maker 1", "Robot r arms 5", "Machine m maker 2",
        #"Robot t arms 4 maker 2 ["saw"]"#, "Machine n maker 1",
      ])
  }

  @Test("12.4, 12.13 A link keeps the key of a missing target", arguments: ImportStore.allCases)
  func keptKeys(kind: ImportStore) throws {
    let store = try open(kind)
    let lines = [
      #"{"is":"robot","id":1,"name":"r","arms":2,"maker_id":9}"#,
      #"{"is":"machine","id":2,"name":"m","maker_id":8}"#,
      #"{"is":"robot","id":3,"name":"s","arms":2,"maker_id":1}"#,
    ]
    _ = try importing(lines, into: store) { $0.missingTargets = .keepKey }
    let expected = ["Robot r arms 2 maker 9", "Machine m maker 8", "Robot s arms 2 maker 1"]
    #expect(try rows(store) == expected)
    try store.deleteAll(Machine.self)
    let data = DynamicMapping(
      kind: .init(in: "is", entities: [.init("Robot", ["robot"]), .init("Machine", ["machine"])]))
    try store.import(
      entity: "Machine", from: .jsonLines(.text(lines.joined(separator: "\n")))
    ) {
      $0.mapping = data
      $0.missingTargets = .keepKey
    }
    #expect(try rows(store) == expected)
    let error = storeError {
      try store.import(
        entity: "Machine",
        from: .jsonLines(.text(#"{"is":"robot","name":"x","arms":1,"maker_id":1}"#))
      ) { $0.mapping = data }
    }
    #expect(error?.code == .invalidImport)
  }

  @Test(
    "12.5, 12.13 Lists of the entity above delete the members that they lack",
    arguments: ImportStore.allCases)
  func lists(kind: ImportStore) throws {
    let store = try open(kind)
    _ = try importing(
      [
        #"{"is":"robot","id":1,"name":"r","arms":2,"tools":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}"#,
        #"{"is":"machine","id":2,"name":"m","tools":[{"id":3,"name":"c"}]}"#,
      ], into: store)
    #expect(try rows(store) == [#"Robot r arms 2 ["a", "b"]"#, #"Machine m ["c"]"#])
    let report = try importing(
      [
        #"{"is":"robot","id":1,"tools":[{"id":2,"name":"B"}]}"#,
        #"{"is":"machine","id":2,"tools":[]}"#, #"{"is":"robot","id":1,"arms":3}"#,
      ], into: store)
    #expect(report.related["Tool"]?.deleted == 2)
    #expect(try rows(store) == [#"Robot r arms 3 ["B"]"#, "Machine m"])
    #expect(try store.fetch(Tool.all).map(\.id) == [2])
  }

  @Test(
    "12.4, 12.13 A row that records of several kinds nest has the values of the last record",
    arguments: ImportStore.allCases)
  func sharedObjects(kind: ImportStore) throws {
    let store = try open(kind)
    let mapping = JSONMapping(Machine.self).nested(\.tools, from: "tools")
      .kind(in: "is", ["robot": Robot.self, "machine": Machine.self])
    let orders = [["robot", "machine", "robot"], ["machine", "robot", "machine"]]
    for (tool, kinds) in zip(Int64(1)..., orders) {
      let lines = zip((3 * tool)..., kinds).map { id, kind in
        #"{"is":"\#(kind)","id":\#(id),"name":"n\#(id)","arms":1,"#
          + #""tools":[{"id":\#(tool),"name":"of \#(id)"}]}"#
      }
      _ = try importing(lines, into: store) { $0.mapping = mapping }
      let last = 3 * tool + 2
      let found = try store.find(Tool.self, tool)
      #expect(found?.name == "of \(last)")
      #expect(found?.machine.id == last)
    }
  }

  @Test("12.13 A hook before belongs to the rules that a kind has")
  func hooks() async throws {
    let store = try open(.sqlite)
    let hooked = Self.mapping.before { json in
      json["name"] = .string(json["title"].string ?? "?")
      json["maker_id"] = 2
      return json["hidden"] == true ? .skip : .keep
    }
    let lines = [
      #"{"is":"robot","id":1,"title":"r","arms":2}"#, #"{"is":"machine","id":2,"title":"m"}"#,
      #"{"is":"robot","id":3,"title":"x","arms":2,"hidden":true}"#,
    ].joined(separator: "\n")
    let report = try await store.import(Machine.self, from: .jsonLines(.text(lines))) {
      $0.mapping = hooked
    }
    #expect((report.inserted, report.skipped) == (2, 1))
    #expect(try rows(store) == ["Robot r arms 2 maker 2", "Machine m maker 2"])
    let after = Self.mapping.after { machine, _ in
      machine.name += "!"
      return .keep
    }.kind(
      Robot.self,
      with: JSONMapping(Robot.self).after { robot, _ in
        robot.arms += 10
        return .keep
      })
    _ = try await store.import(
      Machine.self,
      from: .jsonLines(
        .text(
          """
          {"is":"robot","id":1,"name":"r","arms":2,"maker_id":1}
          {"is":"machine","id":2,"name":"m"}
          """))
    ) { $0.mapping = after }
    #expect(try rows(store) == ["Robot r arms 12 maker 1", "Machine m! maker 2"])
    let data = DynamicMapping(
      kind: .init(in: "is", entities: [.init("Robot", ["robot"])], otherwise: .skip))
    let byNames = try await store.import(
      entity: "Machine", from: .jsonLines(.text(#"{"is":"robot","id":4,"name":"y","arms":1}"#))
    ) { $0.mapping = data }
    #expect(byNames.inserted == 1)
  }
}

/// A hierarchy whose keys the store gives.
private struct Machine: PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var maker: ToOne<Maker> = ToOne()
  var tools: ToMany<Tool> = ToMany()

  static let entity = Entity<Machine>("Machine") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("maker", \.maker, targetDeleted: .noAction)
      .relationship("tools", \.tools, inverse: \Tool.machine)
  }
}

private struct Robot: PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var arms: Int

  static let entity = Entity<Robot>("Robot", parent: Machine.self) {
    .key("id", \.id, .generated).attribute("name", \.name).attribute("arms", \.arms)
  }
}

private struct Tool: PrimaryKeyed, Codable {
  var id: Int64 = 0
  var name: String
  var machine: ToOne<Machine> = ToOne()

  static let entity = Entity<Tool>("Tool") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .relationship("machine", \.machine)
  }
}
