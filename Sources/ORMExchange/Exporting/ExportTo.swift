internal import ORM

/// A file that an export writes, and its form.
///
/// ```swift
/// let target = ExportTo.csv("snacks.csv")
/// ```
public struct ExportTo: Hashable, Sendable {
  enum Format: Hashable, Sendable {
    case json
    case jsonLines
    case csv(CSVFormat)
  }

  let path: String
  let format: Format
  /// True for standard output instead of a file.
  private(set) var isStandardOutput = false

  /// Returns whether both are one format at one path, compared by scalars.
  public static func == (a: ExportTo, b: ExportTo) -> Bool {
    a.path.hasSameScalars(as: b.path) && a.format == b.format
  }

  /// A JSON array, or the object of a keyed list, a record on each line.
  public static func json(_ path: String) -> ExportTo { ExportTo(path: path, format: .json) }

  /// JSON Lines: a record on each line.
  public static func jsonLines(_ path: String) -> ExportTo {
    ExportTo(path: path, format: .jsonLines)
  }

  /// CSV with a header of the paths of values.
  ///
  /// Nil is an empty field, and an empty text one in quotes. Arrays and nested lists are JSON.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - format: the delimiter and the quote.
  public static func csv(_ path: String, format: CSVFormat = CSVFormat()) -> ExportTo {
    ExportTo(path: path, format: .csv(format))
  }

  /// The form of the target, written to standard output as the rows come.
  package var toStandardOutput: ExportTo {
    var target = self
    target.isStandardOutput = true
    return target
  }

  fileprivate init(path: String, format: Format) {
    self.path = path
    self.format = format
  }
}

/// The result of an export.
public struct ExportReport: Hashable, Codable, Sendable {
  /// The entity.
  public var entity: String
  /// The number of records that were written.
  public var records: Int
  /// The number of bytes of the file.
  public var bytes: Int
}
