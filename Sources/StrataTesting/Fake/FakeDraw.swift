internal import Foundation
internal import ORM
internal import ORMCore

/// A drawing of values for one attribute, as its type, its name and its rules ask for.
struct FakeDraw {
  private let type: AttributeType
  private let isOptional: Bool
  private let bounds: FakeBounds
  private let text: FakeText
  /// The values in a fixed order, where there are few; drawn in turn where they must be distinct.
  private let choices: [StoredValue]?
  private var samplers: [PatternSampler]
  /// The number of distinct values that a unique rule asks for; 0 without one.
  private let needed: Int

  /// A draw of an attribute.
  ///
  /// - Parameters:
  ///   - choices: the values that the Swift type of the attribute has; nil for any.
  ///   - needed: the number of distinct values that a unique rule asks for; nil without one.
  /// - Throws: `invalidSchema` if no value can keep the rules; it names them.
  init(
    _ column: StoredColumn, _ bounds: FakeBounds, choices: [StoredValue]?, needed: Int?,
    entity: String
  ) throws {
    type = column.type
    isOptional = column.isOptional && !bounds.isRequired
    self.bounds = bounds
    text = FakeText(attribute: column.attribute)
    func impossible(_ what: String) -> StoreError {
      StoreError(
        .invalidSchema, "no value of the attribute keeps its rules: \(what)", entity: entity,
        attributes: [column.attribute], rule: bounds.rules.first)
    }
    if bounds.length.least > bounds.length.most {
      throw impossible("the lengths exclude each other")
    }
    if let lower = bounds.lower, let upper = bounds.upper,
      let order = FakeNumber.order(lower.value, upper.value),
      order > 0 || (order == 0 && (lower.isOpen || upper.isOpen))
    {
      throw impossible("the least is above the greatest")
    }
    samplers = try bounds.patterns.map { try PatternSampler($0.pattern, options: $0.options) }
    var all = choices
    if let allowed = bounds.choices { all = all.map { $0.filter(allowed.contains) } ?? allowed }
    if all?.isEmpty == true { throw impossible("no value is left") }
    if all == nil, column.type == .bool { all = [.bool(false), .bool(true)] }
    self.needed = needed ?? 0
    if all == nil, let needed, let range = Self.integers(column.type, bounds, needed) {
      let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      if width < UInt64(needed) * 4, width < 1 << 20 {
        all = (range.lowerBound...range.upperBound).map { StoredValue.int($0) }
      }
    }
    if let needed, let all, all.count < needed, !isOptional {
      throw StoreError(
        .invalidSchema,
        "\(needed) rows cannot differ in an attribute that has \(all.count) values; make fewer",
        entity: entity, attributes: [column.attribute])
    }
    self.choices = all
    // A pattern may have no text of the lengths that another rule asks for.
    var random = FakeRandom(seed: 0)
    if !samplers.isEmpty, all == nil, patternText(&random) == nil {
      throw impossible("no text matches the pattern in this length")
    }
  }

  /// The number of values that are drawn in turn; nil where a value is drawn at random.
  var turns: Int? { choices?.count }

  /// Draws a value.
  ///
  /// - Parameters:
  ///   - turn: the number of the distinct value to take, where it must be distinct.
  ///   - attempt: the number of values that did not fit before.
  mutating func value(_ random: inout FakeRandom, turn: Int?, attempt: Int) -> StoredValue {
    if isOptional, turn == nil, random.chance(oneIn: 8) { return .null }
    if let choices {
      return turn.map { choices[$0 % choices.count] } ?? random.pick(choices) ?? .null
    }
    if type == .string, attempt >= 10, samplers.isEmpty { return .string(letters(&random)) }
    return scalar(type, &random)
  }

  /// A text of random letters, for an attribute whose usual texts are all taken.
  private func letters(_ random: inout FakeRandom) -> String {
    let length = min(max(bounds.length.least, 12), bounds.length.most)
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<max(length, 0)).map { _ in letters[random.index(below: letters.count)] })
  }

  private mutating func scalar(_ type: AttributeType, _ random: inout FakeRandom) -> StoredValue {
    switch type {
    case .bool: return .bool(random.chance(oneIn: 2))
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      return .int(random.int64(in: Self.integers(type, bounds, needed) ?? 0...999))
    case .double: return .double(random.double(in: numbers(0...1_000)))
    case .float: return .double(Double(Float(random.double(in: numbers(0...1_000)))))
    case .decimal: return decimal(&random)
    case .date: return date(&random)
    case .uuid: return .uuid(random.uuid())
    case .string: return .string(string(&random))
    case .data:
      let count = length(usual: 4...24, &random)
      return .data(Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    case .array(let element):
      let count = length(usual: 0...4, &random)
      return .array((0..<count).map { _ in plain(element, &random) })
    case .json: return .json("{}")
    }
  }

  /// An element of an array, which no rule of the attribute is about.
  private func plain(_ type: AttributeType, _ random: inout FakeRandom) -> StoredValue {
    switch type {
    case .string: .string(random.word())
    case .double, .float: .double(random.double(in: 0...100).rounded())
    case .decimal: .decimal(Decimal(random.int(in: 0...999)))
    case .date: .date(random.date())
    case .uuid: .uuid(random.uuid())
    case .bool: .bool(random.chance(oneIn: 2))
    case .data: .data(Data([UInt8(truncatingIfNeeded: random.next())]))
    case .json: .json("{}")
    default: .int(random.int64(in: 0...99))
    }
  }

  /// The integers that the type and the rules allow; without rules a thousand, which people can read.
  private static func integers(
    _ type: AttributeType, _ bounds: FakeBounds, _ needed: Int
  ) -> ClosedRange<Int64>? {
    guard let whole = type == .uint64 ? 0...Int64.max : type.integerRange else { return nil }
    let usual = max(whole.lowerBound, 0)...min(whole.upperBound, max(999, Int64(needed) * 10))
    var lower = bounds.lower.flatMap { bound in
      FakeNumber.double(bound.value).map { number in
        let least = Self.whole(number.rounded(.up))
        return bound.isOpen && Double(least) == number ? least &+ 1 : least
      }
    }
    var upper = bounds.upper.flatMap { bound in
      FakeNumber.double(bound.value).map { number in
        let most = Self.whole(number.rounded(.down))
        return bound.isOpen && Double(most) == number ? most &- 1 : most
      }
    }
    if lower == nil, let upper {
      let (below, isTooLow) = upper.subtractingReportingOverflow(999)
      lower = isTooLow ? .min : min(usual.lowerBound, below)
    }
    if upper == nil, let lower {
      let (above, isTooHigh) = lower.addingReportingOverflow(999)
      upper = isTooHigh ? .max : max(usual.upperBound, above)
    }
    let least = max(lower ?? usual.lowerBound, whole.lowerBound)
    let most = min(upper ?? usual.upperBound, whole.upperBound)
    return least <= most ? least...most : least...least
  }

  private static func whole(_ number: Double) -> Int64 {
    Int64(exactly: number) ?? (number < 0 ? .min : .max)
  }

  /// The numbers that the rules allow.
  private func numbers(_ usual: ClosedRange<Double>) -> ClosedRange<Double> {
    let width = usual.upperBound - usual.lowerBound
    var lower = bounds.lower.flatMap { FakeNumber.double($0.value) }
    var upper = bounds.upper.flatMap { FakeNumber.double($0.value) }
    if bounds.lower?.isOpen == true { lower = lower.map(\.nextUp) }
    if bounds.upper?.isOpen == true { upper = upper.map(\.nextDown) }
    let least = lower ?? min(usual.lowerBound, (upper ?? usual.upperBound) - width)
    let most = upper ?? max(usual.upperBound, least + width)
    return least <= most ? least...most : least...least
  }

  private func decimal(_ random: inout FakeRandom) -> StoredValue {
    let range = numbers(0...1_000)
    let hundreds =
      (range.lowerBound * 100).rounded(
        .up)...max(
        (range.lowerBound * 100).rounded(.up), (range.upperBound * 100).rounded(.down))
    let number = random.int64(in: Self.whole(hundreds.lowerBound)...Self.whole(hundreds.upperBound))
    return .decimal(Decimal(number) / 100)
  }

  private func date(_ random: inout FakeRandom) -> StoredValue {
    guard bounds.lower != nil || bounds.upper != nil else { return .date(random.date()) }
    // A year beside the bound that there is.
    let range = numbers(599_616_000...631_152_000)
    let seconds = random.double(in: range).rounded(.down)
    return .date(Date(timeIntervalSinceReferenceDate: max(seconds, range.lowerBound)))
  }

  /// A length that the rules allow, near the usual ones.
  private func length(usual: ClosedRange<Int>, _ random: inout FakeRandom) -> Int {
    let least = max(bounds.length.least, min(usual.lowerBound, bounds.length.most))
    let most = min(bounds.length.most, max(usual.upperBound, least))
    return random.int(in: least...max(least, most))
  }

  private mutating func string(_ random: inout FakeRandom) -> String {
    if !samplers.isEmpty { return patternText(&random) ?? "" }
    var value = text.value(&random)
    if !bounds.hasLength { return value }
    while value.unicodeScalars.count < bounds.length.least { value += " " + random.word() }
    if value.unicodeScalars.count > bounds.length.most {
      value = String(String.UnicodeScalarView(value.unicodeScalars.prefix(bounds.length.most)))
      // No text ends with a space that a reader does not see.
      if value.hasSuffix(" ") { value = value.dropLast() + "s" }
    }
    return value
  }

  /// A text that matches the first pattern; the others are left to the check of the row.
  private mutating func patternText(_ random: inout FakeRandom) -> String? {
    let (least, most) = bounds.length
    return samplers[0].text(ofLength: least...max(least, most), using: &random)
  }
}
