import Foundation
import ORMExchange
import TestSupport
import Testing

/// Imports of records of several kinds by one mapping.
@Suite struct KindImportTests {
  let folder = TestFolder()

  private func open(_ kind: ImportStore) throws -> any Store {
    let store = try kind.open(folder, .vehicles)
    try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
    return store
  }

  private func importing(
    _ lines: [String], into store: any Store,
    _ configure: (inout ImportOptions<Vehicle>) -> Void = { _ in }
  ) throws -> ImportReport {
    try store.import(Vehicle.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
      $0.mapping = .vehicles
      configure(&$0)
    }
  }

  @Test(
    "12.13 Every record is saved as its own entity, with its links",
    arguments: ImportStore.allCases)
  func kinds(kind: ImportStore) throws {
    let store = try open(kind)
    let report = try importing(
      [
        #"{"type":"car","id":1,"name":"ant","wheels":4,"doors":3,"maker_id":1,"follows_id":4}"#,
        #"{"type":"van","id":2,"label":"bus","load":2.5,"doors":"two","follows":1,"spare":9}"#,
        #"{"id":3,"type":"sports","name":"bolt","doors":2,"top_speed":310,"spare":1,"maker":2}"#,
        #"{"type":"vehicle","id":4,"name":"bike","wheels":2,"partners":[1,2]}"#,
        #"{"type":"coupe","id":5,"name":"cat","doors":2,"spare_id":3,"partners":[2]}"#,
      ], into: store)
    #expect((report.read, report.inserted, report.badCount) == (5, 5, 0))
    #expect(
      try store.vehicles() == [
        "Car 1 ant wheels 4 doors 3 maker 1 follows 4",
        "Van 2 bus load 2.5 doors 'two' follows 1",
        "SportsCar 3 bolt doors 2 speed 310.0 maker 2 spare 1",
        "Vehicle 4 bike wheels 2 partners [1, 2]",
        "Car 5 cat doors 2 spare 3 partners [2]",
      ])
    // What a record lacks stays, whatever its kind; null clears.
    let again = try importing(
      [
        #"{"type":"car","id":1,"wheels":null,"maker_id":null}"#,
        #"{"type":"van","id":2,"label":"coach","follows_id":3}"#,
        #"{"type":"sports","id":3,"top_speed":320}"#,
        #"{"type":"vehicle","id":4,"name":"bike"}"#,
      ], into: store)
    #expect((again.updated, again.unchanged, again.inserted) == (3, 1, 0))
    #expect(
      try store.vehicles() == [
        "Car 1 ant doors 3 follows 4",
        "Van 2 coach load 2.5 doors 'two' follows 3",
        "SportsCar 3 bolt doors 2 speed 320.0 maker 2 spare 1",
        "Vehicle 4 bike wheels 2 partners [1, 2]",
        "Car 5 cat doors 2 spare 3 partners [2]",
      ])
  }

  @Test(
    "12.4, 12.13 Links between kinds may lead to later records", arguments: ImportStore.allCases)
  func forwardLinks(kind: ImportStore) throws {
    let store = try open(kind)
    // Each leads to the next, in a circle; the kinds take turns.
    func line(_ id: Int) -> String {
      let next = id % 40 + 1
      switch id % 3 {
      case 0: return #"{"type":"car","id":\#(id),"name":"n\#(id)","doors":4,"follows_id":\#(next)}"#
      case 1: return #"{"type":"van","id":\#(id),"label":"n\#(id)","follows_id":\#(next)}"#
      default: return #"{"type":"vehicle","id":\#(id),"name":"n\#(id)","follows_id":\#(next)}"#
      }
    }
    let expected = (1...40).map { id in
      let next = id % 40 + 1
      switch id % 3 {
      case 0: return "Car \(id) n\(id) doors 4 follows \(next)"
      case 1: return "Van \(id) n\(id) load 1.0 follows \(next)"
      default: return "Vehicle \(id) n\(id) follows \(next)"
      }
    }
    var random = SeededGenerator.printed("\(#function) \(kind)")
    for _ in 0..<3 {
      try store.deleteAll(Vehicle.self)
      let report = try importing((1...40).map(line).shuffled(using: &random), into: store)
      #expect(report.inserted == 40)
      #expect(try store.vehicles() == expected)
      try store.deleteAll(Vehicle.self)
      let batches = try importing((1...40).map(line).shuffled(using: &random), into: store) {
        $0.commit = .every(7)
      }
      #expect(batches.inserted == 40)
      #expect(try store.vehicles() == expected)
    }
  }

  @Test(
    "12.13 Records of an unknown kind are refused, left out, or read as the parent",
    arguments: ImportStore.allCases)
  func unknownKinds(kind: ImportStore) throws {
    let lines = [
      #"{"type":"car","id":1,"name":"ant","doors":3}"#,
      #"{"type":"ship","id":2,"name":"b","doors":3}"#,
      #"{"type":7,"id":3,"name":"c"}"#,
      #"{"type":null,"id":4,"name":"d"}"#,
      #"{"id":5,"name":"e"}"#,
      #"{"type":["car"],"id":6,"name":"f"}"#,
      #"["#,
      #"7"#,
    ]
    let store = try open(kind)
    let refused = try importing(lines, into: store) { $0.onBad = .collect() }
    #expect((refused.inserted, refused.badCount) == (1, 7))
    #expect(refused.bad.map(\.number) == Array(2...8))
    #expect(
      refused.bad.first?.error.message.hasSuffix(
        "expected the kind car or coupe or sports or van or vehicle") == true)
    let stopped = storeError { _ = try importing(lines, into: store) }
    #expect(stopped?.code == .invalidImport)
    #expect(stopped?.message.hasPrefix("type (line 2, column 1") == true)
    let skipped = try importing(lines, into: store) {
      $0.mapping = .vehicles(otherwise: .skip)
      $0.onBad = .collect()
    }
    #expect((skipped.unchanged, skipped.skipped, skipped.badCount) == (1, 5, 2))
    #expect(try store.vehicles() == ["Car 1 ant doors 3"])
    let kept = try importing(lines, into: store) {
      $0.mapping = .vehicles(otherwise: .keep)
      $0.onBad = .collect()
    }
    #expect((kept.unchanged, kept.inserted, kept.badCount) == (1, 5, 2))
    #expect(
      try store.vehicles() == [
        "Car 1 ant doors 3", "Vehicle 2 b", "Vehicle 3 c", "Vehicle 4 d", "Vehicle 5 e",
        "Vehicle 6 f",
      ])
  }

  @Test(
    "5.11, 12.4, 12.13 Of two records with one key the later counts, or is of another kind",
    arguments: ImportStore.allCases)
  func oneKey(kind: ImportStore) throws {
    let store = try open(kind)
    let report = try importing(
      [
        #"{"type":"car","id":1,"name":"a","doors":3,"maker_id":1}"#,
        #"{"type":"van","id":2,"label":"b"}"#,
        #"{"type":"van","id":1,"label":"c"}"#,
        #"{"type":"car","id":1,"name":"d","maker_id":2}"#,
        #"{"type":"vehicle","id":1,"wheels":6}"#,
        #"{"type":"vehicle","id":3,"name":"e"}"#,
        #"{"type":"car","id":3,"name":"f","doors":2}"#,
        #"{"type":"car","id":2,"name":"g","doors":2}"#,
        // The name of one kind goes to another.
        #"{"type":"van","id":2,"label":"h"}"#,
        #"{"type":"car","id":4,"name":"b","doors":5}"#,
        #"{"type":"van","id":5,"label":"b"}"#,
      ], into: store
    ) { $0.onBad = .collect() }
    #expect(report.bad.map(\.number) == [3, 7, 8, 11])
    #expect(report.bad.allSatisfy { $0.error.code == .duplicate })
    #expect((report.inserted, report.updated + report.unchanged) == (4, 3))
    #expect(
      try store.vehicles() == [
        "Car 1 d wheels 6 doors 3 maker 2", "Van 2 h load 1.0", "Vehicle 3 e", "Car 4 b doors 5",
      ])
    let rows = try store.vehicles()
    let error = storeError {
      _ = try importing([#"{"type":"sports","id":4,"name":"x","doors":1}"#], into: store)
    }
    #expect(error?.code == .duplicate)
    #expect(try store.vehicles() == rows)
  }

  @Test("12.13 A match, merges and a value for every record", arguments: ImportStore.allCases)
  func options(kind: ImportStore) throws {
    let store = try open(kind)
    try store.save(Car(id: 11, name: "ant", wheels: 4, doors: 3))
    try store.save(Van(id: 12, name: "bus", wheels: 6, load: 4))
    let lines = [
      #"{"type":"car","id":1,"name":"ant","doors":5,"maker_id":1}"#,
      #"{"type":"van","id":2,"label":"bus","maker_id":2}"#,
      #"{"type":"van","id":3,"label":"new","maker_id":2}"#,
    ]
    let matched = try importing(lines, into: store) { $0.match = .on(\.name) }
    #expect((matched.inserted, matched.updated) == (1, 2))
    #expect(
      try store.vehicles() == [
        "Van 3 new load 1.0 maker 2", "Car 11 ant wheels 4 doors 5 maker 1",
        "Van 12 bus wheels 6 load 4.0 maker 2",
      ])
    let ignored = try importing(
      [
        #"{"type":"car","name":"cat","id":21,"doors":1,"maker_id":1}"#,
        #"{"type":"car","id":11,"name":"ant","maker_id":2}"#,
      ], into: store
    ) { $0.onMissing = .ignore }
    #expect((ignored.skipped, ignored.inserted) == (1, 0))
    #expect(try store.vehicles()[1] == "Car 11 ant wheels 4 doors 5 maker 2")
    #expect(try store.count(Vehicle.all) == 3)
    _ = try importing(
      [
        #"{"type":"car","id":11,"name":"ant","doors":9,"maker_id":1}"#,
        #"{"type":"van","id":13,"label":"eel","maker_id":1}"#,
        #"{"type":"van","id":14,"label":"fox","follows_id":15}"#,
        #"{"type":"car","id":12,"name":"x","doors":9,"follows_id":15}"#,
        #"{"type":"car","id":15,"name":"gnu","doors":2}"#,
      ], into: store
    ) {
      $0.merge = .insertOnly
      $0.onBad = .collect()
      $0.given = { $0.wheels = 8 }
    }
    #expect(
      try store.vehicles() == [
        "Van 3 new load 1.0 maker 2", "Car 11 ant wheels 4 doors 5 maker 2",
        "Van 12 bus wheels 6 load 4.0 maker 2", "Van 13 eel wheels 8 load 1.0 maker 1",
        "Van 14 fox wheels 8 load 1.0 follows 15", "Car 15 gnu wheels 8 doors 2",
      ])
    _ = try importing(
      [#"{"type":"van","id":13,"label":"eel","maker_id":null,"wheels":null}"#], into: store
    ) {
      $0.merge = .skippingNil
      $0.given = { $0.follows = .key(11) }
    }
    #expect(
      try store.vehicles()[3] == "Van 13 eel wheels 8 load 1.0 maker 1 follows 11")
    _ = try importing([#"{"type":"van","id":13,"label":"eel"}"#], into: store) {
      $0.merge = .replace
    }
    #expect(try store.vehicles()[3] == "Van 13 eel load 1.0 maker 1 follows 11")
  }

  @Test(
    "12.4, 12.6, 12.13 Links without a target are treated, whatever has them",
    arguments: ImportStore.allCases)
  func missingTargets(kind: ImportStore) throws {
    let store = try open(kind)
    let lines = [
      #"{"type":"car","id":1,"name":"a","doors":3,"maker_id":9,"spare_id":8}"#,
      #"{"type":"van","id":2,"label":"b","follows_id":1,"partners":[1,7]}"#,
    ]
    let report = try importing(lines, into: store) { $0.onBad = .collect() }
    #expect((report.inserted, report.bad.map(\.number)) == (2, [1, 2]))
    #expect(report.bad.allSatisfy { $0.error.code == .missingTarget })
    #expect(
      try store.vehicles() == ["Car 1 a doors 3", "Van 2 b load 1.0 follows 1"])
    _ = try importing(lines, into: store) { $0.missingTargets = .clear }
    #expect(
      try store.vehicles() == ["Car 1 a doors 3", "Van 2 b load 1.0 follows 1 partners [1]"])
    _ = try importing(
      [#"{"type":"van","id":2,"label":"b","maker_id":9,"partners":[7]}"#], into: store
    ) { $0.missingTargets = .create }
    #expect(
      try store.vehicles()[1] == "Van 2 b load 1.0 maker 9 follows 1 partners [7]")
    #expect(try store.fetch(Maker.all).map(\.id) == [1, 2, 7, 9])
  }

  @Test("12.4, 12.13 Links of kinds by an attribute, and nested objects")
  func nested() throws {
    let store = try open(.sqlite)
    let mapping = JSONMapping.vehicles.nested(\.maker, from: "maker", as: .linkBy(\.code))
    let report = try importing(
      [
        #"{"type":"car","id":1,"name":"a","doors":3,"maker":"b"}"#,
        #"{"type":"van","id":2,"label":"c","maker":{"code":"a"}}"#,
        #"{"type":"van","id":3,"label":"d","maker":"z"}"#,
      ], into: store
    ) {
      $0.mapping = mapping
      $0.onBad = .collect()
    }
    #expect(report.bad.map(\.number) == [3])
    #expect(
      try store.vehicles() == [
        "Car 1 a doors 3 maker 2", "Van 2 c load 1.0 maker 1", "Van 3 d load 1.0",
      ])
    // A nested object counts with its record, and parts of it come with records of several kinds.
    let saving = JSONMapping.vehicles.nested(\.maker, from: "maker")
    _ = try importing(
      [
        #"{"type":"car","id":1,"maker":{"id":5,"code":"five"}}"#,
        #"{"type":"van","id":2,"maker":{"id":5,"name":"V"}}"#,
        #"{"type":"car","id":4,"name":"e","doors":1,"maker":{"id":5,"code":"cinq"}}"#,
        #"{"type":"vehicle","id":6,"name":"g","maker":{"id":6,"code":"six"}}"#,
      ], into: store
    ) { $0.mapping = saving }
    #expect(
      try store.vehicles() == [
        "Car 1 a doors 3 maker 5", "Van 2 c load 1.0 maker 5", "Van 3 d load 1.0",
        "Car 4 e doors 1 maker 5", "Vehicle 6 g maker 6",
      ])
    let maker = try store.find(Maker.self, 5)
    #expect(maker == Maker(id: 5, code: "cinq", name: "V"))
  }

  @Test(
    "12.5, 12.13 A prune looks at the rows of all kinds together", arguments: ImportStore.allCases)
  func prune(kind: ImportStore) throws {
    let store = try open(kind)
    try store.save([Vehicle(id: 1, name: "a"), Vehicle(id: 2, name: "b")])
    try store.save([Car(id: 3, name: "c", doors: 1), Car(id: 4, name: "d", doors: 1)])
    try store.save([Van(id: 5, name: "e"), Van(id: 6, name: "f")])
    let lines = [
      #"{"type":"vehicle","id":1}"#, #"{"type":"car","id":3,"name":"c","doors":1}"#,
      #"{"type":"van","id":5,"load":2}"#, #"{"type":"van","id":7,"label":"g"}"#,
    ]
    let report = try importing(lines, into: store) { $0.prune = .missing(in: Vehicle.all) }
    #expect((report.deleted, report.inserted) == (3, 1))
    #expect(
      try store.vehicles() == [
        "Vehicle 1 a", "Car 3 c doors 1", "Van 5 e load 2.0", "Van 7 g load 1.0",
      ])
    // A bad record did not come.
    let bad = try importing(
      Array(lines[0...1]) + [#"{"type":"van","id":5,"load":"x"}"#, #"{"type":"car","id":7}"#],
      into: store
    ) {
      $0.prune = .missing(in: Vehicle.where { $0.id > 1 })
      $0.onBad = .collect()
      $0.prunesDespiteBadRecords = true
      $0.pruneLimit = 1
    }
    #expect((bad.badCount, bad.deleted) == (2, 2))
    #expect(try store.vehicles() == ["Vehicle 1 a", "Car 3 c doors 1"])
  }

  @Test(
    "12.3, 12.13 An import of several kinds goes on after an interruption",
    arguments: ImportStore.allCases)
  func resume(kind: ImportStore) throws {
    let store = try open(kind)
    try store.save(Van(id: 99, name: "old"))
    let lines = (1...30).map { id in
      let next = id % 30 + 1
      return id % 2 == 0
        ? #"{"type":"car","id":\#(id),"name":"n\#(id)","doors":\#(id),"follows_id":\#(next)}"#
        : #"{"type":"van","id":\#(id),"label":"n\#(id)","follows_id":\#(next)}"#
    }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "vehicles.jsonl")
    for last in [1, 9, 17, 30] {
      try store.deleteAll(Vehicle.self)
      try store.save(Van(id: 99, name: "old"))
      func run(_ failing: Int) throws -> ImportReport {
        try store.import(Vehicle.self, from: .jsonLines(.file(path))) {
          $0.mapping = .vehicles.before {
            $0["id"].integer == Int64(failing) ? .fail("the end") : .keep
          }.kind(
            Van.self,
            with: Van.json.before { $0["id"].integer == Int64(failing) ? .fail("the end") : .keep })
          $0.commit = .every(8)
          $0.prune = .missing(in: Vehicle.all)
        }
      }
      #expect(storeError { _ = try run(last) }?.message.contains("the end") == true)
      #expect(try store.count(Vehicle.all) == (last - 1) / 8 * 8 + 1)
      let report = try run(0)
      #expect(report.resumedAt == (last - 1) / 8 * 8)
      #expect((report.read, report.inserted, report.deleted) == (30, 30, 1))
      #expect(
        try store.vehicles()
          == (1...30).map { id in
            id % 2 == 0
              ? "Car \(id) n\(id) doors \(id) follows \(id % 30 + 1)"
              : "Van \(id) n\(id) load 1.0 follows \(id % 30 + 1)"
          })
      #expect(try store.count(ImportCheckpoint.self) == 0)
    }
  }

  @Test("12.13 Keyed lists, arrays and CSV have several kinds")
  func forms() throws {
    let store = try open(.memory)
    let keyed = JSONMapping.vehicles.keyed(\.id)
    _ = try store.import(
      Vehicle.self,
      from: .json(
        .text(
          #"{"1":{"type":"car","name":"a","doors":3,"maker_id":1},"2":{"type":"van","label":"b"}}"#)
      )
    ) { $0.mapping = keyed }
    #expect(try store.vehicles() == ["Car 1 a doors 3 maker 1", "Van 2 b load 1.0"])
    let csv = #"""
      type,id,name,label,load,doors,maker_id,partners
      car,1,x,,,4,2,1 2
      van,2,,y,2.5,,,
      van,3,,"z, ""q""",,two,1,
      ship,4,w,,,,,

      """#
    let report = try store.import(Vehicle.self, from: .csv(.text(csv))) {
      $0.mapping = .vehicles
      $0.onBad = .collect()
    }
    #expect(report.bad.map(\.number) == [4])
    #expect(
      try store.vehicles() == [
        "Car 1 x doors 4 maker 2 partners [1, 2]", "Van 2 y load 2.5",
        #"Van 3 z, "q" load 1.0 doors 'two' maker 1"#,
      ])
  }

  @Test("12.13 Bad records and members of other kinds")
  func faults() throws {
    let store = try open(.memory)
    let strict = JSONMapping(Vehicle.self, unknown: .refuse)
      .kind(in: "type", ["car": Car.self, "sports": SportsCar.self, "vehicle": Vehicle.self])
    let rejects = folder.file("rejects.jsonl")
    let report = try importing(
      [
        #"{"type":"car","id":1,"name":"a","doors":3,"maker":1,"topSpeed":null}"#,
        #"{"type":"car","id":2,"name":"b","doors":3,"topSpeed":5}"#,
        #"{"type":"vehicle","id":3,"name":"c","doors":null,"spare_id":null}"#,
        #"{"type":"vehicle","id":4,"name":"d","doors":1}"#,
        #"{"type":"sports","id":5,"name":"e","doors":1,"extra":1}"#,
        #"{"type":"car","id":6,"name":"f"}"#,
        #"{"type":"car","id":7,"name":"g","doors":"x","maker":true}"#,
      ], into: store
    ) {
      $0.mapping = strict
      $0.onBad = .collect(writingTo: rejects)
    }
    #expect(report.bad.map(\.number) == [2, 4, 5, 6, 7])
    #expect(report.bad[0].error.message.hasPrefix("topSpeed (line 2, column 54"))
    #expect(report.bad[3].error.message.hasPrefix("doors (line 6, column 1"))
    #expect(report.bad[4].error.failures.count == 2)
    #expect(try store.vehicles() == ["Car 1 a doors 3 maker 1", "Vehicle 3 c"])
    let lines = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines[3].contains(#""record":{"type":"car","id":6,"name":"f"}"#))
  }
}
