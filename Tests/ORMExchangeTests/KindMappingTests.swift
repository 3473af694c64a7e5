import Foundation
import ORMExchange
import TestSupport
import Testing

/// Checks, data and losses of mappings of several kinds, and imports by names.
@Suite struct KindMappingTests {
  let folder = TestFolder()

  private func faults<Model>(_ mapping: JSONMapping<Model>) -> [String] {
    guard let error = storeError({ try mapping.check() }) else { return [] }
    #expect(error.code == .invalidMapping)
    return (error.failures.isEmpty ? [error] : error.failures).map(\.message)
  }

  @Test("12.13 A mapping of kinds is checked with those of all kinds")
  func checks() throws {
    let plain = JSONMapping(Vehicle.self)
    #expect(faults(.vehicles).isEmpty)
    #expect(faults(plain.kind(in: "t", ["v": Vehicle.self, "w": Vehicle.self])).isEmpty)
    #expect(
      faults(plain.kind(in: "t", ["m": Maker.self])) == ["Maker is no subentity of Vehicle"])
    #expect(
      faults(JSONMapping(Car.self).kind(in: "t", ["v": Vehicle.self]))
        == ["Vehicle is no subentity of Car"])
    #expect(
      faults(plain.kind(in: "t", ["c": Car.self, "x": Van.self, "c": SportsCar.self]))
        == ["the text 'c' stands for two kinds"])
    #expect(
      faults(plain.kind(in: "t", ["c": Car.self, "c": Car.self]))
        == ["the text 'c' stands for two kinds"])
    #expect(faults(plain.kind(in: "t", [:])).count == 1)
    for path in ["", "a[", "a[*].b"] {
      #expect(faults(plain.kind(in: path, ["c": Car.self])).count == 1)
    }
    // The member is an attribute of one kind.
    #expect(
      faults(plain.kind(in: "doors", ["v": Vehicle.self, "c": Car.self]))
        == ["doors is written for something else, and cannot name the kind"])
    #expect(
      faults(plain.kind(in: "wheels", ["v": Vehicle.self])).first?
        .hasPrefix("wheels is written for something else") == true)
    #expect(
      faults(plain.field(\.name, from: "doors").kind(in: "t", ["c": Car.self])).first?
        .hasPrefix("doors is written for something else too") == true)
    let hook = plain.after { _, _ in .keep }.kind(in: "t", ["c": Car.self, "v": Van.self])
    #expect(faults(hook).count == 1)
    #expect(faults(hook).first?.hasSuffix("give Car a mapping of its own") == true)
    #expect(faults(hook.kind(Car.self, with: JSONMapping(Car.self))).isEmpty)
    #expect(
      faults(plain.kind(in: "t", ["c": Car.self]).kind(Van.self, with: Van.json))
        == ["a mapping is given for Van, which is none of the kinds"])
    #expect(
      faults(plain.kind(in: "t", ["v": Vehicle.self]).kind(Vehicle.self, with: plain)).count == 1)
    #expect(faults(plain.kind(Van.self, with: Van.json)).count == 1)
    #expect(
      faults(
        plain.kind(in: "t", ["v": Van.self]).kind(Van.self, with: Van.json)
          .kind(Van.self, with: Van.json)) == ["two mappings are given for Van"])
    #expect(
      faults(
        plain.kind(in: "t", ["v": Van.self])
          .kind(
            Van.self,
            with: JSONMapping(Van.self).field(
              \.load, from: "a",
              as: .custom("x") { _ in
                1
              } write: { _ in
                1
              }
            ).field(\.load, from: "b"))
      )
      .sorted() == ["two fields read one attribute", "two fields write one attribute"])
  }

  @Test("12.13 Targets of several kinds are not written inside of others")
  func nesting() throws {
    let follower = JSONMapping(Vehicle.self)
    #expect(
      faults(follower.nested(\.follows, with: .vehicles)).first?.contains("when: .reading") == true)
    #expect(faults(follower.nested(\.follows, as: .saveMissing, with: .vehicles)).count == 1)
    #expect(faults(follower.nested(\.follows, as: .link, with: .vehicles)).count == 1)
    for nesting in [JSONNesting<Vehicle>.save, .saveMissing, .link] {
      #expect(
        faults(follower.nested(\.follows, as: nesting, with: .vehicles, when: .reading)).isEmpty)
    }
    #expect(faults(follower.nested(\.follows, as: .linkBy(\.name), with: .vehicles)).isEmpty)
  }

  private func text<Model>(_ mapping: JSONMapping<Model>) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(mapping), as: UTF8.self)
  }

  @Test("12.1, 12.13 A mapping of kinds is data")
  func data() throws {
    let mapping = JSONMapping.vehicles(otherwise: .skip)
      .kind(Car.self, with: JSONMapping(Car.self).field(\.doors, from: "n"))
    let data =
      #"{"kind":{"entities":[{"entity":"Car","kinds":["car","coupe"],"mapping":{"fields":"#
      + #"{"doors":{"from":["n"]}}}},{"entity":"SportsCar","kinds":["sports"]},{"entity":"Van","#
      + #""kinds":["van"],"mapping":{"fields":{"name":{"from":["label"]}}}},{"entity":"Vehicle","#
      + #""kinds":["vehicle"]}],"in":"type","otherwise":"skip"},"links":{"partners":{"as":"key"}},"#
      + #""names":"snakeCase"}"#
    #expect(try text(mapping) == data)
    let read = try JSONDecoder().decode(JSONMapping<Vehicle>.self, from: Data(data.utf8))
    #expect(try text(read) == data)
    for bad in [
      #"{"kind":{"in":"t","kinds":["a"],"entities":[]}}"#, #"{"kind":{"in":"t"}}"#,
      #"{"kind":{"in":"t","entities":[{"entity":"Car"}]}}"#,
      #"{"kind":{"in":"t","entities":[{"entity":"Car","kinds":["a"],"x":1}]}}"#,
      #"{"kind":{"in":"t","entities":{"car":"Car"}}}"#,
    ] {
      #expect(throws: DecodingError.self) {
        _ = try JSONDecoder().decode(DynamicMapping.self, from: Data(bad.utf8))
      }
    }
    // A store knows the models that data names.
    let store = try ImportStore.sqlite.open(folder, .vehicles)
    let line = #"{"type":"coupe","id":1,"name":"a","n":3}"#
    try store.import(Vehicle.self, from: .jsonLines(.text(line))) { $0.mapping = read }
    #expect(try store.vehicles() == ["Car 1 a doors 3"])
    let path = folder.file("a.jsonl")
    try store.export(Vehicle.all, to: .jsonLines(path), mapping: read)
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""n":3,"#))
    #expect(try read.decode(line).map(\.name) == ["a"])
    #expect(storeError { _ = try read.decodeConcrete(line) }?.code == .invalidMapping)
    #expect(storeError { _ = try read.encodeConcrete([]) }?.code == .invalidMapping)
    let small = try ImportStore.memory.open(folder, Schema(Vehicle.self, Maker.self))
    let error = storeError {
      try small.import(Vehicle.self, from: .jsonLines(.text(line))) { $0.mapping = read }
    }
    #expect(error?.code == .invalidMapping)
  }

  @Test("12.12, 12.13 The losses of kinds are those of the mapping")
  func losses() throws {
    let plain = JSONMapping(Vehicle.self).keys(\.partners)
      .kind(in: "t", ["c": Car.self, "v": Vehicle.self])
    #expect(try plain.losses.isEmpty)
    let car = JSONMapping(Car.self).leaveOut(\.doors, when: .writing)
    #expect(
      try plain.kind(Car.self, with: car).losses.map(\.description) == ["doors is not written"])
    #expect(
      try plain.leaveOut(\.wheels).losses.map(\.description)
        == ["wheels is not written", "wheels is not read"])
  }

  @Test(
    "12.4, 12.5, 12.6, 12.13 An import by names saves every record as its entity",
    arguments: ImportStore.allCases)
  func byNames(kind: ImportStore) throws {
    let store = try kind.open(folder, .vehicles)
    try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
    let mapping = try JSONMapping<Vehicle>.plainVehicles.dynamic()
    func run(
      _ lines: [String], _ configure: (inout DynamicImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
      try store.import(
        entity: "Vehicle", from: .jsonLines(.text(lines.joined(separator: "\n")))
      ) {
        $0.mapping = mapping
        configure(&$0)
      }
    }
    let report = try run(
      [
        #"{"type":"car","id":1,"name":"ant","doors":3,"maker_id":1,"follows_id":4}"#,
        #"{"type":"van","id":2,"label":"bus","load":"2.5","doors":"two","follows":1}"#,
        #"{"type":"sports","id":3,"name":"bolt","doors":2,"top_speed":310,"spare":1}"#,
        #"{"type":"vehicle","id":4,"name":"bike","wheels":2,"maker":{"id":2}}"#,
        #"{"type":"ship","id":5,"name":"x"}"#,
        #"{"type":"van","id":1,"label":"y"}"#,
        #"{"type":"car","id":6,"name":"z","doors":1,"maker_id":9}"#,
        #"{"type":"car","id":1,"doors":5}"#,
      ]
    ) { $0.onBad = .collect() }
    #expect(report.bad.map(\.number).sorted() == [5, 6, 7])
    #expect(Set(report.bad.map(\.error.code)) == [.invalidImport, .duplicate, .missingTarget])
    #expect(
      try store.vehicles() == [
        "Car 1 ant doors 5 maker 1 follows 4", "Van 2 bus load 2.5 doors 'two' follows 1",
        "SportsCar 3 bolt doors 2 speed 310.0 spare 1", "Vehicle 4 bike wheels 2 maker 2",
        "Car 6 z doors 1",
      ])
    let pruned = try run([
      #"{"type":"van","id":2,"maker_id":2,"follows_id":null}"#, #"{"type":"sports","id":3}"#,
      #"{"type":"car","id":6,"spare_id":3,"maker_id":7}"#, #"{"type":"vehicle","id":4}"#,
    ]) {
      $0.prune = DynamicQuery("Vehicle")
      $0.missingTargets = .clear
    }
    #expect((pruned.deleted, pruned.unchanged, pruned.updated) == (1, 2, 2))
    #expect(
      try store.vehicles() == [
        "Van 2 bus load 2.5 doors 'two' maker 2", "SportsCar 3 bolt doors 2 speed 310.0",
        "Vehicle 4 bike wheels 2 maker 2", "Car 6 z doors 1 spare 3",
      ])
    let lines = (10...39).map { id in
      let next = (id - 9) % 30 + 10
      return id % 2 == 0
        ? #"{"type":"car","id":\#(id),"name":"n\#(id)","doors":1,"follows_id":\#(next)}"#
        : #"{"type":"van","id":\#(id),"label":"n\#(id)","follows_id":\#(next)}"#
    }
    let batches = try run(lines) { $0.commit = .every(7) }
    #expect(batches.inserted == 30)
    #expect(
      try Array(store.vehicles().dropFirst(4))
        == (10...39).map { id in
          "\(id % 2 == 0 ? "Car \(id) n\(id) doors 1" : "Van \(id) n\(id) load 1.0") follows "
            + "\((id - 9) % 30 + 10)"
        })
  }

  @Test("12.13 Faults of data of kinds are found")
  func faultsOfData() throws {
    let store = try ImportStore.memory.open(folder, .vehicles)
    func message(_ kind: DynamicMapping.Kind, _ mapping: DynamicMapping = DynamicMapping())
      -> String
    {
      var mapping = mapping
      mapping.kind = kind
      let error = storeError {
        try store.import(entity: "Vehicle", from: .jsonLines(.text("{}"))) { $0.mapping = mapping }
      }
      #expect(error?.code == .invalidMapping)
      return error?.message ?? ""
    }
    #expect(
      message(.init(in: "t", entities: [.init("Maker", ["m"])]))
        == "Maker is no subentity of Vehicle")
    #expect(
      message(.init(in: "t", entities: [.init("No", ["m"])])) == "No is no subentity of Vehicle")
    #expect(
      message(.init(in: "t", entities: [.init("Car", ["c"]), .init("Van", ["c"])]))
        == "the text 'c' stands for two kinds")
    #expect(message(.init(in: "t", entities: [.init("Car", [])])).hasPrefix("a kind needs a path"))
    #expect(
      message(
        .init(
          in: "t", entities: [.init("Car", ["c"], mapping: .init(fields: ["load": .init()]))]))
        == "the mapping names an attribute that the entity has not")
    #expect(
      message(
        .init(in: "t", entities: [.init("Car", ["c"], mapping: .init(links: ["maker": .init()]))]))
        == "the mapping names a relationship that the entity has not")
    let strict = DynamicMapping(
      unknown: .refuse, kind: .init(in: "t", entities: [.init("Car", ["c"]), .init("Van", ["v"])]))
    let report = try store.import(
      entity: "Vehicle",
      from: .jsonLines(
        .text(
          #"""
          {"t":"c","id":1,"name":"a","doors":1,"load":null}
          {"t":"c","id":2,"name":"b","doors":1,"load":2}
          """#))
    ) {
      $0.mapping = strict
      $0.onBad = .collect()
    }
    #expect((report.inserted, report.bad.map(\.number)) == (1, [2]))
  }
}
