import Foundation
import MemoryBackend
import ORM
import TestSupport
import Testing

@testable import ORMExchange

/// A row without relationships.
private struct Parcel: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var note: String?
  var count = 0

  static let entity = Entity<Parcel>("Parcel") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("note", \.note)
      .attribute("count", \.count, .default(0))
  }
}

/// What has a short way and a general one: both must do the same.
@Suite struct FastPathTests {
  // MARK: - CSV

  private struct Record: Equatable {
    var fields: [String?] = []
    var areQuoted: [Bool] = []
    var locations: [ImportLocation] = []
    var end = ImportLocation()
    var fault = ""
  }

  private func records(
    _ data: Data, _ format: CSVFormat, chunk: Int, takesPlain: Bool
  ) throws -> [Record] {
    var offset = 0
    let window = try ByteWindow(limit: 1_000, chunk: chunk) { count in
      let end = min(offset + count, data.count)
      defer { offset = end }
      return data[offset..<end]
    }
    var reader = CSVReader(window, format)
    if !takesPlain { reader.takesPlainRecords = false }
    var records: [Record] = []
    while true {
      do {
        guard try reader.next() else { return records }
        let fields = 0..<reader.count
        records.append(
          Record(
            fields: fields.map { reader.text($0) }, areQuoted: fields.map { reader.isQuoted($0) },
            locations: reader.locations, end: reader.end))
      } catch let fault as CSVReader.Fault {
        records.append(Record(end: fault.location, fault: fault.message))
        try reader.skipLine()
      }
    }
  }

  @Test func recordsOfCSVAreTheSameBothWays() throws {
    var random = SeededGenerator.printed(#function)
    let parts = [
      "a", "12", "-3.5", "true", " ", "", "\"\"", "\"b c\"", "\"d,e\"", "\"f\"\"g\"", "\"h\ni\"",
      "é", "\"😀\"", "'x'", "#", "\"open", "mid\"dle", "\r", "\t", "\"j\" ", "\u{FEFF}",
    ]
    for _ in 0..<400 {
      var format = CSVFormat()
      if Int.random(in: 0..<4, using: &random) == 0 { format.delimiter = ";" }
      if Int.random(in: 0..<6, using: &random) == 0 { format.quote = "'" }
      if Int.random(in: 0..<6, using: &random) == 0 { format.comment = "#" }
      if Int.random(in: 0..<9, using: &random) == 0 { format.delimiter = "\n" }
      if Int.random(in: 0..<9, using: &random) == 0 { format.delimiter = "\"" }
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        text += parts.randomElement(using: &random) ?? ""
        text += [",", ";", ",", "\n", "\r\n", "\n"].randomElement(using: &random) ?? ""
      }
      let chunk = [1, 3, 16, 300].randomElement(using: &random) ?? 1
      let data = Data(text.utf8)
      let general = try records(data, format, chunk: 300, takesPlain: false)
      #expect(
        try records(data, format, chunk: chunk, takesPlain: true) == general,
        "\(text.debugDescription)")
    }
  }

  // MARK: - Imports

  @Test("Whole and partial records are merged alike", arguments: ImportStore.allCases)
  func merged(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let folder = TestFolder()
    let store = try kind.open(folder, Schema(Parcel.self))
    var expected: [Int64: Parcel] = [:]
    for round in 0..<6 {
      let wholeOnes = [0, 1, 5, 10].randomElement(using: &random) ?? 0
      var counts = SaveCounts()
      var lines = ""
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        let id = Int64.random(in: 1...200, using: &random)
        let isWhole = Int.random(in: 0..<10, using: &random) < wholeOnes
        func has() -> Bool { isWhole || Bool.random(using: &random) }
        let known = expected[id]
        var parcel = known ?? Parcel(id: id, title: "", note: nil)
        var members = ["\"id\":\(id)"]
        // A new row needs its title, whether it waits to be saved or is stored.
        if has() || known == nil {
          parcel.title = "t\(Int.random(in: 0...3, using: &random))"
          members.append("\"title\":\"\(parcel.title)\"")
        }
        if has() {
          parcel.note =
            Bool.random(using: &random) ? nil : "n\(Int.random(in: 0...2, using: &random))"
          members.append("\"note\":" + (parcel.note.map { "\"\($0)\"" } ?? "null"))
        }
        if has() {
          parcel.count = Int.random(in: 0...2, using: &random)
          members.append("\"count\":\(parcel.count)")
        }
        members.shuffle(using: &random)
        lines += "{" + members.joined(separator: ",") + "}\n"
        if known == nil {
          counts.inserted += 1
        } else if known == parcel {
          counts.unchanged += 1
        } else {
          counts.updated += 1
        }
        expected[id] = parcel
      }
      let report = try store.import(Parcel.self, from: .jsonLines(.text(lines)))
      #expect(
        (report.inserted, report.updated, report.unchanged)
          == (counts.inserted, counts.updated, counts.unchanged), "round \(round): \(lines)")
      #expect(
        try store.fetch(Parcel.all).sorted { $0.id < $1.id }
          == expected.values.sorted { $0.id < $1.id })
    }
  }

  @Test("A record that is whole but bad is refused as one that is merged")
  func faults() throws {
    let store = try MemoryStore(schema: Schema(Parcel.self))
    try store.save([Parcel(id: 1, title: "a", note: nil, count: 1)])
    for record in [
      #"{"id":1,"title":"b","note":null,"count":"x"}"#,
      #"{"id":1,"title":7,"note":null,"count":1}"#,
      #"{"id":1,"title":null,"note":null,"count":1}"#,
      #"{"id":1,"title":"b","note":null,"count":1} x"#,
      #"{"id":1,"title":"b","note":null,"count":1"#,
    ] {
      let whole = storeError {
        try store.import(Parcel.self, from: .jsonLines(.text(record + "\n")))
      }
      // A partial record before it makes the import ask for stored rows.
      let merged = storeError {
        try store.import(Parcel.self, from: .jsonLines(.text("{\"id\":1}\n" + record + "\n")))
      }
      #expect(whole?.code == .invalidImport)
      #expect(
        whole?.message.replacing("line 1", with: "line 2").replacing(/byte \d+/, with: "")
          == merged?.message.replacing(/byte \d+/, with: ""), "\(record)")
    }
    #expect(try store.fetch(Parcel.all) == [Parcel(id: 1, title: "a", note: nil, count: 1)])
  }

  @Test func integersOfABatchAnswerLikeASet() {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<100 {
      var keys = IdentitySet()
      var naive: Set<Int64> = []
      var next: Int64 = .random(in: -20...20, using: &random)
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: next = .random(in: -20...20, using: &random)
        case 1:
          keys.removeAll()
          naive.removeAll()
        default: next += .random(in: 0...2, using: &random)
        }
        #expect(keys.contains([.int(next)]) == naive.contains(next))
        #expect(keys.insert([.int(next)]) == naive.insert(next).inserted)
        #expect((keys.count, keys.isEmpty) == (naive.count, naive.isEmpty))
      }
      var values: [[StoredValue]] = []
      keys.forEach { values.append($0) }
      #expect(values.count == naive.count)
      #expect(Set(values) == Set(naive.map { [.int($0)] }))
    }
  }

  // MARK: - Exports

  @Test func exportsAreTheSameWithAHookThatChangesNothing() throws {
    var random = SeededGenerator.printed(#function)
    let folder = TestFolder()
    let store = try ImportStore.memory.open(folder)
    for round in 0..<40 {
      let mapping = RandomMappingTests.mapping(&random, hasHooks: false)
      let general = mapping.afterWriting { _, _ in }
      try store.deleteAll(Sample.self)
      try store.save(
        (0..<5).map { id in
          var sample = RandomMappingTests.sample(&random)
          sample.id = id
          return sample
        })
      var format = CSVFormat()
      format.delimiter = [",", ";", "é"].randomElement(using: &random) ?? ","
      format.comment = Bool.random(using: &random) ? "x" : nil
      let targets: [(String, ExportTo, ExportTo)] = [
        ("JSON", .json(folder.file("a")), .json(folder.file("b"))),
        ("JSON Lines", .jsonLines(folder.file("a")), .jsonLines(folder.file("b"))),
        (
          "CSV", .csv(folder.file("a"), format: format), .csv(folder.file("b"), format: format)
        ),
      ]
      for (name, direct, hooked) in targets {
        let report = try store.export(Sample.all, to: direct, mapping: mapping)
        #expect(try store.export(Sample.all, to: hooked, mapping: general) == report)
        #expect(
          try bytes(folder.file("a")) == bytes(folder.file("b")), "\(name), round \(round)")
      }
    }
  }
}
