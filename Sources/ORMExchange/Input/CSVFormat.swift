internal import ORM

/// The form of CSV: that of RFC 4180 with a header, unless changed.
///
/// ```swift
/// var format = CSVFormat()
/// format.delimiter = ";"
/// format.hasDecimalComma = true
/// ```
public struct CSVFormat: Hashable, Sendable {
  /// The ASCII character between fields.
  public var delimiter: Unicode.Scalar = ","
  /// The ASCII character around fields that hold delimiters, line ends or quotes.
  public var quote: Unicode.Scalar = "\""
  /// The names of the fields; nil if the first record names them.
  ///
  /// A name is a path into the record, such as `price.amount`.
  public var header: [String]?
  /// True if spaces and tabs around fields without quotes do not count.
  public var isTrimmed = false
  /// True if numbers have a comma instead of the point.
  public var hasDecimalComma = false
  /// The ASCII character that begins lines that are comments; nil for none.
  public var comment: Unicode.Scalar?
  /// The meaning of an empty field without quotes.
  public var empty = CSVEmptyField.null

  /// The form of RFC 4180 with a header.
  public init() {}

  /// Returns whether two forms are the same; names of columns are compared by scalars.
  public static func == (a: CSVFormat, b: CSVFormat) -> Bool {
    let isSameHeader =
      if let header = a.header, let other = b.header {
        header.haveSameScalars(as: other)
      } else {
        a.header == nil && b.header == nil
      }
    return isSameHeader && a.delimiter == b.delimiter && a.quote == b.quote
      && a.isTrimmed == b.isTrimmed && a.hasDecimalComma == b.hasDecimalComma
      && a.comment == b.comment && a.empty == b.empty
  }
}

/// The meaning of an empty field of CSV without quotes; in quotes it is an empty text.
public enum CSVEmptyField: String, Hashable, Codable, Sendable {
  /// The field is null, or absent where the attribute may not be nil and has a default or a given key.
  case null
  /// The field is absent, so that an attribute keeps its value.
  case absent
  /// The field is an empty text for attributes that are texts, and null for others.
  case text
}
