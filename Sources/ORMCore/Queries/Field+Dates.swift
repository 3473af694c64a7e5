// Parts of dates (clause 2.11).

public import FoundationEssentials
internal import ORMStorage

/// An attribute of dates: `Date`, and optionals of it.
public protocol DateAttribute: AttributeValue {}
extension Date: DateAttribute {}
extension Optional: DateAttribute where Wrapped: DateAttribute {}

/// Each part is that of the proleptic Gregorian calendar in a time zone. It is nil where the date is.
///
/// ```swift
/// Flight.where { $0.departure.year(in: .gmt) == 2026 }
/// Flight.all.grouped(by: { $0.departure.startOfMonth(in: .gmt) }) { $0.count() }
/// ```
extension Field where Value: DateAttribute {
  /// The year; 0 is the year before 1.
  public func year(in zone: TimeZone) -> Field<Model, Int?> { part(.year, zone) }
  /// The month, from 1.
  public func month(in zone: TimeZone) -> Field<Model, Int?> { part(.month, zone) }
  /// The day of the month, from 1.
  public func day(in zone: TimeZone) -> Field<Model, Int?> { part(.day, zone) }
  /// The hour, from 0 to 23.
  public func hour(in zone: TimeZone) -> Field<Model, Int?> { part(.hour, zone) }
  /// The minute, from 0 to 59.
  public func minute(in zone: TimeZone) -> Field<Model, Int?> { part(.minute, zone) }
  /// The second, from 0 to 59, without its fraction.
  public func second(in zone: TimeZone) -> Field<Model, Int?> { part(.second, zone) }
  /// The day of the week by ISO 8601: 1 is Monday, 7 is Sunday.
  public func weekday(in zone: TimeZone) -> Field<Model, Int?> { part(.weekday, zone) }
  /// The first instant of the day.
  public func startOfDay(in zone: TimeZone) -> Field<Model, Date?> { part(.startOfDay, zone) }
  /// The first instant of the month.
  public func startOfMonth(in zone: TimeZone) -> Field<Model, Date?> { part(.startOfMonth, zone) }
  /// The first instant of the year.
  public func startOfYear(in zone: TimeZone) -> Field<Model, Date?> { part(.startOfYear, zone) }

  private func part<Part>(_ part: DatePart, _ zone: TimeZone) -> Field<Model, Part> {
    Field<Model, Part>(.function(.part(part, DateZone(zone)), operand))
  }
}
