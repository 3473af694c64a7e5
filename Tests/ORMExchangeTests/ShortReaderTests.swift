import Foundation
import MemoryBackend
import ORM
import TestSupport
import Testing

@testable import ORMExchange

/// Imports by the readers of usual records do as those of any record.
@Suite struct ShortReaderTests {
  private struct Outcome: Equatable {
    var counts: [Int] = []
    var bad: [String] = []
    var error = ""
    var rows: [DynamicRow] = []
  }

  private func outcome<Sink: RecordSink>(
    _ sink: Sink, _ source: ImportFrom, _ settings: ImportSettings
  ) throws -> Outcome {
    let store = try MemoryStore(schema: Schema(Sample.self))
    // Rows that records are merged into.
    try store.save((1...2).map { Sample(id: $0, text: "stored", note: "kept") })
    var outcome = Outcome()
    do {
      let report = try ImportRun(
        sink, store, source, ImportFile(source.content), settings
      ).run()
      outcome.counts = [
        report.read, report.inserted, report.updated, report.unchanged, report.skipped,
        report.badCount,
      ]
      outcome.bad = report.bad.map { "\($0.number) \($0.location) \($0.path) \($0.error)" }
    } catch let error as StoreError { outcome.error = "\(error)" }
    // Rows by names may have JSON that the model refuses.
    outcome.rows = try store.read { try $0.fetch(DynamicQuery("Sample")) }
    return outcome
  }

  private static let noise = [
    "", "\"\"", "x", "1", "-0", "007", "1.5", "1e2", "12345678901234567890", "true", "TRUE", "yes",
    "null", "1,5", "é😀", "\"a,b\"", "\"a\"\"b\"", "\"a\nb\"", "\"7\"", "\\", " 1", "1 2", "[1,2]",
    "{\"a\":1}", "2001-02-03T04:05:06Z", "800000000.5", "AQI=", "0102", "S",
    "01234567-89ab-cdef-0123-456789abcdef", "mid\"dle", "a/b", "\u{7F}", "\t",
  ]

  /// A CSV of samples as a mapping writes them, with noise, and its form.
  private func csv(
    _ members: [[(name: String, value: JSONValue)]], _ random: inout SeededGenerator
  ) -> ImportFrom {
    var format = CSVFormat()
    func isRare() -> Bool { Int.random(in: 0..<8, using: &random) == 0 }
    if isRare() { format.delimiter = ";" }
    if isRare() { format.quote = "'" }
    if isRare() { format.hasDecimalComma = true }
    if isRare() { format.isTrimmed = true }
    format.empty = [.null, .null, .absent, .text].randomElement(using: &random) ?? .null
    var names = members[0].map(\.name)
    if Bool.random(using: &random) {
      names = names.shuffled(using: &random).filter { _ in !isRare() }
    }
    if isRare() { names.append("unknown") }
    if isRare() { names.append("a.b") }
    if names.isEmpty { names = ["id"] }
    let (delimiter, quote) = ("\(format.delimiter)", "\(format.quote)")
    var text = names.joined(separator: delimiter) + "\n"
    let hasNoise = Bool.random(using: &random)
    for record in members {
      let fields = names.map { name -> String in
        if hasNoise, isRare() { return Self.noise.randomElement(using: &random) ?? "" }
        guard let value = record.first(where: { $0.name == name })?.value, value != .null else {
          return ""
        }
        guard case .string(let text) = value else { return value.text }
        let isPlain = !text.contains { "\(delimiter)\(quote)\n\r".contains($0) } && !text.isEmpty
        if isPlain, Bool.random(using: &random) { return text }
        return quote + text.replacing(quote, with: quote + quote) + quote
      }
      text += fields.joined(separator: delimiter) + (isRare() ? "\r\n" : "\n")
    }
    return .csv(.text(text), format: format)
  }

  private func members(
    _ mapping: JSONMapping<Sample>, _ random: inout SeededGenerator
  ) throws -> [[(name: String, value: JSONValue)]] {
    try (0..<6).map { _ in
      var sample = RandomMappingTests.sample(&random)
      sample.id = .random(in: 1...4, using: &random)
      let object = try JSONValue(parsing: mapping.encode(sample))
      return object.members?.map { (name: $0.0, value: $0.1) } ?? []
    }
  }

  @Test(arguments: [ImportMerge.present, .replace])
  func importsOfModels(merge: ImportMerge) throws {
    var random = SeededGenerator.printed(#function)
    for round in 0..<150 {
      let mapping = RandomMappingTests.mapping(&random, hasHooks: false)
      var options = ImportOptions<Sample>()
      options.mapping = mapping
      options.merge = merge
      options.onBad = .collect()
      let records = try members(mapping, &random)
      let lines = records.map { record in
        "{" + record.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}\n"
      }
      for source in [csv(records, &random), .jsonLines(.text(lines.joined()))] {
        let sink = try ModelSink(options)
        sink.usesShortReaders = false
        let short = try outcome(ModelSink(options), source, options.settings)
        let general = try outcome(sink, source, options.settings)
        #expect(short == general, "round \(round): \(source)")
      }
    }
  }

  @Test func importsByNames() throws {
    var random = SeededGenerator.printed(#function)
    let schema = try Schema(Sample.self).stored
    for round in 0..<150 {
      var options = DynamicImportOptions()
      options.onBad = .collect()
      if Bool.random(using: &random) { options.mapping.unknown = .refuse }
      var records = try members(JSONMapping(Sample.self), &random)
      // Records of one batch that set other attributes each.
      if Bool.random(using: &random) {
        records = records.map { record in
          record.filter { $0.name == "id" || Int.random(in: 0..<20, using: &random) > 0 }
        }
      }
      let lines = records.map { record in
        "{" + record.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}\n"
      }
      for source in [csv(records, &random), .jsonLines(.text(lines.joined()))] {
        let plan = try DynamicPlan(options.mapping, of: "Sample", in: schema, .reading)
        let sink = try RowSink(options, plan)
        sink.usesShortReaders = false
        let short = try outcome(RowSink(options, plan), source, options.settings)
        let general = try outcome(sink, source, options.settings)
        #expect(short == general, "round \(round): \(source)")
      }
    }
  }

  @Test("Fields of CSV in their usual forms are read without JSON")
  func fieldsAreRead() throws {
    let text =
      "id,flag,long,double,text,note,date,info\n"
      + "7,true,-3,2.5,é,,2001-02-03T04:05:06Z,'{\"a\":1}'\n"
    var format = CSVFormat()
    format.quote = "'"
    let source = ImportFrom.csv(.text(text), format: format)
    let reader = try ObjectReader(
      JSONMapping(Sample.self).plan, JSONReading(SharedTargets(), isText: true))
    let plan = reader.record
    let form = RecordForm(entity: "Sample") { plan.column(at: $0) }
    var models: [Sample] = []
    try source.forEachRecord(of: ImportFile(source.content), limits: ImportLimits(), form) {
      let csv = try #require($0.csv)
      let fields = try #require(reader.fieldForm(csv))
      #expect(reader.readFields($0, fields, to: &models))
    }
    var expected = Sample(id: 7, flag: true, long: -3, double: 2.5, text: "é", note: nil)
    expected.date = Date(timeIntervalSince1970: 981_173_106)
    expected.info = ["a": 1]
    #expect(models == [expected])
  }

  @Test("Records that have a fault are left to the reader of any record")
  func fieldsThatAreLeft() throws {
    let reader = try ObjectReader(
      JSONMapping(Sample.self).plan, JSONReading(SharedTargets(), isText: true))
    let plan = reader.record
    let form = RecordForm(entity: "Sample") { plan.column(at: $0) }
    for field in ["x", "1.5", "9223372036854775808", "true"] {
      let source = ImportFrom.csv(.text("id,info,long\n1,{},\(field)\n"))
      var models: [Sample] = []
      try source.forEachRecord(of: ImportFile(source.content), limits: ImportLimits(), form) {
        let csv = try #require($0.csv)
        let fields = try #require(reader.fieldForm(csv))
        #expect(!reader.readFields($0, fields, to: &models), "\(field)")
      }
      #expect(models.isEmpty)
      #expect(reader.reading.faults.isEmpty)
    }
  }
}
