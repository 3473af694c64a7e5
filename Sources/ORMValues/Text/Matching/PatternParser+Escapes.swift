extension PatternParser {
  /// The set that a `\` at the position begins, or nil; a negated one is the complement of the folded set.
  mutating func escapedSet() throws -> ScalarSet? {
    guard position + 1 < scalars.count else { return nil }
    let letter = scalars[position + 1]
    if letter == "p" || letter == "P" {
      let start = position
      position += 2
      guard take("{") else { throw fault("\\p is followed by a name in braces", at: start) }
      let set = try property(endingWith: "}", from: start)
      return letter == "p" ? set : set.complement
    }
    let properties = ScalarProperties.shared
    let set: ScalarSet
    switch letter {
    case "d", "D": set = properties.digit
    case "w", "W": set = properties.word
    case "s", "S": set = properties.space
    case "h", "H": set = properties.horizontalSpace
    case "v", "V": set = ScalarProperties.lineEnd
    default: return nil
    }
    position += 2
    let form = FoldedScalars.table(for: options).fold(set)
    return letter.value & 0x20 == 0 ? form.complement : form
  }

  /// The scalars of a property whose name begins at the position, folded.
  mutating func property(endingWith end: StaticString, from start: Int) throws -> ScalarSet {
    var name = String.UnicodeScalarView()
    let isNegated = take("^")
    while let scalar = peek, !looking(at: end), name.count < 64 {
      name.append(scalar)
      position += 1
    }
    guard take(end) else { throw fault("the name of a property has no closing brace", at: start) }
    guard let set = ScalarProperties.shared.set(named: String(name)) else {
      throw fault("there is no property \(String(name)) in patterns", at: start)
    }
    let form = FoldedScalars.table(for: options).fold(set)
    return isNegated ? form.complement : form
  }

  /// The scalar that a `\` at the position denotes.
  mutating func escapedScalar() throws -> Unicode.Scalar {
    let start = position
    position += 1
    guard let letter = peek else { throw fault("a \\ at the end", at: start) }
    position += 1
    switch letter {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "f": return "\u{0C}"
    case "a": return "\u{07}"
    case "e": return "\u{1B}"
    case "c":
      guard let control = peek, control.isASCII else {
        throw fault("\\c is followed by a letter", at: start)
      }
      position += 1
      return Unicode.Scalar(UInt8(control.value & 0x1F))
    case "0": return try scalar(of: digits(1...3, radix: 8), from: start, limit: 0o377)
    case "u": return try fourDigits(from: start)
    case "U": return try scalar(of: digits(8...8, radix: 16), from: start)
    case "x":
      guard take("{") else { return try scalar(of: digits(2...2, radix: 16), from: start) }
      let value = digits(1...6, radix: 16)
      guard take("}") else { throw fault("\\x{ needs a closing }", at: start) }
      return try scalar(of: value, from: start)
    case "1"..."9", "k": throw fault("a back-reference is not supported", at: start)
    case "A"..."Z", "a"..."z":
      throw fault("\\\(letter) is not supported", at: start)
    default: return letter
    }
  }

  /// `\uHHHH`, or two of them that are a surrogate pair.
  private mutating func fourDigits(from start: Int) throws -> Unicode.Scalar {
    let first = digits(4...4, radix: 16)
    guard let first, 0xD800...0xDBFF ~= first, take("\\u") else {
      return try scalar(of: first, from: start)
    }
    guard let second = digits(4...4, radix: 16), 0xDC00...0xDFFF ~= second else {
      throw fault("a surrogate without its other half", at: start)
    }
    return try scalar(of: 0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00), from: start)
  }

  private func scalar(
    of value: UInt32?, from start: Int, limit: UInt32 = 0x10_FFFF
  ) throws -> Unicode.Scalar {
    guard let value, value <= limit, let scalar = Unicode.Scalar(value) else {
      throw fault("not a Unicode scalar, or the wrong number of digits", at: start)
    }
    return scalar
  }

  /// The number that `count` digits at the position make; nil if there are fewer.
  private mutating func digits(_ count: ClosedRange<Int>, radix: UInt32) -> UInt32? {
    var value: UInt32 = 0
    var read = 0
    while read < count.upperBound, let scalar = peek,
      let digit = Self.digit(scalar), digit < radix
    {
      value = value * radix + digit
      position += 1
      read += 1
    }
    return count.contains(read) ? value : nil
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt32? {
    switch scalar {
    case "0"..."9": scalar.value - 0x30
    case "a"..."f": scalar.value - 0x61 + 10
    case "A"..."F": scalar.value - 0x41 + 10
    default: nil
    }
  }
}
