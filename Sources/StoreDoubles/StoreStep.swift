/// A step of a transaction, which a ``CountingStore`` counts and a ``FaultyStore`` lets fail.
public enum StoreStep: String, Hashable, Sendable, CaseIterable {
  /// A reader was opened, and with it a snapshot.
  case reader
  /// A writer was opened.
  case writer
  /// A request to a reader or a writer.
  case read
  /// A batch of rows of a request whose rows are taken in batches.
  case batch
  /// Rows to store, or a change of rows that are stored.
  case write
  /// A commit.
  case commit
  /// A commit that is done, before its caller learns of it.
  case committed
}
