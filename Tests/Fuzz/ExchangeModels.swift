import Foundation

@testable import ORMExchange

// The models and mappings of the fuzz targets of exchange.

/// An attribute of every type.
struct Thing: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var flag = false
  var tiny: Int8 = 0
  var big: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var text = ""
  var note: String?
  var data = Data()
  var date: Date?
  var token: UUID?
  var amount: Decimal = 0
  var numbers: [Int64] = []
  var words: [String]?
  var info: [String: Int] = [:]
  var home: Place?
  var whole: ToOne<Thing> = ToOne()
  var parts: ToMany<Thing> = ToMany()

  static let entity = Entity<Thing>("Thing") {
    .key("id", \.id)
      .attribute("flag", \.flag, .default(false))
      .attribute("tiny", \.tiny, .default(0))
      .attribute("big", \.big, .default(0))
      .attribute("float", \.float, .default(0))
      .attribute("double", \.double, .default(0))
      .attribute("text", \.text, .default(""))
      .attribute("note", \.note)
      .attribute("data", \.data, .default(Data()))
      .attribute("date", \.date)
      .attribute("token", \.token)
      .attribute("amount", \.amount, .default(0))
      .attribute("numbers", \.numbers)
      .attribute("words", \.words)
      .json("info", \.info)
      .embedded("home", \.home)
      .relationship("whole", \.whole)
      .relationship("parts", \.parts, inverse: \Thing.whole)
  }
}

struct Place: Persistable, Codable, Hashable {
  var street: String
  var city: String?

  static let entity = Entity<Place>("Place") {
    .attribute("street", \.street).attribute("city", \.city)
  }
}

/// Mappings that carry every attribute both ways.
let mappings: [JSONMapping<Thing>] = [
  JSONMapping(Thing.self).leaveOut(\.parts),
  JSONMapping(Thing.self, names: .snakeCase, unknown: .refuse).leaveOut(\.parts)
    .field(\.text, from: "t", "n.t[1]", "a\\.b").field(\.double, as: .number(writesText: true))
    .field(\.numbers, from: "l[*].n").field(\.flag, as: .boolean(writesNumber: true))
    .field(\.data, as: .data(.hex)).field(\.home, from: "h.i").leavingOutNulls(),
  JSONMapping(Thing.self).keys(\.parts).nested(\.whole),
]

/// Attributes of every type, and nothing that leads elsewhere.
struct Flat: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var flag = false
  var tiny: Int8 = 0
  var big: UInt64 = 0
  var float: Float = 0
  var double: Double = 0
  var text = ""
  var note: String?
  var count: Int?
  var data = Data()
  var date: Date?
  var token: UUID?
  var amount: Decimal = 0
  var numbers: [Int64] = []
  var words: [String]?
  var info: [String: Int]?
  var home: Place?

  static let entity = Entity<Flat>("Flat") {
    .key("id", \.id)
      .attribute("flag", \.flag)
      .attribute("tiny", \.tiny, .default(0))
      .attribute("big", \.big, .default(0))
      .attribute("float", \.float, .default(0))
      .attribute("double", \.double)
      .attribute("text", \.text)
      .attribute("note", \.note)
      .attribute("count", \.count)
      .attribute("data", \.data, .default(Data()))
      .attribute("date", \.date)
      .attribute("token", \.token)
      .attribute("amount", \.amount, .default(0))
      .attribute("numbers", \.numbers)
      .attribute("words", \.words)
      .json("info", \.info)
      .embedded("home", \.home)
  }
}

let flatMappings: [JSONMapping<Flat>] = [
  JSONMapping(Flat.self),
  JSONMapping(Flat.self, names: .snakeCase, unknown: .refuse)
    .field(\.text, from: "t", "note").field(\.double, as: .number(writesText: true))
    .field(\.flag, as: .boolean(writesNumber: true)).field(\.data, as: .data(.hex)),
]

/// The mappings by names: attributes that a record lacks stay, and other members are passed over or refused.
let dynamicMappings: [DynamicMapping] = [DynamicMapping(), DynamicMapping(unknown: .refuse)]

/// A short reader and a general one of the same records, which must find the same.
struct ReaderPair<Reader: RecordReader> {
  let short: Reader
  let general: Reader

  init(_ make: (JSONReading) throws -> Reader) throws {
    short = try make(JSONReading(SharedTargets(), isText: true))
    general = try make(JSONReading(SharedTargets(), isText: true))
    general.usesShortReadings = false
  }
}

/// The readers of models.
///
/// The fuzzer has one thread.
nonisolated(unsafe) let modelReaders: [ReaderPair<ObjectReader<Flat>>] = flatMappings.map {
  mapping in
  do {
    return try ReaderPair { ObjectReader(try mapping.plan, $0) }
  } catch { fatalError("\(error)") }
}

/// The readers of rows by names.
nonisolated(unsafe) let rowReaders: [ReaderPair<RecordReader>] = dynamicMappings.map { mapping in
  do {
    let plan = try DynamicPlan(mapping, of: "Flat", in: Schema(Flat.self).stored, .reading).record
    return try ReaderPair {
      let reader = RecordReader(plan, $0)
      reader.setBase(Array(repeating: .null, count: plan.columnCount))
      return reader
    }
  } catch { fatalError("\(error)") }
}

/// What a reader finds in a record.
enum Found: Equatable {
  /// The values of the attributes, and where they come from.
  case values([StoredValue], [UInt8])
  case fault(String)
}

extension RecordReader {
  /// The values of the record that was read last.
  func found(in bytes: UnsafeRawBufferPointer) -> Found {
    let row = row(JSONScanner(bytes))
    do {
      return try .values(
        record.columns.indices.map { try row.value(at: $0) },
        record.columns.indices.map { cells[$0].rank })
    } catch { fatalError("\(error)") }
  }

  /// Reads a record that is JSON.
  func find(_ record: RawRecord) -> Found {
    reading.faults.removeAll()
    reading.origin = record.origin
    do {
      var scanner = try reading.scanner(of: record, entity: "Flat")
      guard scanner.next == UInt8(ascii: "{") else { return .fault("no object") }
      guard try readCells(&scanner, depth: record.depth, name: record.name) else {
        throw reading.faults.error(
          in: record.bytes, isText: true, record: 0, origin: record.origin)
      }
      scanner.skipSpace()
      if !scanner.isAtEnd { return .fault("text after the end") }
      return found(in: record.bytes)
    } catch let error as StoreError {
      return .fault("\(error)")
    } catch { fatalError("\(error)") }
  }
}

extension Data {
  /// The bytes as a window reads them, some at a time.
  func window(limit: Int, chunk: Int) throws -> ByteWindow {
    var place = startIndex
    return try ByteWindow(limit: limit, chunk: chunk) { count in
      let end = Swift.min(place + count, endIndex)
      defer { place = end }
      return self[place..<end]
    }
  }
}
