import Foundation
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Random values of every type, with those that are easily got wrong among them.
struct RandomRows {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static let scalars: [AttributeType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
    .string, .data, .date, .uuid, .decimal,
  ]

  mutating func value(of type: AttributeType) -> StoredValue {
    switch type {
    case .bool: .bool(.random(using: &random))
    case .uint64:
      .unsigned(pick([0, 1, .max, .max - 1, 1 << 63, .random(in: 0 ... .max, using: &random)]))
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: .int(integer(type))
    case .float, .double: .double(double())
    case .date: .date(Date(timeIntervalSinceReferenceDate: double()))
    case .string: .string(text())
    case .json: .json("[\(integer(.int16))]")
    case .data: .data(Data(bytes()))
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(), byte())))
    case .decimal: .decimal(decimal())
    case .array(let element):
      .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(of: element) })
    }
  }

  mutating func value(of column: StoredColumn) -> StoredValue {
    column.isOptional && Int.random(in: 0..<4, using: &random) == 0
      ? .null : value(of: column.type)
  }

  mutating func byte() -> UInt8 {
    pick([0, 1, 0x7F, 0xFE, 0xFF, .random(in: 0...255, using: &random)])
  }

  mutating func bytes() -> [UInt8] {
    (0..<pick([0, 1, 2, 3, 9])).map { _ in byte() }
  }

  mutating func text() -> String {
    let parts = ["", "a", "b", "\0", "\u{1}", "é", "e\u{301}", "𝄞", "ÿ", "Z", "ß", "zz"]
    return (0..<pick([0, 1, 2, 5])).map { _ in pick(parts) }.joined()
  }

  mutating func integer(_ type: AttributeType) -> Int64 {
    guard let range = type.integerRange else { return 0 }
    return pick([
      range.lowerBound, range.upperBound, 0, 1, min(range.upperBound, 256),
      max(range.lowerBound, -1), .random(in: range, using: &random),
    ])
  }

  mutating func double() -> Double {
    pick([
      0, -0.0, 1, -1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300, -1e-300,
      Double(Int.random(in: -5...5, using: &random)),
    ])
  }

  mutating func decimal() -> Decimal {
    let digits = pick(["0", "1", "10", "12.5", "0.001", "99.99", "100.01", "7", "70", "123456789"])
    let sign = Bool.random(using: &random) ? "-" : ""
    let power = pick([0, 0, 0, 20, -20, 100, -100])
    return Decimal(string: "\(sign)\(digits)e\(power)") ?? 0
  }

  mutating func pick<T>(_ choices: [T]) -> T { random.pick(choices) }

  /// Some columns of random types, the first of them an integer key.
  mutating func entity(columns: Int) -> StoredEntity {
    var types = Self.scalars
    types += [.array(.string), .array(.int64), .array(.decimal), .json]
    var list = [StoredColumn("id", .int64)]
    for number in 1..<max(columns, 2) {
      list.append(
        StoredColumn("c\(number)", pick(types), isOptional: Bool.random(using: &random)))
    }
    return StoredEntity(name: "row", modelName: "Row", columns: list, key: [0])
  }

  mutating func row(of entity: StoredEntity) -> [StoredValue] {
    entity.columns.map { value(of: $0) }
  }
}

/// Runs a random test with a seed that is named when it fails.
func withSeed(
  _ test: String = #function, _ body: (inout RandomRows) throws -> Void
) throws {
  let seed = runSeed(test)
  var rows = RandomRows(seed: seed)
  do { try body(&rows) } catch {
    Issue.record("seed \(seed): \(error)")
    throw error
  }
}

extension RecordLayout {
  convenience init(_ entity: StoredEntity, hasChecksums: Bool = true) {
    self.init(
      entity, fillings: entity.columns.map { $0.defaultValue ?? .null },
      hasChecksums: hasChecksums)
  }

  /// A record of values, one for each column.
  func record(_ values: [StoredValue]) throws -> [UInt8] {
    var builder = RecordBuilder(self)
    for (field, value) in zip(fields, values) { try builder.set(value, field) }
    try builder.finish()
    return Array(builder.bytes)
  }

  /// The values of a record.
  func values(_ record: [UInt8]) throws -> [StoredValue]? {
    try record.withUnsafeBytes { bytes in
      var view = RecordView(self)
      guard view.move(to: bytes) else { return nil }
      return try fields.map { try view.value($0) }
    }
  }
}

func areIdentical(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
  StoredValue.array(a).isIdentical(to: .array(b))
}
