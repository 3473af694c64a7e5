import Foundation
import ORMExchange
import TestSupport
import Testing

/// OpenFlights in three forms, with damage at known locations.
@Suite struct FlightImportTests {
  /// The data lies beside the package, whose root is the working folder of tests.
  private static let path = URL(fileURLWithPath: "../shared/data/openflights/airports.csv").path
  private static let isThere = FileManager.default.fileExists(atPath: path)

  struct Airport: PrimaryKeyed, Codable, Hashable {
    var id: Int64
    var name: String
    var iata: String?
    var latitude: Double
    var altitude: Int

    static let entity = Entity<Airport>("Airport") {
      .key("id", \.id)
        .attribute("name", \.name)
        .attribute("iata", \.iata)
        .attribute("latitude", \.latitude)
        .attribute("altitude", \.altitude)
    }
  }

  private static let mapping = JSONMapping(Airport.self).field(\.altitude, from: "altitude_ft")

  let folder = TestFolder()

  /// The file in each form, with a fault in every 500th record, and the source of it.
  private func sources() throws -> [(String, ImportFrom)] {
    let csv = String(decoding: try bytes(Self.path), as: UTF8.self)
    var records: [String] = []
    try ImportFrom.csv(.file(Self.path)).forEachRecord { fields in
      var members: [String] = []
      for (name, field, _) in fields {
        let isNumber = ["id", "latitude", "altitude_ft"].contains(name)
        if case .text(let text) = field {
          members.append(
            "\"\(name)\":" + (isNumber ? text : try JSONCoding.encode(text)))
        }
      }
      records.append("{" + members.joined(separator: ",") + "}")
    }
    var lines = csv.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    for number in stride(from: 500, through: records.count, by: 500) {
      // No field of the file has a line end.
      lines[number] = "x" + lines[number]
      records[number - 1] = records[number - 1].replacing("\"id\":", with: "\"id\":x")
    }
    try folder.write(Data(lines.joined(separator: "\n").utf8), "a.csv")
    try folder.write(Data(records.joined(separator: "\n").utf8), "a.jsonl")
    try folder.write(
      Data(("{\"data\":[\n" + records.joined(separator: ",\n") + "\n]}").utf8), "a.json")
    return [
      ("csv", .csv(.file(folder.file("a.csv")))),
      ("jsonl", .jsonLines(.file(folder.file("a.jsonl")))),
      ("json", .json(.file(folder.file("a.json")), at: "data")),
    ]
  }

  @Test(
    "12.6 Damage is told by its locations, and the rest is imported",
    .enabled(if: isThere, "../shared/data/openflights is not here"),
    arguments: ImportStore.allCases)
  func damaged(kind: ImportStore) throws {
    let store = try kind.open(folder, try Schema(Airport.self))
    let count = try ImportFrom.csv(.file(Self.path)).recordCount()
    let numbers = Array(stride(from: 500, through: count, by: 500))
    for (name, source) in try sources() {
      try store.deleteAll(Airport.self)
      let report = try store.import(Airport.self, from: source) {
        $0.mapping = Self.mapping
        $0.onBad = .collect()
      }
      #expect(report.read == count)
      #expect(report.inserted == count - numbers.count)
      #expect(report.bad.map(\.number) == numbers, "\(name)")
      let firstLine = name == "jsonl" ? 0 : 1
      #expect(report.bad.map(\.location.line) == numbers.map { $0 + firstLine }, "\(name)")
      let column = name == "csv" ? 1 : 7
      for bad in report.bad {
        let location = "(line \(bad.location.line), column \(column), byte"
        #expect(bad.error.message.contains(location), "\(name): \(bad.error.message)")
        #expect(bad.error.message.contains("id \(location)"), "\(name): \(bad.error.message)")
      }
      #expect(try store.count(Airport.self) == count - numbers.count)
    }
  }
}

extension ImportFrom {
  /// The number of records.
  fileprivate func recordCount() throws -> Int {
    var count = 0
    try forEachRecord { _ in count += 1 }
    return count
  }
}
