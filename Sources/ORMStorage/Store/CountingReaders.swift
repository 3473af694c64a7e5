/// A reader that counts the rows that it looks at, and its trips to a server, for instruments.
///
/// Instruments are told of differences between two times.
package protocol CountingReader: StoreReader {
  /// The number of rows that were looked at so far; of a SQL store those that the library tested itself.
  var rowsRead: Int { get }
  /// The number of trips to a server so far; nil for a store without one.
  var trips: Int? { get }
}

extension CountingReader {
  /// Returns nil: there is no server.
  package var trips: Int? { nil }
}

extension StoreReader {
  /// The reader that counts: this one, or the one that it is a layer of; nil if none does.
  package var counting: (any CountingReader)? {
    if let counting = self as? any CountingReader { return counting }
    return (self as? any ForwardingReader)?.forwardedReader.counting
  }
}

/// A reader of a SQL database, whose statements instruments may show.
package protocol StatementReader: StoreReader {
  /// Returns the statement that answers requests of a shape, with placeholders; nil if there is none.
  func statement(for shape: FetchShape) -> String?
  /// Returns the statement of a put, with placeholders; nil if there is none, or one for each row.
  func statement(for put: PutRequest) -> String?
}
