public import Foundation

/// A time zone in which parts of dates are asked for.
///
/// GMT and fixed offsets need no tables. The offsets of any other zone come from Foundation's
/// `TimeZone`, so they are those of the system's time zone data.
public enum DateZone: Hashable, Sendable {
  /// A fixed offset, in seconds east of GMT.
  case fixed(Int)
  /// A zone with a name of the time zone database: `Europe/Berlin`.
  case named(String)

  /// Greenwich Mean Time.
  public static let gmt = DateZone.fixed(0)

  /// Makes the zone of a time zone of Foundation.
  public init(_ zone: TimeZone) {
    // Foundation names fixed offsets GMT+0200.
    self =
      zone.identifier.hasPrefix("GMT") || zone.identifier == "UTC"
      ? .fixed(zone.secondsFromGMT()) : .named(zone.identifier)
  }

  /// Makes a zone of its text: `GMT`, `UTC`, `Z`, `+02:00`, `GMT-0330` or `Europe/Berlin`; nil for
  /// anything else.
  public init?(_ text: String) {
    if ["GMT", "UTC", "Z"].contains(text) {
      self = .gmt
    } else if let offset = Self.offset(text) {
      self = .fixed(offset)
    } else {
      // Foundation takes abbreviations too, which do not name one zone.
      guard text.contains("/"), TimeZone(identifier: text) != nil else { return nil }
      self = .named(text)
    }
  }

  /// The text of the zone, which reads back as it.
  public var text: String {
    switch self {
    case .fixed(0): return "GMT"
    case .fixed(let seconds):
      let magnitude = Int(seconds.magnitude)
      let parts = [magnitude / 3600, magnitude / 60 % 60, magnitude % 60]
      return (seconds < 0 ? "-" : "+")
        + parts.prefix(parts[2] == 0 ? 2 : 3).map { $0 < 10 ? "0\($0)" : "\($0)" }
        .joined(separator: ":")
    case .named(let name): return name
    }
  }

  /// The seconds of `+02:00`, `-0330` or `+01:00:30`, which `GMT` or `UTC` may precede.
  private static func offset(_ text: String) -> Int? {
    var rest = Substring(text)
    if rest.hasPrefix("GMT") || rest.hasPrefix("UTC") { rest = rest.dropFirst(3) }
    guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
    let digits = rest.dropFirst().utf8.filter { $0 != UInt8(ascii: ":") }
    guard digits.count == 4 || digits.count == 6,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let numbers = digits.map { Int($0) - 48 }
    let parts = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] * 10 + numbers[$0 + 1] }
    guard parts[0] < 24, parts[1...].allSatisfy({ $0 < 60 }) else { return nil }
    let seconds = parts[0] * 3600 + parts[1] * 60 + (parts.count > 2 ? parts[2] : 0)
    return sign == "-" ? -seconds : seconds
  }

  /// True if the zone exists.
  package var isKnown: Bool {
    switch self {
    case .fixed(let seconds): seconds.magnitude < 86_400
    case .named(let name): name.contains("/") && TimeZone(identifier: name) != nil
    }
  }

  /// The seconds by which local time is ahead of GMT at a second since 2001.
  func offset(at second: Int) -> Int {
    switch self {
    case .fixed(let seconds): seconds
    case .named(let name):
      TimeZone(identifier: name)?
        .secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: Double(second))) ?? 0
    }
  }

  /// The first second at which a clock of the zone shows a local time, or has jumped past it.
  func firstInstant(of local: Int) -> Int {
    guard case .named = self else { return local - offset(at: 0) }
    // A clock is at most a day and a half away from GMT, and is not changed twice in three days.
    let margin = 129_600
    let offsets = [-margin, 0, margin].map { offset(at: local + $0) }
    let shown = offsets.map { local - $0 }.filter { $0 + offset(at: $0) == local }
    if let first = shown.min() { return first }
    var (before, after) = (local - margin, local + margin)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if middle + offset(at: middle) >= local { after = middle } else { before = middle }
    }
    return after
  }
}

extension DateZone: Codable {
  /// Reads the text of a zone.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self = DateZone(text) ?? .named(text)
  }

  /// Writes the text of the zone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
