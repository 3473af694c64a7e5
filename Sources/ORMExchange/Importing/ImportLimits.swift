internal import ORM

/// Limits on the records of a source, so that text from elsewhere cannot take memory without end.
///
/// ```swift
/// var limits = ImportLimits()
/// limits.recordSize = 1 << 20
/// ```
public struct ImportLimits: Hashable, Sendable {
  /// The greatest depth of objects and arrays, 200 unless changed.
  public var depth = 200
  /// The most members of one object, 100,000 unless changed.
  public var members = 100_000
  /// The most bytes of a member's name, 64 KiB unless changed.
  public var nameSize = 64 << 10
  /// The most bytes of a number, 10,000 unless changed.
  public var digits = 10_000
  /// The most bytes of one record, 64 MiB unless changed.
  public var recordSize = 64 << 20

  /// The standard limits.
  public init() {}

  var ofScanner: JSONScanner.Limits {
    var limits = JSONScanner.Limits()
    limits.depth = depth
    limits.members = members
    limits.nameSize = nameSize
    limits.digits = digits
    return limits
  }
}
