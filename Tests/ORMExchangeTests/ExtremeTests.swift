import Foundation
import MemoryBackend
import ORMExchange
import TestSupport
import Testing

/// Every type of attribute with its extreme values, out of a store and into another one.
@Suite struct ExtremeTests {
  let folder = TestFolder()

  private enum Format: String, CaseIterable {
    case json, jsonLines, csv
  }

  private func target(_ format: Format, _ path: String) -> ExportTo {
    switch format {
    case .json: .json(path)
    case .jsonLines: .jsonLines(path)
    case .csv: .csv(path)
    }
  }

  private func source(_ format: Format, _ path: String) -> ImportFrom {
    switch format {
    case .json: .json(.file(path))
    case .jsonLines: .jsonLines(.file(path))
    case .csv: .csv(.file(path))
    }
  }

  /// The extreme values of each attribute.
  private static let values = Extreme.types.map { (name: $0, values: $1.extremes) }

  /// The rows: each has another extreme value of every attribute, and nil where there is none left.
  private static let rows: [DynamicRow] =
    (0..<(values.map(\.values.count).max() ?? 0)).map { number in
      var row = DynamicRow("Extreme", ["id": .int(Int64(number) + 1)])
      for (name, values) in values where number < values.count { row[name] = values[number] }
      return row
    }

  private static let parts: [Part?] = [
    nil, Part(), Part(note: ""), Part(note: "a"), Part(date: .distantPast), Part(data: Data()),
  ]

  @Test(
    "12.12 Extreme values come back to the bit, and nothing is lost",
    arguments: ImportStore.allCases)
  func extremes(kind: ImportStore) throws {
    #expect(try JSONMapping(Extreme.self).losses == [])
    let schema = try Schema(Extreme.self, ImportCheckpoint.self)
    let store = try kind.open(folder, schema)
    try store.write { transaction in
      try transaction.insert(Self.rows)
      for (number, part) in Self.parts.enumerated() {
        let id = Int64(Self.rows.count + number + 1)
        let sure = number % 2 == 0 ? nil : Address(street: "", city: nil)
        try transaction.insert(Extreme(id: id, part: part, sure: sure))
      }
    }
    let stored = try store.fetch(DynamicQuery("Extreme"))
    try #require(stored.count == Self.rows.count + Self.parts.count)
    for (row, given) in zip(stored, Self.rows) {
      for (name, value) in given.values {
        #expect(row[name].isIdentical(to: value), "\(kind) keeps \(name) \(value)")
      }
    }
    for format in Format.allCases {
      for isTypedOut in [true, false] {
        let path = folder.file("extremes.\(format)")
        if isTypedOut {
          try store.export(Extreme.all, to: target(format, path))
        } else {
          try store.export(DynamicQuery("Extreme"), to: target(format, path))
        }
        for isTypedIn in [true, false] {
          let what = "\(format), typed out: \(isTypedOut), typed in: \(isTypedIn)"
          try store.delete(DynamicQuery("Extreme"))
          let report =
            isTypedIn
            ? try store.import(Extreme.self, from: source(format, path)) { $0.onBad = .collect() }
            : try store.import(entity: "Extreme", from: source(format, path)) {
              $0.onBad = .collect()
            }
          for bad in report.bad {
            let row = stored[bad.number - 1]
            let names = row.values.filter { !$0.value.isNull }.keys.sorted()
            Issue.record("\(what): \(names) \(bad.error.message)")
          }
          let found = try store.fetch(DynamicQuery("Extreme"))
          #expect(found.count == stored.count, "\(what)")
          for (row, given) in zip(found, stored) {
            for (name, value) in given.values where !row[name].isIdentical(to: value) {
              Issue.record("\(what): \(given["id"]) \(name) was \(value), and is \(row[name])")
            }
          }
        }
      }
    }
  }

  /// The rows with a value of each attribute: the extreme values of a type in turn.
  private static let full: [DynamicRow] = rows.indices.map { number in
    var row = DynamicRow("Required", ["id": .int(Int64(number) + 1)])
    for (name, values) in values {
      // The long text is the last, and a row of its own shows it.
      let values = name == "string" ? values.dropLast() : values[...]
      row[name] = values[number % values.count]
    }
    return row
  }

  @Test(
    "12.12 Extreme values of attributes that may not be nil come back to the bit",
    arguments: ImportStore.allCases)
  func required(kind: ImportStore) throws {
    let mapping = JSONMapping(Required.self)
    #expect(try mapping.losses == [])
    let store = try kind.open(folder, try Schema(Required.self, ImportCheckpoint.self))
    try store.write { try $0.insert(Self.full) }
    let models = try store.fetch(Required.all)
    func expectAll(_ what: String) throws {
      let found = try store.fetch(DynamicQuery("Required"))
      #expect(found.count == Self.full.count, "\(what)")
      for (row, given) in zip(found, Self.full) {
        for (name, value) in given.values where !row[name].isIdentical(to: value) {
          Issue.record("\(what): \(name) was \(value), and is \(row[name])")
        }
      }
    }
    try expectAll("\(kind)")
    for format in Format.allCases {
      for isTypedOut in [true, false] {
        let path = folder.file("required.\(format)")
        let to = target(format, path)
        _ =
          try isTypedOut
          ? store.export(Required.all, to: to) : store.export(DynamicQuery("Required"), to: to)
        for isTypedIn in [true, false] {
          try store.delete(DynamicQuery("Required"))
          let from = source(format, path)
          _ =
            try isTypedIn
            ? store.import(Required.self, from: from) : store.import(entity: "Required", from: from)
          try expectAll("\(format), typed out: \(isTypedOut), typed in: \(isTypedIn)")
        }
      }
    }
    try store.delete(DynamicQuery("Required"))
    try store.insert(try models.map { try mapping.decodeOne(try mapping.encode($0)) })
    try expectAll("one by one")
  }

  @Test("12.12 A form that loses nothing brings every extreme value back to the bit")
  func forms() throws {
    let schema = try Schema(Extreme.self)
    let (store, other) = (MemoryStore(schema: schema), MemoryStore(schema: schema))
    try store.write { try $0.insert(Self.rows) }
    let models = try store.fetch(Extreme.all)
    let forms: [JSONForm] = [
      "number", "numberAsText", "numberOnly", "numberToText", "text", "boolean",
      "booleanAsNumber", "base64", "base64URL", "hex", "iso8601", "seconds", "milliseconds",
      "microseconds", "secondsSince2001", "dd.MM.yyyy HH:mm:ss.SSS",
      .date([.secondsSince2001, .iso8601]), .date([.iso8601, .seconds]),
    ]
    var carried: Set<String> = []
    for form in forms {
      for (name, _) in Extreme.types {
        let mapping = JSONMapping<Extreme>(DynamicMapping(fields: [name: .init(as: form)]))
        // A form that does not fit the type is refused.
        guard let losses = try? mapping.losses.filter({ $0.property == name }) else { continue }
        // Some form of a date rounds it, or cannot hold it, and says so.
        guard losses.isEmpty else { continue }
        carried.insert(name)
        let own = zip(models, Self.rows).filter { !$1[name].isNull }
        try other.deleteAll(Extreme.self)
        for (model, row) in own {
          do {
            try other.insert(try mapping.decodeOne(try mapping.encode(model)))
          } catch {
            Issue.record("\(form) of \(name): \(row[name]): \(error)")
          }
        }
        for (found, (_, row)) in zip(try other.fetch(DynamicQuery("Extreme")), own)
        where !found[name].isIdentical(to: row[name]) {
          Issue.record("\(form): \(name) was \(row[name]), and is \(found[name])")
        }
      }
    }
    // Each form but those that round was tried on a type.
    #expect(
      carried.isSuperset(of: [
        "bool", "int8", "int64", "uint64", "float", "double", "string", "data", "date", "decimal",
      ]), "\(carried.sorted())")
  }

  @Test("12.1 Dates in seconds since 2001 come back to the bit")
  func seconds() throws {
    let mapping = JSONMapping(Extreme.self).field(\.date, as: .date(.secondsSince2001))
    #expect(try mapping.losses == [])
    for case .date(let date) in AttributeType.date.extremes {
      let text = try mapping.encode(Extreme(id: 1, date: date))
      let found = try mapping.decodeOne(text).date?.timeIntervalSinceReferenceDate.bitPattern
      #expect(found == date.timeIntervalSinceReferenceDate.bitPattern, "\(text)")
    }
  }

  @Test("12.1 A text that is no date in its one form is none")
  func otherDates() {
    let mapping = JSONMapping(Extreme.self)
    for text in ["5", "1e5", "-1", "infinity", "+inf", "nan", "1e400", "0.0", " inf", ""] {
      #expect(
        storeError { _ = try mapping.decodeOne(#"{"id":1,"date":"\#(text)"}"#) } != nil, "\(text)")
    }
    for text in ["1e5", "1e400", "-9e998"] {
      let seconds = mapping.field(\.date, as: .date(.iso8601))
      #expect(
        storeError { _ = try seconds.decodeOne(#"{"id":1,"date":\#(text)}"#) } != nil, "\(text)")
    }
  }

  @Test("12.1 An integer of a double is all of its digits or the shortest ones")
  func longIntegers() throws {
    let mapping = JSONMapping(Extreme.self)
    let values: [(String, Double?)] = [
      ("123456789012345680000", 123_456_789_012_345_683_968),
      ("123456789012345683968", 123_456_789_012_345_683_968),
      ("123456789012345680001", nil), ("9007199254740993", nil),
      ("9007199254740992", 9_007_199_254_740_992),
      ("100000000000000000000000", 1e23),
    ]
    for (text, value) in values {
      let found = try? mapping.decodeOne(#"{"id":1,"double":\#(text)}"#).double
      #expect(found == value, "\(text)")
    }
  }
}
