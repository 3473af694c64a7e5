import Foundation
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

  /// The rows: each has one attribute of one extreme value, and of the rest nil.
  private static let rows: [DynamicRow] = {
    var rows: [DynamicRow] = []
    for (name, type) in Extreme.types {
      for value in type.extremes {
        rows.append(
          DynamicRow("Extreme", ["id": .int(Int64(rows.count) + 1), name: value]))
      }
    }
    return rows
  }()

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

/// A model with an attribute of every type that may be nil, and structs that may be.
private struct Extreme: PrimaryKeyed, Codable {
  var id: Int64
  var bool: Bool?
  var int8: Int8?
  var int16: Int16?
  var int32: Int32?
  var int64: Int64?
  var uint8: UInt8?
  var uint16: UInt16?
  var uint32: UInt32?
  var uint64: UInt64?
  var float: Float?
  var double: Double?
  var string: String?
  var data: Data?
  var date: Date?
  var uuid: UUID?
  var decimal: Decimal?
  var strings: [String]?
  var dates: [Date]?
  var doubles: [Double]?
  var datas: [Data]?
  var uint64s: [UInt64]?
  var decimals: [Decimal]?
  var json: Loose?
  var part: Part?
  var sure: Address?

  /// The attributes with their types; a type that is missing here does not compile in `extremes`.
  static let types: [(String, AttributeType)] = [
    ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64),
    ("uint8", .uint8), ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64),
    ("float", .float), ("double", .double), ("string", .string), ("data", .data), ("date", .date),
    ("uuid", .uuid), ("decimal", .decimal), ("strings", .array(.string)), ("dates", .array(.date)),
    ("doubles", .array(.double)), ("datas", .array(.data)), ("uint64s", .array(.uint64)),
    ("decimals", .array(.decimal)), ("json", .json),
  ]

  static let entity = Entity<Extreme>("Extreme") {
    .key("id", \.id)
      .attribute("bool", \.bool)
      .attribute("int8", \.int8)
      .attribute("int16", \.int16)
      .attribute("int32", \.int32)
      .attribute("int64", \.int64)
      .attribute("uint8", \.uint8)
      .attribute("uint16", \.uint16)
      .attribute("uint32", \.uint32)
      .attribute("uint64", \.uint64)
      .attribute("float", \.float)
      .attribute("double", \.double)
      .attribute("string", \.string)
      .attribute("data", \.data)
      .attribute("date", \.date)
      .attribute("uuid", \.uuid)
      .attribute("decimal", \.decimal)
      .attribute("strings", \.strings)
      .attribute("dates", \.dates)
      .attribute("doubles", \.doubles)
      .attribute("datas", \.datas)
      .attribute("uint64s", \.uint64s)
      .attribute("decimals", \.decimals)
      .json("json", \.json)
      .embedded("part", \.part)
      .embedded("sure", \.sure)
  }
}

/// A struct whose parts may all be nil.
private struct Part: Persistable, Codable {
  var note: String?
  var date: Date?
  var data: Data?

  static let entity = Entity<Part>("Part") {
    .attribute("note", \.note)
      .attribute("date", \.date)
      .attribute("data", \.data)
  }
}

/// JSON of texts, booleans, and lists and objects of them.
private enum Loose: Codable {
  case text(String)
  case bool(Bool)
  case list([Loose])
  case object([String: Loose])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let list = try? value.decode([Loose].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: Loose].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .text(let text): try value.encode(text)
    case .bool(let bool): try value.encode(bool)
    case .list(let list): try value.encode(list)
    case .object(let members): try value.encode(members)
    }
  }
}

extension AttributeType {
  /// The values at the ends of a type, and those that a text could be taken for another one of.
  fileprivate var extremes: [StoredValue] {
    let texts = [
      "", " ", " a ", "null", "true", "1", "1e5", "-0", "inf", "\"", "\"\"", ",", ";", "\n", "\r",
      "\r\n", "a\rb", "\0", "\u{FEFF}", "e\u{301}", "\u{E9}", "😀", "[1]", "[]", "{}", "a b", "#",
      "\\",
      "2024-05-01", String(repeating: "x", count: 70_000),
    ]
    let seconds = [
      0, -0.0, 1, -1, .infinity, -.infinity, 1e-300, -1e-300, 1e-5, -1e-5, 1e-4,
      .leastNonzeroMagnitude, 1e300,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, -63_114_076_800, -63_114_076_801,
      -63_114_076_800.5, 252_423_993_600, 252_423_993_599.5, 252_423_993_599.99997,
      Date.distantPast.timeIntervalSinceReferenceDate,
      Date.distantFuture.timeIntervalSinceReferenceDate, 700_000_000.123456, -0.1, 0.1,
    ]
    switch self {
    case .bool: return [.bool(false), .bool(true)]
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      let range = integerRange ?? 0...0
      return [.int(range.lowerBound), .int(0), .int(range.upperBound)]
    case .uint64:
      return [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max].map { .unsigned($0) }
    case .float:
      return [
        0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        .leastNormalMagnitude, 0.1, 16_777_216, 1e10,
      ].map { (value: Float) in .double(Double(value)) }
    case .double:
      return [
        0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, 1e15, 1e16, 1e23, 9_007_199_254_740_992,
        123_456_789_012_345_683_968, 1 / 3.0,
      ].map { .double($0) }
    case .string: return texts.map { .string($0) }
    case .data:
      return [Data(), Data([0]), Data([255, 254, 0]), Data(texts[15].utf8)].map { .data($0) }
    case .date: return seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid:
      return [
        .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
        .uuid(
          UUID(
            uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))),
      ]
    case .decimal:
      return [
        0, 1, -1, Decimal.greatestFiniteMagnitude, Decimal.leastFiniteMagnitude,
        Decimal.leastNonzeroMagnitude, Decimal(string: "0.1") ?? 0,
      ].map { .decimal($0) }
    case .array(let element):
      let values = element.extremes
      return [.array([]), .array(values), .array([values[0]])]
    case .json:
      return ["1e5", "true", "null", "", " 1", "a", "\"x\"", "[1]", "{}", "9e999"].map { text in
        .json(JSONValue.string(text).text)
      } + [
        .json("true"), .json("false"), .json("[]"), .json("{}"), .json(#"["1",true,[""]]"#),
        .json(#"{"a":"null","b":{}}"#),
      ]
    }
  }
}
