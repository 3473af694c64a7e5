internal import FoundationEssentials
internal import ORMStorage

/// A cursor as a short text for the address of a page.
///
/// The text has a digest of the order instead of the order itself, and the values in bytes.
extension QueryCursor {
  private static let version: UInt8 = 1

  /// The cursor as a text of letters, digits, `-` and `_`, for a URL.
  ///
  /// ```swift
  /// let page = try store.fetchPage(Snack.all.sorted(by: .ascending(\.name)).limit(50))
  /// let link = page.end.map { "/snacks?after=\($0.text)" }
  /// ```
  ///
  /// It has about 16 characters beside those of the row's values. Anyone can read the values in it.
  public var text: String {
    var bytes = HistoryBytes()
    bytes.append(byte: Self.version)
    bytes.append(word: digest ?? Self.digest(of: sort))
    for value in values { bytes.append(value: value) }
    return String(
      Data(bytes.bytes).base64EncodedString().compactMap { letter -> Character? in
        letter == "=" ? nil : letter == "+" ? "-" : letter == "/" ? "_" : letter
      })
  }

  /// Makes a cursor of a text that ``text`` gave.
  ///
  /// ```swift
  /// let query = Snack.all.sorted(by: .ascending(\.name)).limit(50)
  /// let first = try store.fetchPage(query)
  /// let after = try QueryCursor(text: first.end?.text ?? "")
  /// let next = try store.fetchPage(query.after(after))
  /// ```
  ///
  /// The order is checked when the cursor is used: a query with another one throws `invalidCursor`.
  ///
  /// - Throws: `invalidCursor` for a text that is no cursor, such as one that was cut off.
  public init(text: String) throws {
    let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain + padding) else { throw Self.unreadable }
    // A client may have sent any bytes.
    var reader = HistoryByteReader(Array(data))
    var values: [StoredValue] = []
    do {
      guard try reader.byte() == Self.version else { throw Self.unreadable }
      digest = try reader.word()
      // The elements of an array are scalars.
      while !reader.isAtEnd { values.append(try reader.value(levels: 1)) }
    } catch { throw Self.unreadable }
    sort = []
    self.values = values
  }

  private static var unreadable: StoreError {
    StoreError(.invalidCursor, "the text is no cursor; ask for the first page again")
  }

  /// A number that orders which differ do not share, but by chance.
  package static func digest(of sort: [SortTerm]) -> UInt64 {
    let text = (try? JSONCoding.encode(sort.map(\.comparable))) ?? ""
    return Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) }
  }

  /// The cursor for a query with an order; nil if it belongs to another order.
  package func fitting(_ sort: [SortTerm]) -> QueryCursor? {
    guard values.count == sort.count else { return nil }
    if let digest {
      return digest == Self.digest(of: sort) ? QueryCursor(sort: sort, values: values) : nil
    }
    return self.sort.map(\.comparable) == sort.map(\.comparable) ? self : nil
  }
}
