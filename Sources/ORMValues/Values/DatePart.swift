package import FoundationEssentials

/// A part of a date, or the start of one (clause 2.11).
public enum DatePart: String, CaseIterable, Hashable, Codable, Sendable {
  /// The year of the proleptic Gregorian calendar; 0 is the year before 1.
  case year
  /// The month, from 1.
  case month
  /// The day of the month, from 1.
  case day
  /// The hour, from 0 to 23.
  case hour
  /// The minute, from 0 to 59.
  case minute
  /// The second, from 0 to 59, without its fraction.
  case second
  /// The day of the week by ISO 8601: 1 is Monday, 7 is Sunday.
  case weekday
  /// The first instant of the day.
  case startOfDay
  /// The first instant of the month.
  case startOfMonth
  /// The first instant of the year.
  case startOfYear

  /// The kind of value that the part is.
  package var kind: AttributeType.Kind {
    switch self {
    case .startOfDay, .startOfMonth, .startOfYear: .date
    case .year, .month, .day, .hour, .minute, .second, .weekday: .int
    }
  }

  /// Returns the part of a date in a zone; null for a date more than 2^53 seconds away from 2001.
  package func value(of date: Date, in zone: DateZone) -> StoredValue {
    let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
    guard interval.magnitude <= 0x1p53 else { return .null }
    let second = Int(interval)
    let local = second + zone.offset(at: second)
    let time = local.modulo(86_400)
    let number = (local - time) / 86_400
    switch self {
    case .hour: return .int(Int64(time / 3600))
    case .minute: return .int(Int64(time / 60 % 60))
    case .second: return .int(Int64(time % 60))
    // 1 January 2001 was a Monday.
    case .weekday: return .int(Int64(number.modulo(7) + 1))
    case .startOfDay: return start(number, zone)
    case .year, .month, .day, .startOfMonth, .startOfYear: break
    }
    var day = CivilDay(number)
    switch self {
    case .month: return .int(Int64(day.month))
    case .day: return .int(Int64(day.day))
    case .startOfMonth, .startOfYear:
      day.day = 1
      if self == .startOfYear { day.month = 1 }
      return start(day.number, zone)
    default: return .int(Int64(day.year))
    }
  }

  /// The first instant of a local day.
  private func start(_ day: Int, _ zone: DateZone) -> StoredValue {
    let instant = zone.firstInstant(of: day * 86_400)
    return .date(Date(timeIntervalSinceReferenceDate: Double(instant)))
  }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDay: Hashable {
  var year: Int
  /// The month, from 1.
  var month: Int
  /// The day of the month, from 1.
  var day: Int

  init(_ year: Int, _ month: Int, _ day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that comes a number of days after 1 January 2001.
  init(_ number: Int) {
    // 400 years have 146,097 days. The year is taken to begin in March, so that the leap day comes
    // last.
    let count = number + Self.reference
    let rest = count.modulo(146_097)
    let years = (rest - rest / 1460 + rest / 36_524 - rest / 146_096) / 365
    let ofYear = rest - (365 * years + years / 4 - years / 100)
    let month = (5 * ofYear + 2) / 153
    day = ofYear - (153 * month + 2) / 5 + 1
    self.month = month < 10 ? month + 3 : month - 9
    year = (count - rest) / 146_097 * 400 + years + (month < 10 ? 0 : 1)
  }

  /// The number of days from 1 January 2001 to this one.
  var number: Int {
    let year = month > 2 ? self.year : self.year - 1
    let years = year.modulo(400)
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return (year - years) / 400 * 146_097 + years * 365 + years / 4 - years / 100 + ofYear
      - Self.reference
  }

  /// The number of days from 1 March of the year 0 to 1 January 2001.
  private static let reference = 730_791
}

extension Int {
  /// The remainder of the division that rounds down.
  func modulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
