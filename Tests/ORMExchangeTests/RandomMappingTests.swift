import Foundation
import ORMExchange
import TestSupport
import Testing

/// Random models through random mappings and back.
@Suite struct RandomMappingTests {
  private static let names = ["a", "b.c", "b.d", "e.f.g", "h[0].i", "k\\.l", "m n", "ü", "o.p[1]"]

  private static func text(_ random: inout SeededGenerator) -> String {
    let letters: [Character] = [
      "a", "\"", "\\", "\n", "\u{0}", "é", "😀", "/", " ", "\u{2028}", "x",
    ]
    return String(
      (0..<Int.random(in: 0...20, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? "a"
      })
  }

  static func sample(_ random: inout SeededGenerator) -> Sample {
    var sample = Sample()
    sample.id = Int.random(in: .min ... .max, using: &random)
    sample.flag = Bool.random(using: &random)
    sample.tiny = .random(in: .min ... .max, using: &random)
    sample.long = .random(in: .min ... .max, using: &random)
    sample.byte = .random(in: .min ... .max, using: &random)
    sample.big = .random(in: .min ... .max, using: &random)
    // Any bits but those of NaN, infinities included.
    let float = Float(bitPattern: .random(in: .min ... .max, using: &random))
    sample.float = float.isNaN ? -0.0 : float
    let double = Double(bitPattern: .random(in: .min ... .max, using: &random))
    sample.double = double.isNaN ? .infinity : double
    sample.text = text(&random)
    sample.note = Bool.random(using: &random) ? text(&random) : nil
    sample.data = Data(
      (0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 0...255, using: &random) })
    sample.date = Date(
      timeIntervalSince1970: Double(
        Int.random(in: -62_000_000_000...250_000_000_000, using: &random)))
    sample.token = UUID()
    sample.amount = Decimal(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 1_000
    sample.numbers = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      .random(in: .min ... .max, using: &random)
    }
    sample.words = Bool.random(using: &random) ? [text(&random), text(&random)] : nil
    sample.size = Bool.random(using: &random) ? .large : .small
    sample.info = [text(&random): .random(in: -9...9, using: &random)]
    return sample
  }

  static func mapping(
    _ random: inout SeededGenerator, hasHooks: Bool = true
  ) -> JSONMapping<Sample> {
    var names = Self.names.shuffled(using: &random)[...]
    var mapping = JSONMapping(Sample.self, names: Bool.random(using: &random) ? .asIs : .snakeCase)
    func name() -> String { names.popFirst() ?? "z" }
    func maybe() -> Bool { Bool.random(using: &random) }
    if maybe() { mapping = mapping.field(\.text, from: name()) }
    if maybe() { mapping = mapping.field(\.note, from: name()) }
    if maybe() {
      mapping = mapping.field(\.flag, from: name(), as: .boolean(writesNumber: maybe()))
    }
    if maybe() { mapping = mapping.field(\.long, from: name(), as: .number(writesText: maybe())) }
    if maybe() { mapping = mapping.field(\.amount, as: .number(writesText: maybe())) }
    if maybe() { mapping = mapping.field(\.numbers, from: "list[*].n.m") }
    if maybe() { mapping = mapping.field(\.size, as: .cases(["S": .small, "L": .large])) }
    if maybe() {
      let formats: [JSONDateFormat] = [.seconds, .milliseconds, .secondsSince2001]
      mapping = mapping.field(
        \.date, from: name(), as: .date(formats.randomElement(using: &random) ?? .seconds))
    }
    if maybe() {
      let formats: [JSONDataFormat] = [.hex, .base64URL]
      mapping = mapping.field(\.data, as: .data(formats.randomElement(using: &random) ?? .hex))
    }
    if maybe() { mapping = mapping.leavingOutNulls() }
    if hasHooks, maybe() { mapping = mapping.after { _, _ in .keep } }
    if hasHooks, maybe() {
      mapping = mapping.before { json in
        json["added by a hook"] = true
        return .keep
      }
    }
    return mapping
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<200 {
      let mapping = Self.mapping(&random)
      let samples = (0..<5).map { _ in Self.sample(&random) }
      let text = try mapping.encode(samples)
      #expect(try mapping.decode(text) == samples)
      #expect(try mapping.decode(Data(text.utf8)) == samples)
      #expect(try mapping.decode(JSONValue(parsing: text)) == samples)
      var other = Self.sample(&random)
      if mapping.leavesNothingOut(samples[0]) {
        try mapping.update(&other, from: mapping.encode(samples[0]))
        #expect(other == samples[0])
      }
    }
  }

  /// A naive reader, which builds a dictionary with Foundation, agrees on flat objects.
  @Test func flatObjectsAreReadAsByFoundation() throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<300 {
      let name = Self.text(&random)
      let snack = Snack(
        id: .random(in: 1...9, using: &random), name: name,
        taste: Bool.random(using: &random) ? Self.text(&random) : nil,
        price: Double(Int.random(in: -99...99, using: &random)) / 4,
        stock: .random(in: .min ... .max, using: &random), isVegan: .random(using: &random),
        tags: [Self.text(&random)])
      let data = try JSONEncoder().encode(snack)
      #expect(try Snack.json.decode(data) == [snack])
      let own = try Snack.json.leaveOut(\.added).encode(snack)
      #expect(try JSONDecoder().decode(Snack.self, from: Data(own.utf8)) == snack)
    }
  }
}

extension JSONMapping<Sample> {
  /// Returns whether the text of a sample has every attribute, so that an update sets them all.
  fileprivate func leavesNothingOut(_ sample: Sample) -> Bool {
    sample.note != nil && sample.words != nil
  }
}
