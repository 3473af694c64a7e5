import Foundation
import ORMExchange
import TestSupport
import Testing

/// Exports of rows of several kinds, and mappings of kinds without a store.
@Suite struct KindExportTests {
  let folder = TestFolder()

  private func open(_ kind: ImportStore) throws -> any Store {
    let store = try kind.open(folder, .vehicles)
    try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
    return store
  }

  private func fill(_ store: any Store) throws {
    try store.save(Vehicle(id: 5, name: "bike", wheels: 2, partners: .keys([1, 2])))
    try store.save(Car(id: 2, name: "ant", wheels: 4, doors: 3))
    try store.save(Car(id: 3, name: "cat", doors: 2, spare: .key(2)))
    try store.save(SportsCar(id: 4, name: "bolt", doors: 2, topSpeed: 310))
    try store.save(Van(id: 1, name: "bus", load: 2.5, doors: "7"))
    try store.save(
      Vehicle(id: 1, name: "bus", maker: .key(2), follows: .key(4)),
      merge: .only(\.maker, \.follows))
    try store.save(
      Vehicle(id: 4, name: "bolt", maker: .key(1), partners: .keys([1])),
      merge: .only(\.maker, \.partners))
    try store.save(Car(id: 4, name: "bolt", doors: 2, spare: .key(3)), merge: .only(\.spare))
  }

  private static let lines = [
    #"{"id":5,"name":"bike","wheels":2,"maker_id":null,"follows_id":null,"partners":[1,2],"#
      + #""type":"vehicle"}"#,
    #"{"id":4,"name":"bolt","wheels":null,"doors":2,"top_speed":310,"type":"sports","#
      + #""spare_id":3,"maker_id":1,"follows_id":null,"partners":[1]}"#,
    #"{"id":3,"name":"cat","wheels":null,"doors":2,"spare_id":2,"type":"car","maker_id":null,"#
      + #""follows_id":null,"partners":[]}"#,
    #"{"id":2,"name":"ant","wheels":4,"doors":3,"spare_id":null,"type":"car","maker_id":null,"#
      + #""follows_id":null,"partners":[]}"#,
    #"{"id":1,"label":"bus","wheels":null,"load":2.5,"doors":"7","type":"van","maker_id":2,"#
      + #""follows_id":4,"partners":[]}"#,
  ]

  private func sorted(_ line: String) throws -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    if let all = try JSONValue(parsing: line).members {
      for (name, value) in all { members[name] = value }
    }
    return members
  }

  @Test(
    "12.12, 12.13 Every row is written as its own kind, in the order of the query",
    arguments: ImportStore.allCases)
  func export(kind: ImportStore) throws {
    let store = try open(kind)
    try fill(store)
    let before = try store.vehicles()
    let query = Vehicle.all.sorted(by: .descending(\.id)).prefetch(\.partners)
    let path = folder.file("vehicles.jsonl")
    let report = try store.export(query, to: .jsonLines(path), mapping: .vehicles)
    #expect(report.records == 5)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(try lines.map(sorted) == Self.lines.map(sorted))
    // What was exported is imported to the same, in every form.
    let json = folder.file("vehicles.json")
    let csv = folder.file("vehicles.csv")
    try store.export(query, to: .json(json), mapping: .vehicles)
    try store.export(query, to: .csv(csv), mapping: .vehicles)
    let header = try String(contentsOfFile: csv, encoding: .utf8).split(separator: "\n")[0]
    #expect(
      header
        == "id,name,wheels,maker_id,follows_id,partners,type,doors,spare_id,top_speed,label,load")
    for source in [
      ImportFrom.jsonLines(.file(path)), .json(.file(json)), .csv(.file(csv)),
    ] {
      try store.deleteAll(Vehicle.self)
      let report = try store.import(Vehicle.self, from: source) { $0.mapping = .vehicles }
      #expect(report.inserted == 5)
      #expect(try store.vehicles() == before)
    }
    let names = try JSONMapping<Vehicle>.plainVehicles.dynamic()
    let byNames = folder.file("names.csv")
    for target in [ExportTo.jsonLines(folder.file("names.jsonl")), .csv(byNames)] {
      try store.export(
        DynamicQuery("Vehicle", order: [SortTerm(.attribute("id"), isDescending: true)]),
        to: target,
        mapping: names)
    }
    let rows = try String(contentsOfFile: folder.file("names.jsonl"), encoding: .utf8)
      .split(separator: "\n").map { try sorted(String($0)) }
    let expected = try Self.lines.map(sorted).map { $0.filter { $0.key != "partners" } }
    #expect(rows == expected)
    try store.deleteAll(Vehicle.self)
    try store.import(entity: "Vehicle", from: .csv(.file(byNames))) { $0.mapping = names }
    #expect(
      try store.vehicles()
        == before.map {
          $0.replacingOccurrences(of: #" partners \[.*\]"#, with: "", options: .regularExpression)
        })
  }

  @Test(
    "12.12, 12.13 Columns of kinds come in the order in which the kinds are said, and are read in any",
    arguments: [ImportStore.memory, .sqlite])
  func columns(kind: ImportStore) throws {
    let store = try open(kind)
    try fill(store)
    let before = try store.vehicles()
    let plain = JSONMapping(Vehicle.self, names: .snakeCase)
    let orders: [(mapping: JSONMapping<Vehicle>, added: String)] = [
      (
        plain.kind(
          in: "type",
          ["van": Van.self, "sports": SportsCar.self, "car": Car.self, "vehicle": Vehicle.self]),
        "label,load,doors,top_speed,spare_id"
      ),
      (
        plain.kind(
          in: "type",
          ["vehicle": Vehicle.self, "sports": SportsCar.self, "van": Van.self, "car": Car.self]),
        "doors,top_speed,spare_id,label,load"
      ),
      (
        plain.kind(
          in: "type",
          ["car": Car.self, "van": Van.self, "sports": SportsCar.self, "vehicle": Vehicle.self]),
        "doors,spare_id,label,load,top_speed"
      ),
    ]
    let path = folder.file("vehicles.csv")
    let query = Vehicle.all.prefetch(\.partners)
    for (mapping, added) in orders {
      try store.export(query, to: .csv(path), mapping: mapping.keys(\.partners))
      let header = try lines(path).first
      #expect(header == "id,name,wheels,maker_id,follows_id,partners,type," + added)
      try store.deleteAll(Vehicle.self)
      try store.import(Vehicle.self, from: .csv(.file(path))) {
        $0.mapping = mapping.keys(\.partners)
      }
      #expect(try store.vehicles() == before)
      // By names there are no lists, and the rest is in the same order.
      let names = try mapping.dynamic()
      try store.export(DynamicQuery("Vehicle"), to: .csv(path), mapping: names)
      let found = try lines(path)
      #expect(found.first == "id,name,wheels,maker_id,follows_id,type," + added)
      // The columns the other way round are the same records.
      let turned = found.map {
        $0.split(separator: ",", omittingEmptySubsequences: false).reversed().joined(separator: ",")
      }
      for isByNames in [false, true] {
        let source = ImportFrom.csv(.text(turned.joined(separator: "\n") + "\n"))
        try store.deleteAll(Vehicle.self)
        if isByNames {
          try store.import(entity: "Vehicle", from: source) { $0.mapping = names }
        } else {
          try store.import(Vehicle.self, from: source) { $0.mapping = mapping }
        }
        #expect(
          try store.vehicles()
            == before.map {
              $0.replacingOccurrences(
                of: #" partners \[.*\]"#, with: "", options: .regularExpression)
            })
      }
      // With the lists, the next order begins as this one did.
      try store.deleteAll(Vehicle.self)
      try fill(store)
    }
  }

  /// The lines of a file.
  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
      .map(String.init)
  }

  @Test("12.13 A row whose kind is not named is not written, unless such records are read")
  func unnamed() throws {
    let store = try open(.sqlite)
    try fill(store)
    let path = folder.file("vehicles.jsonl")
    let cars = JSONMapping(Vehicle.self).kind(in: "type", ["car": Car.self, "v": Vehicle.self])
    func message(_ query: Query<Vehicle>, _ mapping: JSONMapping<Vehicle>) -> String? {
      let error = storeError { try store.export(query, to: .jsonLines(path), mapping: mapping) }
      #expect(error?.code == .invalidMapping)
      return error?.message
    }
    #expect(message(Vehicle.where { $0.id < 4 }, cars)?.contains("is a Van") == true)
    #expect(message(Vehicle.where { $0.id == 4 }, cars)?.contains("is a SportsCar") == true)
    #expect(
      message(
        Vehicle.all, JSONMapping(Vehicle.self).kind(in: "t", ["c": SportsCar.self, "x": Car.self]))?
        .contains("is a Van") == true)
    let noOwn = JSONMapping(Vehicle.self)
      .kind(in: "t", ["s": SportsCar.self, "c": Car.self, "van": Van.self])
    #expect(message(Vehicle.all, noOwn)?.contains("is a Vehicle") == true)
    #expect(!FileManager.default.fileExists(atPath: path))
    let written = try store.export(
      Vehicle.where { $0.id == 2 || $0.id == 3 }, to: .jsonLines(path), mapping: noOwn)
    #expect(written.records == 2)
    // Others are written as the nearest kind above that is named, which is how they are read.
    let kept = JSONMapping(Vehicle.self).only(\.id).kind(in: "t", ["c": Car.self], otherwise: .keep)
    try store.export(Vehicle.all, to: .jsonLines(path), mapping: kept)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == """
        {"id":1}
        {"id":2,"doors":3,"spare_id":null,"t":"c"}
        {"id":3,"doors":2,"spare_id":2,"t":"c"}
        {"id":4,"doors":2,"spare_id":3,"t":"c"}
        {"id":5}

        """)
    let error = storeError {
      try store.export(
        DynamicQuery("Vehicle"), to: .jsonLines(path), mapping: cars.dynamic())
    }
    #expect(error?.code == .invalidMapping)
  }

  @Test("12.13 Objects of several kinds are decoded and encoded without a store")
  func concrete() throws {
    let text = #"""
      {"data": [
        {"type":"car","id":1,"name":"a","doors":3,"spare_id":7,"maker_id":1},
        {"type":"van","id":2,"label":"b","doors":"x"},
        {"type":"sports","id":3,"name":"c","doors":2,"top_speed":5},
        {"type":"vehicle","id":4,"name":"d","partners":[2]}
      ]}
      """#
    let mapping = JSONMapping.vehicles
    let objects = try mapping.decodeConcrete(text, at: "data")
    #expect(objects.map { "\(type(of: $0))" } == ["Car", "Van", "SportsCar", "Vehicle"])
    #expect(objects[0] as? Car == Car(id: 1, name: "a", doors: 3, spare: .key(7)))
    #expect(objects[1] as? Van == Van(id: 2, name: "b", doors: "x"))
    #expect((objects[2] as? SportsCar)?.topSpeed == 5)
    #expect((objects[3] as? Vehicle)?.partners.ids == [2])
    #expect(try mapping.decodeConcrete(Data(text.utf8), at: "data").count == 4)
    #expect(try mapping.decodeConcrete(JSONValue(parsing: text), at: "data").count == 4)
    let encoded = try mapping.encodeConcrete(objects)
    #expect(
      encoded == "["
        + #"{"id":1,"name":"a","wheels":null,"doors":3,"spare_id":7,"type":"car"},"#
        + #"{"id":2,"label":"b","wheels":null,"load":1.0,"doors":"x","type":"van"},"#
        + #"{"id":3,"name":"c","wheels":null,"doors":2,"top_speed":5.0,"type":"sports"},"#
        + #"{"id":4,"name":"d","wheels":null,"partners":[2],"type":"vehicle"}]"#)
    // Every record is a vehicle as well, by the mapping's own rules.
    let all = #"[{"type":"car","id":1,"name":"a"},{"type":"van","id":2,"name":"b"}]"#
    #expect(try mapping.decode(all).map(\.name) == ["a", "b"])
    #expect(try mapping.encode([Vehicle(id: 1, name: "a")]).hasSuffix(#""type":"vehicle"}]"#))
    let error = storeError {
      _ = try mapping.decodeConcrete(#"[{"type":"car","id":1,"name":"a"},{"type":"x","id":2}]"#)
    }
    #expect(error?.message.hasPrefix("[0].doors (line 1, column 2") == true)
    for bad in [#"[{"type":"x"}]"#, #"[{"type":1}]"#, #"[{}]"#, "[1]", "[", ""] {
      #expect(storeError { _ = try mapping.decodeConcrete(bad) }?.code == .invalidImport)
    }
    let skipping = JSONMapping.vehicles(otherwise: .skip)
    #expect(try skipping.decodeConcrete(#"[{"type":"x"},{"type":null}]"#).isEmpty)
    let keeping = JSONMapping(Vehicle.self).kind(in: "t", ["c": Car.self], otherwise: .keep)
    let kept = try keeping.decodeConcrete(
      #"[{"id":1,"name":"a"},{"t":"c","id":2,"name":"b","doors":1}]"#)
    #expect(kept.map { "\(type(of: $0))" } == ["Vehicle", "Car"])
    let keyed = try keeping.keyed(\.id).encodeConcrete([
      SportsCar(id: 3, name: "c", doors: 2), Van(id: 4, name: "d"),
    ])
    #expect(
      keyed == #"{"3":{"name":"c","wheels":null,"doors":2,"t":"c"},"#
        + #""4":{"name":"d","wheels":null}}"#)
    let cars = JSONMapping(Vehicle.self).kind(in: "t", ["c": Car.self])
    for fault in [
      { _ = try cars.encodeConcrete([Van(id: 1, name: "v")]) },
      { _ = try cars.encodeConcrete([SportsCar(id: 1, name: "v", doors: 1)]) },
      { _ = try cars.encodeConcrete([Maker(id: 1)]) },
      { _ = try cars.encode([Vehicle(id: 1, name: "v")]) },
      { _ = try cars.encode(Vehicle(id: 1, name: "v")) },
      { _ = try cars.json(of: Vehicle(id: 1, name: "v")) },
    ] as [() throws -> Void] {
      #expect(storeError(fault)?.code == .invalidMapping)
    }
  }
}

extension JSONMapping {
  /// The mapping as data.
  func dynamic() throws -> DynamicMapping { try DynamicMapping(self) }
}
