public import Foundation
internal import ORMValues

/// A source of random values that follow from a seed (SplitMix64, Steele, Lea and Flood 2014).
///
/// ```swift
/// var fake = Fake(schema, seed: 7)
/// fake.set(\Snack.price) { random in random.double(in: 1...9) }
/// ```
///
/// The same seed gives the same values in the same order on every machine.
public struct FakeRandom: RandomNumberGenerator, Sendable {
  private var generator: SeededGenerator
  /// The words, names and cities that texts are made of.
  let words: FakeWords

  /// Makes a source by a seed.
  public init(seed: UInt64) { self.init(seed: seed, words: .one) }

  init(seed: UInt64, words: FakeWords) {
    generator = SeededGenerator(seed: seed)
    self.words = words
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 { generator.next() }

  /// Returns an integer in a range.
  public mutating func int(in range: ClosedRange<Int>) -> Int {
    Int(int64(in: Int64(range.lowerBound)...Int64(range.upperBound)))
  }

  /// Returns an integer in a range, which may be all there are.
  mutating func int64(in range: ClosedRange<Int64>) -> Int64 {
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    if width == .max { return Int64(bitPattern: next()) }
    let step = next().multipliedFullWidth(by: width + 1).high
    return range.lowerBound &+ Int64(bitPattern: step)
  }

  /// Returns a number in a range, with at most two decimals where the range is wide enough.
  public mutating func double(in range: ClosedRange<Double>) -> Double {
    let part = Double(next() >> 11) / Double(1 << 53)
    let value = range.lowerBound * (1 - part) + range.upperBound * part
    let rounded = (value * 100).rounded() / 100
    return range.contains(rounded) ? rounded : min(max(value, range.lowerBound), range.upperBound)
  }

  /// Returns true once in `count` times on average.
  public mutating func chance(oneIn count: Int) -> Bool { index(below: count) == 0 }

  /// Returns one of the elements; nil if there is none.
  public mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[index(below: elements.count)]
  }

  /// Returns a random UUID, version 4.
  public mutating func uuid() -> UUID {
    var bytes: [UInt8] = []
    for number in [next(), next()] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Returns a full second of the years 2020 to 2025.
  public mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(int64(in: 599_616_000...788_918_399)))
  }

  /// Returns a word.
  public mutating func word() -> String { pick(words.words) ?? "" }

  /// Returns words with spaces between them, the first with a capital.
  public mutating func sentence(words count: Int = 6) -> String {
    let text = (0..<max(count, 1)).map { _ in word() }.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Returns the first name and the family name of a person.
  public mutating func name() -> String {
    "\(pick(words.firstNames) ?? "") \(pick(words.familyNames) ?? "")"
  }

  /// Returns an address of electronic mail in the domain `example.com`.
  public mutating func email() -> String {
    let (first, family) = (pick(words.firstNames) ?? "", pick(words.familyNames) ?? "")
    return "\(first).\(family)\(int(in: 1...9_999))@example.com".lowercased()
  }
}
