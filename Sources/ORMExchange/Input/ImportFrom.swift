public import FoundationEssentials
public import ORM

/// A source of records for an import, and its form.
///
/// ```swift
/// let page = ImportFrom.json(.text(#"{"data": [{"name": "Chips", "price": 2.5}]}"#), at: "data")
/// ```
///
/// A source is read in blocks, and records one by one, so that memory does not grow with it.
public struct ImportFrom: Sendable {
  enum Format: Sendable {
    case json(at: String)
    case jsonLines(at: String)
    case csv(CSVFormat)
  }

  let content: ImportContent
  let format: Format

  /// JSON: an array of records, an object of them in a keyed list, or one record.
  ///
  /// - Parameters:
  ///   - content: the bytes, in UTF-8.
  ///   - path: the path of the records; the top unless given.
  public static func json(_ content: ImportContent, at path: String = "") -> ImportFrom {
    ImportFrom(content: content, format: .json(at: path))
  }

  /// JSON Lines: a record on every line.
  ///
  /// - Parameters:
  ///   - content: the bytes, in UTF-8.
  ///   - path: the path of the record in the object of its line; the line itself unless given.
  public static func jsonLines(_ content: ImportContent, at path: String = "") -> ImportFrom {
    ImportFrom(content: content, format: .jsonLines(at: path))
  }

  /// CSV: a record is an object whose members are the fields, by the names in the header.
  ///
  /// - Parameters:
  ///   - content: the bytes, in UTF-8.
  ///   - format: delimiter, header and other points in which files differ.
  public static func csv(
    _ content: ImportContent, format: CSVFormat = CSVFormat()
  ) -> ImportFrom {
    ImportFrom(content: content, format: .csv(format))
  }

  /// Rows: the attributes of each are its members, by their names.
  public static func rows(_ rows: [DynamicRow]) throws -> ImportFrom {
    var text = ""
    for row in rows {
      var writer = JSONWriter()
      writer.beginObject()
      for (name, value) in row.values.sorted(by: { $0.key < $1.key }) {
        writer.key(name)
        try writer.write(value, as: .json)
      }
      writer.end()
      text += writer.text + "\n"
    }
    return .jsonLines(.text(text))
  }
}

/// The bytes of a source.
public struct ImportContent: Sendable {
  enum Kind: Sendable {
    case file(String)
    case temporary(String)
    case data(Data)
    case chunks(@Sendable ((Data) throws -> Void) async throws -> Void)
  }

  let kind: Kind

  /// A file, by its path.
  ///
  /// It is read more than once where records lead to later ones.
  public static func file(_ path: String) -> ImportContent { ImportContent(kind: .file(path)) }

  /// A file that cannot be read again; no progress of its import is stored.
  package static func temporary(_ path: String) -> ImportContent {
    ImportContent(kind: .temporary(path))
  }

  /// A file, by its URL.
  public static func file(_ url: URL) -> ImportContent { .file(url.path) }

  /// A text.
  public static func text(_ text: String) -> ImportContent { .data(Data(text.utf8)) }

  /// Bytes in memory.
  public static func data(_ data: Data) -> ImportContent { ImportContent(kind: .data(data)) }

  /// Chunks of bytes as they come, such as those of a download.
  ///
  /// ```swift
  /// let pages = AsyncStream<[UInt8]> { pages in
  ///   pages.yield(Array(#"{"name": "Chi"#.utf8))
  ///   pages.yield(Array(#"ps"}"#.utf8))
  ///   pages.finish()
  /// }
  /// let source = ImportFrom.jsonLines(.chunks(pages))
  /// ```
  ///
  /// They are written to a temporary file first, so that no writer waits for a network. Only the
  /// asynchronous import takes them. An error of the sequence ends the import as it was thrown, before
  /// anything is written or pruned.
  public static func chunks<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks
  ) -> ImportContent where Chunks.Element: Collection<UInt8> {
    ImportContent(
      kind: .chunks { take in
        for try await chunk in chunks { try take(Data(chunk)) }
      })
  }
}
