import Foundation
import ORMExchange
import TestSupport
import Testing

/// Random imports of several kinds beside a naive importer that knows nothing but the clauses.
@Suite struct RandomKindTests {
  let folder = TestFolder(inMemory: true)

  @Test(
    "5.11, 12.4, 12.5, 12.6, 12.13 A random import of several kinds does what a naive one does",
    arguments: ImportStore.allCases)
  func naive(kind: ImportStore) throws {
    var random = SeededGenerator.printed("\(#function) \(kind)")
    let scale = ProcessInfo.processInfo.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) }
    let store = try kind.open(folder, .vehicles)
    let runs = kind == .postgres ? 25 : 120
    for run in 0..<Int(Double(runs) * (scale ?? 1)) {
      try store.deleteAll(Vehicle.self)
      try store.deleteAll(Maker.self)
      try store.save([Maker(id: 1, code: "a"), Maker(id: 2, code: "b")])
      var naive = NaiveVehicles()
      for pass in 0..<2 {
        let records = (0..<Int.random(in: 1...25, using: &random)).map { _ in
          VehicleRecord(&random)
        }
        try check(&naive, records, "\(kind) run \(run).\(pass)", store, &random)
      }
    }
  }

  private func check(
    _ naive: inout NaiveVehicles, _ records: [VehicleRecord], _ name: String, _ store: any Store,
    _ random: inout SeededGenerator
  ) throws {
    let isByNames = Bool.random(using: &random)
    let every = Bool.random(using: &random) ? Int.random(in: 1...8, using: &random) : nil
    let prunes = Int.random(in: 0..<3, using: &random) == 0
    let otherwise: JSONUnknownKind =
      [.refuse, .skip, .keep].randomElement(using: &random) ?? .refuse
    let text = records.map(\.json).joined(separator: "\n")
    let comment = Comment(
      rawValue: "\(name): by names \(isByNames), every \(every ?? 0), prune \(prunes), "
        + "\(otherwise)\n\(text)")
    naive.run(records, otherwise, prunes: prunes)
    func set(_ settings: inout ImportSettings) {
      settings.onBad = .collect(upTo: 1_000)
      settings.pruneLimit = 1
      settings.prunesDespiteBadRecords = true
      settings.missingTargets = .clear
      if let every { settings.commit = .every(every) }
    }
    let mapping = JSONMapping.plainVehicles(otherwise: otherwise)
    let report =
      try isByNames
      ? store.import(entity: "Vehicle", from: .jsonLines(.text(text))) {
        $0.mapping = try mapping.dynamic()
        set(&$0.settings)
        if prunes { $0.prune = DynamicQuery("Vehicle") }
      }
      : store.import(Vehicle.self, from: .jsonLines(.text(text))) {
        $0.mapping = mapping
        set(&$0.settings)
        if prunes { $0.prune = .missing(in: Vehicle.all) }
      }
    #expect(try store.vehicles() == naive.described, comment)
    #expect(Set(report.bad.map(\.number)) == naive.bad, comment)
    #expect(
      [report.inserted, report.updated + report.unchanged, report.skipped, report.deleted]
        == naive.counts, comment)
    #expect(try store.count(ImportCheckpoint.self) == 0, comment)
  }
}

/// A record of a kind, or of none.
private struct VehicleRecord {
  var kind: String?
  var id: Int64
  var hasName: Bool
  var wheels: Int?
  var doors: Int?
  /// True if the doors are no number, which is a fault in a car and a value in a van.
  var hasOddDoors: Bool
  var load: Int?
  var maker: Int64?
  var follows: Int64?

  init(_ random: inout SeededGenerator) {
    func some<Value>(_ value: @autoclosure () -> Value, of: Int = 2) -> Value? {
      Int.random(in: 0..<of, using: &random) > 0 ? value() : nil
    }
    kind =
      ["car", "car", "coupe", "van", "van", "sports", "vehicle", "ship", nil]
      .randomElement(using: &random) ?? nil
    id = Int64.random(in: 1...8, using: &random)
    hasName = Int.random(in: 0..<5, using: &random) > 0
    wheels = some(Int.random(in: 2...4, using: &random))
    doors = some(Int.random(in: 2...5, using: &random), of: 5)
    hasOddDoors = Int.random(in: 0..<12, using: &random) == 0
    load = some(Int.random(in: 1...3, using: &random))
    maker = some(Int64.random(in: 1...3, using: &random))
    follows = some(Int64.random(in: 1...9, using: &random))
  }

  var json: String {
    let name = kind == "van" ? "label" : "name"
    let text = doors.map { kind == "van" || hasOddDoors ? "\"d\($0)\"" : "\($0)" }
    let members = [
      kind.map { "\"type\":\"\($0)\"" }, "\"id\":\(id)", hasName ? "\"\(name)\":\"n\(id)\"" : nil,
      wheels.map { "\"wheels\":\($0)" }, text.map { "\"doors\":\($0)" },
      load.map { "\"load\":\($0)" }, maker.map { "\"maker_id\":\($0)" },
      follows.map { "\"follows_id\":\($0)" },
    ]
    return "{" + members.compactMap { $0 }.joined(separator: ",") + "}"
  }
}

/// Vehicles by their keys, and an importer that takes one record after another.
private struct NaiveVehicles {
  private struct Row {
    let type: String
    var wheels: Int?
    var doors: Int?
    var load: Int?
    var maker: Int64?
    var follows: Int64?
  }

  private var rows: [Int64: Row] = [:]
  private(set) var bad: Set<Int> = []
  private(set) var counts: [Int] = []

  private static let types = [
    "car": "Car", "coupe": "Car", "van": "Van", "sports": "SportsCar", "vehicle": "Vehicle",
  ]

  private static func isA(_ type: String, _ other: String) -> Bool {
    type == other || other == "Vehicle" || (type == "SportsCar" && other == "Car")
  }

  mutating func run(_ records: [VehicleRecord], _ otherwise: JSONUnknownKind, prunes: Bool) {
    bad = []
    counts = [0, 0, 0, 0]
    var came: Set<Int64> = []
    for (number, record) in zip(1..., records) {
      let known = record.kind.flatMap { Self.types[$0] }
      if known == nil, otherwise == .skip {
        counts[2] += 1
        continue
      }
      let type = known ?? "Vehicle"
      let hasDoors = type == "Car" || type == "SportsCar"
      let isWrong = (known == nil && otherwise == .refuse) || (hasDoors && record.isOdd)
      guard !isWrong, let row = merged(record, type, hasDoors) else {
        bad.insert(number)
        continue
      }
      counts[rows[record.id] == nil ? 0 : 1] += 1
      rows[record.id] = row
      came.insert(record.id)
    }
    if prunes {
      counts[3] = rows.keys.filter { !came.contains($0) }.count
    }
    // Links are set when all records were read, and before rows are deleted.
    for id in rows.keys {
      if let maker = rows[id]?.maker, maker > 2 { rows[id]?.maker = nil }
      if let follows = rows[id]?.follows, rows[follows] == nil { rows[id]?.follows = nil }
    }
    guard prunes else { return }
    rows = rows.filter { came.contains($0.key) }
    for id in rows.keys {
      if let follows = rows[id]?.follows, rows[follows] == nil { rows[id]?.follows = nil }
    }
  }

  /// The row that a record gives; nil for a record that is bad.
  private func merged(_ record: VehicleRecord, _ type: String, _ hasDoors: Bool) -> Row? {
    var row: Row
    if let stored = rows[record.id] {
      guard Self.isA(stored.type, type) else { return nil }
      row = stored
    } else {
      guard record.hasName, !hasDoors || record.doors != nil else { return nil }
      row = Row(type: type, load: type == "Van" ? 1 : nil)
    }
    row.wheels = record.wheels ?? row.wheels
    if hasDoors || type == "Van" { row.doors = record.doors ?? row.doors }
    if type == "Van" { row.load = record.load ?? row.load }
    row.maker = record.maker ?? row.maker
    row.follows = record.follows ?? row.follows
    return row
  }

  var described: [String] {
    rows.sorted { $0.key < $1.key }.map { id, row in
      var text = "\(row.type) \(id) n\(id)"
      if let wheels = row.wheels { text += " wheels \(wheels)" }
      switch row.type {
      case "Car": text += " doors \(row.doors ?? 0)"
      case "SportsCar": text += " doors \(row.doors ?? 0) speed 100.0"
      case "Van": text += " load \(row.load ?? 0).0" + (row.doors.map { " doors 'd\($0)'" } ?? "")
      default: break
      }
      if let maker = row.maker { text += " maker \(maker)" }
      if let follows = row.follows { text += " follows \(follows)" }
      return text
    }
  }
}

extension VehicleRecord {
  /// True if the record of a car has doors that are no number.
  fileprivate var isOdd: Bool { hasOddDoors && doors != nil }
}
