import ORMCore

final class LoggingReader: ForwardingReader {
  let forwardedReader: any StoreReader

  init(_ base: any StoreReader) { forwardedReader = base }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    print(request.shape)
    return try forwardedReader.cursor(request)
  }
}

public final class LoggingStore: Store {
  private let base: any Store

  public init(_ base: any Store) { self.base = base }

  public var schema: StoredSchema { base.schema }
  public var runtime: StoreRuntime { base.runtime }
  // SNIPPET
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try base.writer(turn)
  }

  public func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}
