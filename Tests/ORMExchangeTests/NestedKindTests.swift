import Foundation
import MemoryBackend
import ORMExchange
import TestSupport
import Testing

/// Nested objects of several kinds in imports.
@Suite struct NestedKindTests {
  let folder = TestFolder()

  private func open(_ kind: ImportStore) throws -> any Store {
    let store = try kind.open(
      folder,
      Schema(
        Fleet.self, Vehicle.self, Car.self, SportsCar.self, Van.self, Maker.self,
        ImportCheckpoint.self))
    try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
    return store
  }

  private static func mapping(_ nesting: JSONNesting<Vehicle> = .save) -> JSONMapping<Fleet> {
    JSONMapping(Fleet.self)
      .nested(\.lead, from: "lead", as: nesting, with: .vehicles, when: .reading)
      .nested(\.vehicles, from: "vehicles", as: nesting, with: .vehicles, when: .reading)
      .keys(\.vehicles, when: .writing)
  }

  private func importing(
    _ lines: [String], into store: any Store,
    _ configure: (inout ImportOptions<Fleet>) -> Void = { _ in }
  ) throws -> ImportReport {
    try store.import(Fleet.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
      $0.mapping = Self.mapping()
      configure(&$0)
    }
  }

  private func fleets(_ store: any Store) throws -> [String] {
    try store.fetch(Fleet.all.prefetch(\.vehicles)).map {
      "\($0.id) lead \($0.lead.id ?? 0) \(($0.vehicles.ids ?? []).sorted())"
    }
  }

  @Test(
    "12.13 A nested object is saved as its kind and linked by its key",
    arguments: ImportStore.allCases)
  func saved(kind: ImportStore) throws {
    let store = try open(kind)
    let report = try importing(
      [
        #"{"id":1,"lead":{"type":"car","id":1,"name":"ant","doors":3,"maker_id":1},"vehicles":["#
          + #"{"type":"van","id":2,"label":"bus","doors":"two","follows_id":1},"#
          + #"{"type":"vehicle","id":3,"name":"bike","wheels":2},"#
          + #"{"type":"sports","id":4,"name":"bolt","doors":2,"spare_id":1,"partners":[2]},1]}"#,
        // What is absent stays, and of two records the later counts.
        #"{"id":2,"lead":{"type":"car","id":1,"doors":5},"vehicles":["#
          + #"{"type":"car","id":1,"maker_id":2},{"type":"car","id":4,"wheels":4}]}"#,
        #"{"id":3,"lead":null,"vehicles":[]}"#,
      ], into: store)
    #expect((report.inserted, report.badCount) == (3, 0))
    #expect(
      try store.vehicles() == [
        "Car 1 ant doors 5 maker 2", "Van 2 bus load 1.0 doors 'two' follows 1",
        "Vehicle 3 bike wheels 2",
        "SportsCar 4 bolt wheels 4 doors 2 speed 100.0 spare 1 partners [2]",
      ])
    #expect(try fleets(store) == ["1 lead 1 [1, 2, 3, 4]", "2 lead 1 [1, 4]", "3 lead 0 []"])
    let batches = try importing(
      (10...30).map {
        #"{"id":\#($0),"lead":{"type":"van","id":\#($0),"label":"n\#($0)","maker":{"id":7,"code":"c\#($0)"}}}"#
      }, into: store
    ) { $0.commit = .every(4) }
    #expect(batches.inserted == 21)
    #expect(try store.count(Van.all) == 22)
    let path = folder.file("fleets.jsonl")
    try store.export(
      Fleet.where { $0.id < 3 }.prefetch(\.vehicles), to: .jsonLines(path),
      mapping: Self.mapping())
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == """
        {"id":1,"lead_id":1,"vehicles":[1,2,3,4]}
        {"id":2,"lead_id":1,"vehicles":[1,4]}

        """)
  }

  @Test(
    "12.6, 12.13 A bad nested object makes its record bad, which changes nothing",
    arguments: ImportStore.allCases)
  func bad(kind: ImportStore) throws {
    let store = try open(kind)
    try store.save(Van(id: 9, name: "old"))
    let report = try importing(
      [
        #"{"id":1,"lead":{"type":"ship","id":1,"name":"a"}}"#,
        #"{"id":2,"lead":{"type":"car","id":1,"name":"a"}}"#,
        #"{"id":3,"vehicles":[{"type":"van","id":2,"label":"b"},{"type":"car","id":9,"name":"c","doors":1}]}"#,
        #"{"id":4,"lead":{"type":"car","id":1,"name":"a","doors":3,"maker_id":8}}"#,
        #"{"id":5,"lead":{"type":"car","name":"a","doors":3}}"#,
        #"{"id":6,"lead":{"id":1,"name":"a"}}"#,
        #"{"id":7,"lead":{"type":"van","id":3,"label":"good"}}"#,
      ], into: store
    ) { $0.onBad = .collect() }
    #expect(report.bad.map(\.number).sorted() == [1, 2, 3, 4, 5, 6])
    #expect(report.bad.first { $0.number == 3 }?.error.code == .duplicate)
    #expect(report.bad.first { $0.number == 4 }?.error.code == .missingTarget)
    #expect(
      report.bad.first { $0.number == 2 }?.error.message.hasPrefix("lead.doors (line 2") == true)
    #expect(try store.vehicles() == ["Van 3 good load 1.0", "Van 9 old load 1.0"])
    let fleets = try fleets(store)
    #expect(fleets == ["7 lead 3 []"])
  }

  @Test("12.2, 12.13 Objects of kinds are saved where no row has their key")
  func missing() throws {
    let store = try open(.sqlite)
    try store.save(Car(id: 1, name: "old", doors: 1))
    _ = try importing(
      [
        #"{"id":1,"lead":{"type":"car","id":1,"name":"new","doors":9,"maker_id":1}}"#,
        #"{"id":2,"lead":{"type":"van","id":2,"label":"first","maker_id":1}}"#,
        #"{"id":3,"lead":{"type":"van","id":2,"label":"second","maker_id":2}}"#,
      ], into: store
    ) { $0.mapping = Self.mapping(.saveMissing) }
    #expect(try store.vehicles() == ["Car 1 old doors 1", "Van 2 first load 1.0 maker 1"])
    #expect(try fleets(store) == ["1 lead 1 []", "2 lead 2 []", "3 lead 2 []"])
  }

  @Test("12.1, 12.13 A nested mapping of kinds is data, whose models a store knows")
  func data() throws {
    let store = try open(.sqlite)
    let data = try DynamicMapping(Self.mapping())
    let text = #"{"id":1,"lead":{"type":"car","id":1,"name":"a","doors":3,"maker_id":2}}"#
    let mapping = JSONMapping<Fleet>(data)
    try store.import(Fleet.self, from: .jsonLines(.text(text))) { $0.mapping = mapping }
    #expect(try store.vehicles() == ["Car 1 a doors 3 maker 2"])
    let bare = try MemoryStore(schema: Schema(Fleet.self, Vehicle.self, Maker.self))
    let error = storeError {
      try bare.import(Fleet.self, from: .jsonLines(.text(text))) { $0.mapping = mapping }
    }
    #expect(error?.code == .invalidMapping)
  }

  @Test("12.13 Without a store, nested objects of kinds are refused")
  func decoding() throws {
    let text = #"[{"id":1,"lead":{"type":"car","id":1,"name":"a","doors":3}}]"#
    let error = storeError { _ = try Self.mapping().decode(text) }
    #expect(error?.code == .invalidImport)
    #expect(error?.message.contains("an import alone saves targets of several kinds") == true)
    #expect(try Self.mapping().decode(#"[{"id":1,"lead":7}]"#).first?.lead.id == 7)
  }
}

/// A model with links to vehicles of any kind.
private struct Fleet: PrimaryKeyed, Codable {
  var id: Int64
  var lead: ToOne<Vehicle> = ToOne()
  var vehicles: ToMany<Vehicle> = ToMany()

  static let entity = Entity<Fleet>("Fleet") {
    .key("id", \.id)
      .relationship("lead", \.lead)
      .relationship("vehicles", \.vehicles, shared: true)
  }
}
