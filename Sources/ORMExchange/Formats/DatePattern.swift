internal import FoundationEssentials
internal import ORM

/// A pattern of digits and other characters that stands for dates of the years 1 to 9999 in the
/// Gregorian calendar.
struct DatePattern {
  private enum Part {
    case year, month, day, hour, minute, second, millisecond, offset
    case literal(Character)
  }

  private let parts: [Part]

  init(_ pattern: String) {
    var parts: [Part] = []
    var rest = Substring(pattern)
    let words: [(String, Part)] = [
      ("yyyy", .year), ("MM", .month), ("dd", .day), ("HH", .hour), ("mm", .minute),
      ("ss", .second), ("SSS", .millisecond), ("Z", .offset),
    ]
    while let first = rest.first {
      if let (word, part) = words.first(where: { rest.hasPrefix($0.0) }) {
        parts.append(part)
        rest = rest.dropFirst(word.count)
      } else {
        parts.append(.literal(first))
        rest = rest.dropFirst()
      }
    }
    self.parts = parts
  }

  /// True if the pattern has a year, a month, a day or an hour; without one all dates have the same text.
  var hasDate: Bool {
    parts.contains { part in
      switch part {
      case .year, .month, .day, .hour: true
      default: false
      }
    }
  }

  /// The date of a text; nil for text that does not fit.
  func date(of text: String) -> Date? {
    var rest = Substring(text)
    func digits(_ count: Int) -> String? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
        return nil
      }
      rest = rest.dropFirst(count)
      return String(digits)
    }
    var fields = ["1970", "01", "01", "00", "00", "00", "000"]
    var offset = "Z"
    for part in parts {
      let field: (position: Int, width: Int)
      switch part {
      case .year: field = (0, 4)
      case .month: field = (1, 2)
      case .day: field = (2, 2)
      case .hour: field = (3, 2)
      case .minute: field = (4, 2)
      case .second: field = (5, 2)
      case .millisecond: field = (6, 3)
      case .offset:
        let width = rest.first == "Z" ? 1 : rest.dropFirst(3).first == ":" ? 6 : 5
        offset = String(rest.prefix(width))
        rest = rest.dropFirst(width)
        continue
      case .literal(let letter):
        guard rest.popFirst() == letter else { return nil }
        continue
      }
      guard let value = digits(field.width) else { return nil }
      fields[field.position] = value
    }
    guard rest.isEmpty else { return nil }
    // The one reader of dates checks ranges and counts days.
    return DateText.date(
      "\(fields[0])-\(fields[1])-\(fields[2])T\(fields[3]):\(fields[4]):\(fields[5]).\(fields[6])"
        + offset)
  }

  /// The text of a date in UTC, the time cut to the parts of the pattern; nil for a year that four digits
  /// cannot hold.
  func text(of date: Date) -> String? {
    // yyyy-MM-ddTHH:mm:ss.SSS…Z
    let full = Array(DateText.text(of: date))
    guard full.count >= 20, full[4] == "-", full[10] == "T" else { return nil }
    let fraction = full[19] == "." ? full[20..<(full.count - 1)] : []
    let milliseconds = String((fraction + ["0", "0", "0"]).prefix(3))
    return parts.map { part in
      switch part {
      case .year: String(full[0..<4])
      case .month: String(full[5..<7])
      case .day: String(full[8..<10])
      case .hour: String(full[11..<13])
      case .minute: String(full[14..<16])
      case .second: String(full[17..<19])
      case .millisecond: milliseconds
      case .offset: "Z"
      case .literal(let letter): String(letter)
      }
    }.joined()
  }
}
