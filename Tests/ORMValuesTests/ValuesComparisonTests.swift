import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("2.1, 2.2, 2.3 Comparison of stored values")
struct ValuesComparisonTests {
  typealias Comparison = StoredValue.Comparison

  /// Ascending runs: every value is less than every later one in its run.
  static let ascending: [[StoredValue]] = [
    [.bool(false), .bool(true)],
    [
      .double(-.infinity), .double(-.greatestFiniteMagnitude), .decimal(dec("-1e127")),
      .double(-0x1p63 - 2048), .int(.min), .decimal(dec("-9223372036854775807.5")),
      .int(.min + 1), .int(-2), .double(-1.5), .int(-1), .double(-.leastNonzeroMagnitude),
      .int(0), .double(.leastNonzeroMagnitude), .decimal(dec("1e-128")),
      // 0.1 as a double is 0.1000000000000000055…
      .decimal(dec("0.1")), .double(0.1), .decimal(dec("0.1000000000000000056")),
      .double(0.5), .int(1), .decimal(dec("1.0000000000000000000000000001")),
      .int(9_007_199_254_740_991), .double(0x1p53), .int(9_007_199_254_740_993),
      .double(0x1p53 + 2), .int(.max), .double(0x1p63), .uint(1 << 63 + 1),
      .uint(.max), .double(0x1p64), .decimal(dec("18446744073709551616.5")),
      .decimal(dec("340282366920938463463374607431768211455")), .double(0x1p128),
      .decimal(dec("340282366920938463463374607431768211455e127")), .double(1e300),
      .double(.infinity),
    ],
    [
      .string(""), .string("A"), .string("a"), .string("a\0"), .string("e\u{301}"), .string("é"),
      .string("\u{FFFF}"), .string("\u{10000}"),
    ],
    [.data(Data()), .data(Data([0])), .data(Data([0, 0])), .data(Data([1])), .data(Data([255]))],
    [
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0))),
      .uuid(UUID(uuid: (127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      .uuid(UUID(uuid: (128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    ],
    [
      .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
      .date(Date(timeIntervalSinceReferenceDate: -0.5)),
      .date(Date(timeIntervalSinceReferenceDate: 0)),
      .date(Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude)),
    ],
  ]

  /// Values of different representation that are equal.
  static let equal: [[StoredValue]] = [
    [.int(0), .double(0), .double(-0.0), .decimal(0), .decimal(dec("0.00"))],
    [.int(1), .double(1), .decimal(1), .decimal(dec("1.00"))],
    [.double(0.5), .decimal(dec("0.5"))],
    [.double(0x1p63), .uint(1 << 63), .decimal(dec("9223372036854775808"))],
    [.int(.min), .double(-0x1p63), .decimal(dec("-9223372036854775808"))],
    // 2^70 and 2^-10, written out.
    [.double(0x1p70), .decimal(dec("1180591620717411303424"))],
    [.double(0x1p-10), .decimal(dec("0.0009765625"))],
    [
      .date(Date(timeIntervalSinceReferenceDate: 0)),
      .date(Date(timeIntervalSinceReferenceDate: -0.0)),
    ],
    [.array([.int(1), .null]), .array([.double(1), .null])],
    [.json(#"{"a":1}"#), .json(#"{"a":1}"#)],
  ]

  @Test("2.2 values of each run stand in ascending order", arguments: ascending)
  func runsAscend(run: [StoredValue]) {
    for (i, a) in run.enumerated() {
      for (j, b) in run.enumerated() {
        let expected: Comparison = i < j ? .less : (i == j ? .equal : .greater)
        #expect(StoredValue.compare(a, b) == expected, "\(a) \(b)")
        #expect(StoredValue.equals(a, b) == (i == j), "\(a) \(b)")
        #expect(StoredValue.order(a, b) == expected.rawValue, "\(a) \(b)")
        #expect((GroupKey([a]) == GroupKey([b])) == (i == j), "\(a) \(b)")
      }
    }
  }

  @Test("2.2 one number in several kinds is equal, and one group", arguments: equal)
  func equalValues(values: [StoredValue]) {
    for a in values {
      for b in values {
        #expect(StoredValue.compare(a, b) == .equal, "\(a) \(b)")
        #expect(StoredValue.equals(a, b), "\(a) \(b)")
        #expect(StoredValue.order(a, b) == 0, "\(a) \(b)")
        #expect(GroupKey([a]) == GroupKey([b]), "\(a) \(b)")
        #expect(GroupKey([a]).hashValue == GroupKey([b]).hashValue, "\(a) \(b)")
      }
    }
  }

  @Test("2.1 nil equals nil only, and has no order")
  func nilIsTwoValued() {
    #expect(StoredValue.equals(.null, .null))
    #expect(StoredValue.compare(.null, .null) == nil)
    for value in Self.ascending.joined() {
      #expect(!StoredValue.equals(.null, value))
      #expect(!StoredValue.equals(value, .null))
      #expect(StoredValue.compare(.null, value) == nil)
      #expect(StoredValue.compare(value, .null) == nil)
    }
  }

  @Test("1.3 NaN equals nothing and orders before and after nothing")
  func nanComparesWithNothing() {
    let nans: [StoredValue] = [
      .double(.nan), .decimal(.nan), .date(Date(timeIntervalSinceReferenceDate: .nan)),
    ]
    for nan in nans {
      #expect(!StoredValue.equals(nan, nan))
      #expect(nan != nan)
      #expect(StoredValue.order(nan, nan) == 0)
      #expect(GroupKey([nan]) == GroupKey([nan]))
      #expect(GroupKey([nan]).hashValue == GroupKey([nan]).hashValue)
      for value in Self.ascending.joined() {
        #expect(StoredValue.compare(nan, value) == nil)
        #expect(StoredValue.compare(value, nan) == nil)
      }
    }
    #expect(StoredValue.order(.double(.nan), .double(.infinity)) > 0)
    #expect(StoredValue.order(.decimal(.nan), .int(.max)) > 0)
    #expect(StoredValue.order(.decimal(.nan), .double(.nan)) == 0)
    #expect(StoredValue.order(.double(.nan), .string("")) < 0)
  }

  @Test("2.1 different kinds do not compare, and sort in the stated order")
  func kindsAreApart() {
    let kinds: [StoredValue] = [
      .null, .bool(true), .int(5), .date(Date(timeIntervalSinceReferenceDate: 0)), .string("z"),
      .uuid(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), .data(Data([9])),
      .array([.int(0)]), .json("0"),
    ]
    for (i, a) in kinds.enumerated() {
      for (j, b) in kinds.enumerated() where i != j {
        #expect(StoredValue.compare(a, b) == nil)
        #expect(!StoredValue.equals(a, b))
        #expect(StoredValue.order(a, b) == (i < j ? -1 : 1), "\(a) \(b)")
      }
    }
    #expect(StoredValue.compare(.bool(true), .int(1)) == nil)
    #expect(StoredValue.compare(.json("1"), .string("1")) == nil)
  }

  @Test("2.3 composed and decomposed é are different everywhere")
  func scalarsCount() {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    #expect(composed == decomposed)
    for make in [StoredValue.string, StoredValue.json] {
      #expect(make(composed) != make(decomposed))
      #expect(make(composed) == make("\u{E9}"))
      #expect(!make(composed).isIdentical(to: make(decomposed)))
      #expect(!StoredValue.equals(make(composed), make(decomposed)))
      #expect(GroupKey([make(composed)]) != GroupKey([make(decomposed)]))
      #expect(Set([make(composed), make(decomposed), make("\u{E9}")]).count == 2)
    }
    #expect(StoredValue.array([.string(composed)]) != .array([.string(decomposed)]))
  }

  @Test("arrays and JSON are equal or nothing in a condition, and still sort")
  func arraysAndJSON() {
    let one: StoredValue = .array([.int(1)])
    let two: StoredValue = .array([.int(1), .int(2)])
    let other: StoredValue = .array([.int(2)])
    #expect(StoredValue.compare(one, two) == nil)
    #expect(StoredValue.order(one, two) == -1)
    #expect(StoredValue.order(other, two) == 1)
    #expect(StoredValue.order(.array([]), one) == -1)
    #expect(StoredValue.order(.array([.null]), one) == -1)
    #expect(StoredValue.compare(.json("1"), .json("2")) == nil)
    #expect(StoredValue.order(.json("1"), .json("2")) == -1)
    #expect(!StoredValue.equals(.array([.double(.nan)]), .array([.double(.nan)])))
    #expect(StoredValue.equals(.array([.null]), .array([.null])))
  }

  @Test("== is by kind and content, isIdentical to the bit")
  func equalityByKind() {
    #expect(StoredValue.int(1) != .double(1))
    #expect(StoredValue.double(0) == .double(-0.0))
    #expect(StoredValue.double(0).hashValue == StoredValue.double(-0.0).hashValue)
    #expect(!StoredValue.double(0).isIdentical(to: .double(-0.0)))
    #expect(StoredValue.double(.nan).isIdentical(to: .double(.nan)))
    #expect(StoredValue.decimal(dec("1.0")) == .decimal(1))
    #expect(StoredValue.decimal(dec("0.00")).hashValue == StoredValue.decimal(0).hashValue)
    #expect(!StoredValue.array([.double(0)]).isIdentical(to: .array([.double(-0.0)])))
    #expect(StoredValue.int(1).isIdentical(to: .int(1)))
    #expect(!StoredValue.null.isIdentical(to: .int(0)))
  }

  @Test("1.2 groups show +0.0")
  func positiveZeros() {
    #expect(StoredValue.double(-0.0).withPositiveZeros.isIdentical(to: .double(0)))
    let date = StoredValue.date(Date(timeIntervalSinceReferenceDate: -0.0))
    #expect(
      date.withPositiveZeros.isIdentical(to: .date(Date(timeIntervalSinceReferenceDate: 0))))
    #expect(
      StoredValue.array([.double(-0.0), .int(1)]).withPositiveZeros
        .isIdentical(to: .array([.double(0), .int(1)])))
    #expect(StoredValue.double(-1).withPositiveZeros.isIdentical(to: .double(-1)))
  }

  @Test("2.2 order is total on random numbers: antisymmetric, transitive, one with group equality")
  func totalOrder() {
    var random = SeededGenerator.printed("totalOrder")
    var values: [StoredValue] = [.int(.min), .int(.max), .uint(.max), .double(0), .int(0)]
    for _ in 0..<40 {
      let integer = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
      values.append(.int(integer))
      values.append(.double(Double(integer)))
      values.append(.double(random.anyDouble()))
      values.append(.decimal(random.anyDecimal()))
      values.append(.decimal(Decimal(integer)))
      values.append(.unsigned(random.next()))
    }
    let sorted = values.sorted { StoredValue.order($0, $1) < 0 }
    for i in sorted.indices {
      for j in sorted.indices {
        let order = StoredValue.order(sorted[i], sorted[j])
        #expect(order == -StoredValue.order(sorted[j], sorted[i]))
        if i <= j { #expect(order <= 0, "\(sorted[i]) \(sorted[j])") }
        let areOneGroup = GroupKey([sorted[i]]) == GroupKey([sorted[j]])
        #expect(areOneGroup == (order == 0))
        if areOneGroup {
          #expect(GroupKey([sorted[i]]).hashValue == GroupKey([sorted[j]]).hashValue)
        }
      }
    }
  }
}
