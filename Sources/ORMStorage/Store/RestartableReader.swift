/// A reader that is costly to make, and that can begin anew once it has ended.
///
/// Core keeps one for the next read if ``Store/keepsReaders`` is true. A reader that is kept holds no
/// snapshot, and nothing that keeps a file open.
public protocol RestartableReader: StoreReader {
  /// Begins a reader that has ended anew, on the newest commit, and returns true; or does nothing and
  /// returns false.
  ///
  /// Core calls it in place of ``Store/reader(_:)``, whose errors it throws, on a reader that has no other
  /// user. After an error the reader has ended, as before.
  func restart(_ turn: borrowing ReadTurn) throws -> Bool
}
