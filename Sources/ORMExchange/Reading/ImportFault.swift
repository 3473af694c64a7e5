public import ORM

/// The kind of fault that an error with the code `invalidImport` reports; open, as codes are.
///
/// A server can answer by it:
///
/// ```swift
/// do {
///   _ = try JSONMapping(Snack.self).decodeOne(#"{"name": 3}"#)
/// } catch let error as StoreError where error.code == .invalidImport {
///   print(error.importFault == .syntax ? 400 : 422)   // 422
/// }
/// ```
public struct ImportFault: RawRepresentable, Hashable, Codable, Sendable {
  /// The word of the kind, which is the `rule` of the error.
  public var rawValue: String

  /// Makes a kind of one's own.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The text is not JSON, CSV or UTF-8, or it is past a limit.
  public static let syntax = Self(rawValue: "syntax")
  /// A value is of another type or out of range, or null where that is refused.
  public static let value = Self(rawValue: "value")
  /// A member that is needed is missing.
  public static let missing = Self(rawValue: "missing")
  /// A member is unknown, or comes twice, and the mapping refuses such members.
  public static let unknownMember = Self(rawValue: "unknownMember")
  /// There is nothing at a path, or another number of records than was asked for.
  public static let records = Self(rawValue: "records")
  /// The record has faults of several kinds, which `failures` lists.
  public static let several = Self(rawValue: "several")
}

extension StoreError {
  /// The kind of fault of an `invalidImport`; nil for other codes, and where a hook refused a record.
  public var importFault: ImportFault? {
    code == .invalidImport ? rule.map { ImportFault(rawValue: $0) } : nil
  }
}
