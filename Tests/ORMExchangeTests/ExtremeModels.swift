import Foundation
import ORMExchange

/// A model with an attribute of every type that may be nil, and structs that may be.
struct Extreme: PrimaryKeyed, Codable {
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
  var bools: [Bool]?
  var int8s: [Int8]?
  var int16s: [Int16]?
  var int32s: [Int32]?
  var int64s: [Int64]?
  var uint16s: [UInt16]?
  var uint32s: [UInt32]?
  var floats: [Float]?
  var uuids: [UUID]?
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
    ("decimals", .array(.decimal)), ("bools", .array(.bool)), ("int8s", .array(.int8)),
    ("int16s", .array(.int16)), ("int32s", .array(.int32)), ("int64s", .array(.int64)),
    ("uint16s", .array(.uint16)), ("uint32s", .array(.uint32)), ("floats", .array(.float)),
    ("uuids", .array(.uuid)), ("json", .json),
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
      .attribute("bools", \.bools)
      .attribute("int8s", \.int8s)
      .attribute("int16s", \.int16s)
      .attribute("int32s", \.int32s)
      .attribute("int64s", \.int64s)
      .attribute("uint16s", \.uint16s)
      .attribute("uint32s", \.uint32s)
      .attribute("floats", \.floats)
      .attribute("uuids", \.uuids)
      .json("json", \.json)
      .embedded("part", \.part)
      .embedded("sure", \.sure)
  }
}

/// A model with the attributes of ``Extreme``, none of which may be nil.
struct Required: PrimaryKeyed, Codable {
  var id: Int64
  var bool: Bool
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var float: Float
  var double: Double
  var string: String
  var data: Data
  var date: Date
  var uuid: UUID
  var decimal: Decimal
  var strings: [String]
  var dates: [Date]
  var doubles: [Double]
  var datas: [Data]
  var uint64s: [UInt64]
  var decimals: [Decimal]
  var bools: [Bool]
  var int8s: [Int8]
  var int16s: [Int16]
  var int32s: [Int32]
  var int64s: [Int64]
  var uint16s: [UInt16]
  var uint32s: [UInt32]
  var floats: [Float]
  var uuids: [UUID]
  var json: Loose

  static let entity = Entity<Required>("Required") {
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
      .attribute("bools", \.bools)
      .attribute("int8s", \.int8s)
      .attribute("int16s", \.int16s)
      .attribute("int32s", \.int32s)
      .attribute("int64s", \.int64s)
      .attribute("uint16s", \.uint16s)
      .attribute("uint32s", \.uint32s)
      .attribute("floats", \.floats)
      .attribute("uuids", \.uuids)
      .json("json", \.json)
  }
}

/// A struct whose parts may all be nil.
struct Part: Persistable, Codable {
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
enum Loose: Codable {
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
  var extremes: [StoredValue] {
    let texts = [
      "", "\0", "\0\u{1}\u{2}\u{3}", "\u{1}\u{2}\u{2}", "\u{3}\u{1}", "a\0b", " ", " a ", "null",
      "true", "1", "1e5", "-0", "inf", "\"", "\"\"", ",", ";", "\n", "\r",
      "\r\n", "a\rb", "\u{FEFF}", "\u{FFFF}", "e\u{301}", "\u{E9}", "😀", "[1]", "[]", "{}", "a b",
      "#",
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
      return [Data(), Data([0]), Data([255, 254, 0]), Data([0, 1, 2, 3]), Data([92, 120])].map {
        .data($0)
      }
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
      // The one long text is tried alone.
      let values = element.extremes.filter {
        if case .string(let text) = $0 { text.utf8.count < 1_000 } else { true }
      }
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
