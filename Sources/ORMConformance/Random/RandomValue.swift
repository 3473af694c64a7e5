internal import Foundation
internal import ORM
internal import ORMCore

/// Random values of a type: few different ones, so that they meet, and those at the edges.
enum RandomValue {
  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> StoredValue {
    switch type {
    case .bool: return .bool(random.chance(2))
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      let range = type.integerRange ?? 0...0
      let all: [Int64] = [
        -2, -1, 0, 1, 2, 3, 7, 1 << 53, (1 << 53) + 1, range.lowerBound, range.upperBound,
      ]
      return .int(random.pick(all.filter(range.contains)))
    case .uint64:
      return .unsigned(random.pick([0, 1, 2, 3, 1 << 53, (1 << 63) - 1, 1 << 63, .max]))
    case .float:
      return .double(Double(random.pick([-0.0, 0, 1, -1.5, 0.1, 1e30, .infinity] as [Float])))
    case .double: return .double(double(&random))
    case .string: return .string(RandomText.text(&random))
    case .data:
      return .data(Data(random.pick([[], [0], [0, 0], [1], [255], [1, 0], [97]] as [[UInt8]])))
    case .date:
      return .date(
        Date(timeIntervalSinceReferenceDate: random.pick([-0.0, 0, 0.5, 1, -1e10, 7e8, 1e300])))
    case .uuid:
      let byte = random.pick([1, 2, 0x7F, 0x80, 0xFF] as [UInt8])
      return .uuid(
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, random.pick([0, 1]))))
    case .decimal: return .decimal(decimal(&random))
    case .array(let element):
      return .array((0..<random.number(0...3)).map { _ in value(element, &random) })
    case .json: return .json(RandomText.json(&random))
    }
  }

  static func double(_ random: inout SeededGenerator) -> Double {
    random.pick([
      -0.0, 0, 0.1, 0.2, 1, 1.5, 2, -1.5, 0x1p53, 0x1p63, 1e308, -1e308,
      .leastNonzeroMagnitude, .infinity, -.infinity,
    ])
  }

  private static func decimal(_ random: inout SeededGenerator) -> Decimal {
    DecimalText.decimal(
      from: random.pick([
        "0", "1", "-1", "2", "2.5", "0.1", "-0.1", "3", "1E-10", "9007199254740993",
        "340282366920938463463374607431768211455", "123456789012345678901234567890.12345678",
      ])) ?? 0
  }

  /// A value that an attribute of this type does not take; nil where there is none to choose.
  static func misfit(_ type: AttributeType, _ random: inout SeededGenerator) -> StoredValue? {
    switch type {
    case .double, .float: random.chance(2) ? .double(.nan) : .string("a")
    case .date: .date(Date(timeIntervalSinceReferenceDate: .nan))
    case .int8: .int(128)
    case .uint8, .uint16, .uint32, .uint64: .int(-1)
    case .int16: .int(1 << 20)
    case .json: .json("{")
    case .decimal: .decimal(.nan)
    case .string: .int(1)
    default: nil
    }
  }
}
