import ORMCore

final class LoggingReader: ForwardingReader {
  let forwardedReader: any StoreReader

  init(_ base: any StoreReader) { forwardedReader = base }
}

final class LoggingStore: Store {
  private let base: any Store

  init(_ base: any Store) { self.base = base }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }
  // SNIPPET
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try base.writer(turn)
  }

  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}
