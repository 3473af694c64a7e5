package import ORMStorage

/// A statement between two rows of a result.
package final class SQLCursor: StoreCursor {
  private weak var reader: SQLReader?
  /// The run; nil once the cursor came to its end.
  private var run: FetchRun?

  init(_ reader: SQLReader, _ request: FetchRequest) throws {
    let fetch = try reader.fetch(request.shape)
    run = try FetchRun(
      reader.session, fetch, request, related: reader.batchReader(for: fetch), mayPause: true)
    self.reader = reader
  }

  package func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    guard let run else {
      if reader?.isEnded ?? true {
        throw StoreError(.transactionEnded, "the transaction of the cursor has ended")
      }
      return false
    }
    do {
      if try run.visit(&visitor) { return true }
    } catch {
      finish()
      throw error
    }
    finish()
    return false
  }

  private func finish() {
    reader?.forget(self)
    close()
  }

  /// Ends the cursor; its statement is free for others.
  func close() {
    run?.close()
    run = nil
  }
}
