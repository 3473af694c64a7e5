extension JSONScanner {
  /// The text of a string; nil when its bytes are not UTF-8.
  package func text(of token: StringToken) -> String? {
    let slice = UnsafeRawBufferPointer(rebasing: bytes[token.range])
    if !token.hasEscapes { return String(validating: slice, as: UTF8.self) }
    var utf8: [UInt8] = []
    utf8.reserveCapacity(slice.count)
    var offset = token.range.lowerBound
    while offset < token.range.upperBound {
      if bytes[offset] == .backslash {
        guard let (scalar, end) = escape(at: offset) else { return nil }
        UTF8Scalars.append(scalar.value, to: &utf8)
        offset = end
      } else {
        utf8.append(bytes[offset])
        offset += 1
      }
    }
    return String(validating: utf8, as: UTF8.self)
  }

  /// Returns whether a string says this name.
  package func isEqual(_ token: StringToken, to name: UnsafeRawBufferPointer) -> Bool {
    if !token.hasEscapes {
      let slice = UnsafeRawBufferPointer(rebasing: bytes[token.range])
      return slice.count == name.count && ByteOrder.compare(slice, name) == .equal
    }
    guard let text = text(of: token) else { return false }
    return ByteOrder.withBytes(of: text) { ByteOrder.compare($0, name) == .equal }
  }

  /// The number as it is written.
  package func text(of token: NumberToken) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[token.range]), as: UTF8.self)
  }

  /// The number as an integer of 64 bits, compiled for it; nil when it is not written as one or does
  /// not fit.
  package func int64(of token: NumberToken) -> Int64? { integer(of: token, as: Int64.self) }

  /// The number as an integer; nil when it is not written as one or does not fit.
  func integer<Integer: FixedWidthInteger>(
    of token: NumberToken, as type: Integer.Type
  ) -> Integer? {
    guard token.isInteger else { return nil }
    let isNegative = bytes[token.range.lowerBound] == UInt8(ascii: "-")
    var value: Integer = 0
    for byte in bytes[token.range].dropFirst(isNegative ? 1 : 0) {
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = Integer(byte &- UInt8(ascii: "0"))
      let (next, more) =
        isNegative
        ? scaled.subtractingReportingOverflow(digit) : scaled.addingReportingOverflow(digit)
      if overflow || more { return nil }
      value = next
    }
    return value
  }

  /// The nearest double to the number; infinity for one past the greatest.
  package func double(of token: NumberToken) -> Double {
    if let double = shortDouble(of: token) { return double }
    return Double(text(of: token)) ?? .nan
  }

  /// The double of a number with few digits and a small exponent, found without its text.
  ///
  /// Both operands are exact doubles, so the one operation rounds once (Clinger, "How to read
  /// floating point numbers accurately", 1990).
  private func shortDouble(of token: NumberToken) -> Double? {
    var digits: UInt64 = 0
    var exponent = 0
    var isNegative = false
    var hasPoint = false
    var offset = token.range.lowerBound
    // 18 digits cannot overflow; longer numbers go the long way.
    guard token.range.count <= 18 else { return nil }
    scan: while offset < token.range.upperBound {
      switch bytes[offset] {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): hasPoint = true
      case let byte where byte.isDigit:
        digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
        if hasPoint { exponent -= 1 }
      default: break scan
      }
      offset += 1
    }
    if offset < token.range.upperBound {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[(offset + 1)..<token.range.upperBound])
      guard let written = Int(String(decoding: rest, as: UTF8.self)), abs(written) < 100 else {
        return nil
      }
      exponent += written
    }
    guard digits <= 1 << 53, abs(exponent) < DecimalParts.exactTens.count else { return nil }
    let power = DecimalParts.exactTens[abs(exponent)]
    let magnitude = exponent < 0 ? Double(digits) / power : Double(digits) * power
    return isNegative ? -magnitude : magnitude
  }
}
