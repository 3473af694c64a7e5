package import FoundationEssentials

/// The one text of a decimal number, which stores keep where their engine has no decimals.
///
/// Equal numbers have equal texts. There are no trailing zeros, no leading ones but a single one
/// before the point, no plus sign, and zero is `0`. A number whose plain text would need more than
/// 40 digits is written as `d.dddE+xx`, all others plain.
///
/// A `Decimal` holds coefficients below 2^128 (38 digits, and some of 39) times 10^-128 to 10^127;
/// every one of them has a text that gives it back exactly.
package enum DecimalText {
  /// The most digits of a plain text.
  private static let plainDigits = 40

  /// The text of a decimal; `NaN`, which no store keeps and ``decimal(from:)`` does not read, for
  /// one that is no number.
  package static func text(of decimal: Decimal) -> String {
    guard let parts = DecimalParts(decimal) else { return "NaN" }
    return text(of: parts)
  }

  /// The decimal that a text says, exactly; nil when it is none or cannot be held.
  ///
  /// Reads the form of ``text(of:)`` and other forms of the same numbers: an optional sign, digits with
  /// an optional point among them, an optional exponent; nothing around them.
  package static func decimal(from text: String) -> Decimal? {
    parts(of: text.utf8)?.decimal
  }

  static func text(of number: DecimalParts) -> String {
    let parts = number.canonical
    let sign = parts.isNegative ? "-" : ""
    let digits = String(parts.coefficient)
    let count = digits.utf8.count
    if parts.exponent >= 0 && count + parts.exponent <= plainDigits {
      return sign + digits + String(repeating: "0", count: parts.exponent)
    }
    if parts.exponent < 0 && max(count, 1 - parts.exponent) <= plainDigits {
      let whole = count + parts.exponent
      if whole > 0 { return sign + digits.prefix(whole) + "." + digits.dropFirst(whole) }
      return sign + "0." + String(repeating: "0", count: -whole) + digits
    }
    let fraction = count > 1 ? "." + digits.dropFirst() : ""
    let exponent = parts.exponent + count - 1
    return sign + digits.prefix(1) + fraction + (exponent < 0 ? "E" : "E+") + String(exponent)
  }

  /// Reads a text; nil when it is no number or has more significant digits than 2^128.
  static func parts(of text: some Sequence<UInt8>) -> DecimalParts? {
    var parts = DecimalParts(isNegative: false, coefficient: 0, exponent: 0)
    // Zeros wait here until a digit follows, so that trailing ones never overflow.
    var waitingZeros = 0
    var hasDigits = false
    var hasPoint = false
    var bytes = text.makeIterator()
    var next = bytes.next()
    if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") {
      parts.isNegative = next == UInt8(ascii: "-")
      next = bytes.next()
    }
    loop: while let byte = next {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigits = true
        if hasPoint { parts.exponent -= 1 }
        waitingZeros += 1
        let digit = byte - UInt8(ascii: "0")
        if digit == 0 { break }
        if parts.coefficient != 0 {
          guard waitingZeros < DecimalParts.powersOfTen.count else { return nil }
          let (scaled, overflow) = parts.coefficient.multipliedReportingOverflow(
            by: DecimalParts.powersOfTen[waitingZeros])
          if overflow { return nil }
          parts.coefficient = scaled
        }
        let (sum, overflow) = parts.coefficient.addingReportingOverflow(UInt128(digit))
        if overflow { return nil }
        parts.coefficient = sum
        waitingZeros = 0
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      default: break loop
      }
      next = bytes.next()
    }
    guard hasDigits else { return nil }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      guard let exponent = exponent(of: &bytes) else { return nil }
      parts.exponent += exponent
    } else if next != nil {
      return nil
    }
    parts.exponent += waitingZeros
    return parts.canonical
  }

  /// Reads the rest of a text as an exponent; one past any decimal is cut short.
  private static func exponent(of bytes: inout some IteratorProtocol<UInt8>) -> Int? {
    var next = bytes.next()
    let isNegative = next == UInt8(ascii: "-")
    if isNegative || next == UInt8(ascii: "+") { next = bytes.next() }
    guard next != nil else { return nil }
    var exponent = 0
    while let byte = next {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000_000)
      next = bytes.next()
    }
    return isNegative ? -exponent : exponent
  }
}
