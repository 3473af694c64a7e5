import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("4.1 Aggregates")
struct ValuesAggregatorTests {
  func run(
    _ function: AggregateKind, of kind: AttributeType.Kind, _ values: [StoredValue]
  ) throws -> StoredValue {
    var aggregator = Aggregator(function, of: kind)
    for value in values { aggregator.add(value) }
    return try aggregator.result()
  }

  @Test("4.1 over nothing: count and sum 0, the rest nil")
  func overNothing() throws {
    for values in [[], [StoredValue.null, .null]] {
      #expect(try run(.count, of: .string, values) == .int(0))
      #expect(try run(.countDistinct, of: .string, values) == .int(0))
      #expect(try run(.sum, of: .int, values) == .int(0))
      #expect(try run(.sum, of: .unsigned, values) == .int(0))
      #expect(try run(.sum, of: .double, values) == .double(0))
      #expect(try run(.sum, of: .decimal, values) == .decimal(0))
      #expect(try run(.average, of: .int, values) == .null)
      #expect(try run(.minimum, of: .string, values) == .null)
      #expect(try run(.maximum, of: .date, values) == .null)
    }
  }

  @Test("4.1 nil values are skipped")
  func nilsAreSkipped() throws {
    let values: [StoredValue] = [.null, .int(4), .null, .int(1), .int(4)]
    #expect(try run(.count, of: .int, values) == .int(3))
    #expect(try run(.countDistinct, of: .int, values) == .int(2))
    #expect(try run(.sum, of: .int, values) == .int(9))
    #expect(try run(.average, of: .int, values) == .double(3))
    #expect(try run(.minimum, of: .int, values) == .int(1))
    #expect(try run(.maximum, of: .int, values) == .int(4))
  }

  @Test("4.1 a sum that does not fit throws overflow, whatever came between")
  func overflow() {
    do {
      _ = try run(.sum, of: .int, [.int(.max), .int(1)])
      Issue.record("no error")
    } catch {
      #expect((error as? StoreError)?.code == .overflow)
    }
    #expect(throws: Never.self) { try run(.sum, of: .int, [.int(.max), .int(1), .int(-1)]) }
  }

  @Test("4.1 only numbers have sums and averages")
  func misfits() {
    for (kind, value) in [
      (AttributeType.Kind.string, StoredValue.string("1")), (.bool, .bool(true)),
      (.date, .date(Date(timeIntervalSinceReferenceDate: 1))), (.json, .string("1")),
    ] {
      for function in [AggregateKind.sum, .average] {
        do {
          _ = try run(function, of: kind, [value])
          Issue.record("no error")
        } catch {
          #expect((error as? StoreError)?.code == .invalidCondition)
        }
      }
    }
  }

  @Test("1.2 minimum, maximum and distinct make +0.0 of zeros")
  func zeros() throws {
    let zeros: [StoredValue] = [.double(-0.0), .double(0.0)]
    for values in [zeros, zeros.reversed(), [.double(-0.0)]] {
      #expect(try run(.minimum, of: .double, values).isIdentical(to: .double(0)))
      #expect(try run(.maximum, of: .double, values).isIdentical(to: .double(0)))
      #expect(try run(.countDistinct, of: .double, values) == .int(1))
    }
  }

  @Test("2.3, 3.1 minimum and maximum go by the order of values")
  func extremes() throws {
    let texts: [StoredValue] = [.string("b"), .string("é"), .string("B"), .string("a")]
    #expect(try run(.minimum, of: .string, texts) == .string("B"))
    #expect(try run(.maximum, of: .string, texts) == .string("é"))
    #expect(try run(.minimum, of: .bool, [.bool(true), .bool(false)]) == .bool(false))
    #expect(try run(.maximum, of: .unsigned, [.uint(.max), .int(3)]) == .uint(.max))
    #expect(
      try run(.maximum, of: .data, [.data(Data([1])), .data(Data([1, 0]))]) == .data(Data([1, 0])))
    let ones: [StoredValue] = [.double(1), .int(1), .decimal(1)]
    for values in [ones, ones.reversed()] {
      #expect(try run(.minimum, of: .json, values) == .int(1))
      #expect(try run(.maximum, of: .json, values) == .int(1))
    }
  }

  @Test("4.2 distinct counts composed and decomposed é apart, and 1 and 1.0 once")
  func distinct() throws {
    let texts: [StoredValue] = [.string("\u{E9}"), .string("e\u{301}"), .string("\u{E9}")]
    #expect(try run(.countDistinct, of: .string, texts) == .int(2))
    let numbers: [StoredValue] = [.int(1), .double(1), .decimal(1), .double(1.5)]
    #expect(try run(.countDistinct, of: .json, numbers) == .int(2))
  }

  @Test(
    "4.1 merged aggregates equal the aggregate of all",
    arguments: [
      AggregateKind.count, .countDistinct, .sum, .average, .minimum, .maximum,
    ])
  func merging(function: AggregateKind) throws {
    var random = SeededGenerator.printed("merging \(function)")
    for _ in 0..<50 {
      let values: [StoredValue] = (0..<20).map { _ in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .null
        case 1: .double(random.anyDouble())
        case 2: .double(Double(Int.random(in: -3...3, using: &random)))
        default: .double(-0.0)
        }
      }
      var parts = (0..<3).map { _ in Aggregator(function, of: .double) }
      for value in values { parts[Int.random(in: 0..<3, using: &random)].add(value) }
      var merged = parts[2]
      merged.merge(parts[0])
      merged.merge(parts[1])
      let expected = try run(function, of: .double, values)
      #expect(try merged.result().isIdentical(to: expected))
    }
  }
}
