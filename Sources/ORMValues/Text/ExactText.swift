/// A text that is the key of a table or a set by its Unicode scalars (clause 2.3).
///
/// Swift's `String` compares by canonical equivalence, so a dictionary of strings takes U+00E9 and
/// U+0065 U+0301 for one key. Tables and sets of texts that users write have keys of this type
/// instead; their subscripts and functions take strings.
@usableFromInline
package struct ExactText: Hashable, Sendable {
  /// The text itself.
  package let text: String

  /// Makes a key of a text.
  @usableFromInline
  package init(_ text: String) { self.text = text }

  /// Returns whether two texts have the same scalars.
  @usableFromInline
  package static func == (a: ExactText, b: ExactText) -> Bool { ByteOrder.areEqual(a.text, b.text) }

  /// Feeds the scalars of the text.
  @usableFromInline
  package func hash(into hasher: inout Hasher) { ByteOrder.hash(text, into: &hasher) }
}

extension ExactText: Comparable {
  /// Returns whether a text is before another one by code point.
  @usableFromInline
  package static func < (a: ExactText, b: ExactText) -> Bool {
    ByteOrder.compare(a.text, b.text) == .less
  }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes a key of a literal.
  @usableFromInline
  package init(stringLiteral value: String) { text = value }

  /// The text itself.
  @usableFromInline
  package var description: String { text }
}

/// A coding as the text itself, and as the name of a member where it is the key of a dictionary.
extension ExactText: Codable, CodingKeyRepresentable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  @usableFromInline
  package init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  @usableFromInline
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  @usableFromInline
  package var codingKey: any CodingKey { Name(stringValue: text) }

  @usableFromInline
  package init?(codingKey: some CodingKey) { text = codingKey.stringValue }
}

extension Dictionary where Key == ExactText {
  /// Makes the table of a dictionary.
  package init(_ values: [String: Value]) {
    self.init(minimumCapacity: values.count)
    for (text, value) in values { self[ExactText(text)] = value }
  }

  /// The value of a text; nil where there is none.
  @inlinable
  package subscript(text: String) -> Value? {
    get { self[ExactText(text)] }
    _modify { yield &self[ExactText(text)] }
  }

  /// The value of a text, or the default where there is none.
  @inlinable
  package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactText(text), default: value()] }
    _modify { yield &self[ExactText(text), default: value()] }
  }

  /// Sets the value of a text and returns the one that it had.
  @discardableResult
  package mutating func updateValue(_ value: Value, forKey text: String) -> Value? {
    updateValue(value, forKey: ExactText(text))
  }
}

extension Set where Element == ExactText {
  /// Makes a set of texts.
  package init(texts: some Sequence<String>) { self.init(texts.lazy.map { ExactText($0) }) }

  /// Returns whether a text is in the set.
  package func contains(_ text: String) -> Bool { contains(ExactText(text)) }

  /// Inserts a text and returns whether it was new.
  @discardableResult
  package mutating func insert(_ text: String) -> (inserted: Bool, memberAfterInsert: ExactText) {
    insert(ExactText(text))
  }
}

extension String {
  /// Returns whether both texts have the same Unicode scalars, which is how stored texts are equal.
  package func hasSameScalars(as other: String) -> Bool { ByteOrder.areEqual(self, other) }
}

extension String? {
  /// Returns whether both are nil, or texts of the same Unicode scalars.
  package func hasSameScalars(as other: String?) -> Bool {
    guard let self, let other else { return (self == nil) == (other == nil) }
    return ByteOrder.areEqual(self, other)
  }
}

extension Sequence<String> {
  /// Returns whether one of the texts has the same Unicode scalars as the given one.
  package func containsScalars(of text: String) -> Bool { contains { $0.hasSameScalars(as: text) } }

  /// Returns whether both sequences have texts of the same Unicode scalars, in the same order.
  package func haveSameScalars(as other: some Sequence<String>) -> Bool {
    elementsEqual(other, by: ByteOrder.areEqual)
  }
}
