/// Numbers of the type `numeric` in the server's binary form.
///
/// The form begins with the number of digits to the base 10,000 and the weight of the first. The sign
/// follows: 0, 0x4000 for negative, 0xC000 to 0xF000 for NaN and infinities. Then come the number of decimal
/// digits that are shown, and the digits. Each part has two bytes.
enum PostgresNumeric {
  /// Appends the number of a decimal text: an optional sign, digits with an optional point, and an
  /// optional exponent.
  static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
    var isNegative = false
    var digits: [UInt8] = []
    var fractionDigits = 0
    var exponent = 0
    var isFraction = false
    var rest = Substring(text)
    if let mark = rest.firstIndex(where: { $0 == "E" || $0 == "e" }) {
      exponent = Int(rest[rest.index(after: mark)...].drop { $0 == "+" }) ?? 0
      rest = rest[..<mark]
    }
    for byte in rest.utf8 {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits.append(byte - UInt8(ascii: "0"))
        if isFraction { fractionDigits += 1 }
      default: break
      }
    }
    append(digits, exponent: exponent - fractionDigits, isNegative: isNegative, to: &bytes)
  }

  /// Appends a whole number.
  static func append(_ value: UInt64, isNegative: Bool = false, to bytes: inout [UInt8]) {
    append(
      String(value).utf8.map { $0 - UInt8(ascii: "0") }, exponent: 0, isNegative: isNegative,
      to: &bytes)
  }

  private static func append(
    _ decimal: [UInt8], exponent: Int, isNegative: Bool, to bytes: inout [UInt8]
  ) {
    var decimal = Array(decimal.drop { $0 == 0 })
    var exponent = exponent
    while decimal.last == 0 {
      decimal.removeLast()
      exponent += 1
    }
    if decimal.isEmpty {
      for _ in 0..<4 { append(UInt16(0), to: &bytes) }
      return
    }
    let scale = max(0, -exponent)
    // The last group of four begins at a digit whose number four divides.
    let padding = ((exponent % 4) + 4) % 4
    decimal += [UInt8](repeating: 0, count: padding)
    exponent -= padding
    decimal = [UInt8](repeating: 0, count: (4 - decimal.count % 4) % 4) + decimal
    let groups = decimal.count / 4
    append(UInt16(groups), to: &bytes)
    append(UInt16(bitPattern: Int16(groups + exponent / 4 - 1)), to: &bytes)
    append(UInt16(isNegative ? 0x4000 : 0), to: &bytes)
    append(UInt16(scale), to: &bytes)
    for group in 0..<groups {
      let number = decimal[group * 4..<group * 4 + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1) }
      append(number, to: &bytes)
    }
  }

  private static func append(_ value: UInt16, to bytes: inout [UInt8]) {
    bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
  }

  /// A number in the form `-123E-45`, without a point; nil for NaN and infinities.
  static func text(of bytes: UnsafeRawBufferPointer) -> String? {
    func word(_ index: Int) -> Int { Int(bytes[2 * index]) << 8 | Int(bytes[2 * index + 1]) }
    guard bytes.count >= 8, bytes.count == 8 + 2 * word(0) else { return nil }
    let count = word(0)
    let weight = Int(Int16(truncatingIfNeeded: word(1)))
    guard word(2) == 0 || word(2) == 0x4000 else { return nil }
    if count == 0 { return "0" }
    var digits = ""
    for index in 0..<count {
      let group = String(word(4 + index))
      digits += String(repeating: "0", count: max(0, 4 - group.utf8.count)) + group
    }
    var exponent = 4 * (weight - count + 1)
    digits = String(digits.drop { $0 == "0" })
    while digits.hasSuffix("0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { return "0" }
    let sign = word(2) == 0 ? "" : "-"
    if exponent >= 0, digits.utf8.count + exponent <= 40 {
      return sign + digits + String(repeating: "0", count: exponent)
    }
    return "\(sign)\(digits)E\(exponent)"
  }
}
