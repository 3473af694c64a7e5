import CRocksDB
import ORMCore

/// Calls a function of RocksDB, and throws the message that it leaves as a `StoreError`.
@inline(__always)
func rocks<Result>(
  _ path: String, _ body: (inout UnsafeMutablePointer<CChar>?) -> Result
) throws -> Result {
  var message: UnsafeMutablePointer<CChar>?
  let result = body(&message)
  guard let message else { return result }
  defer { rocksdb_free(message) }
  throw StoreError(rocks: String(cString: message), at: path)
}

extension StoreError {
  /// The error of a message: the C interface gives no code, but each message begins with its kind.
  init(rocks message: String, at path: String) {
    let code: Code =
      if message.contains("lock hold by current process") {
        .alreadyOpen
      } else if message.contains("While lock file") {
        .busy
      } else if message.hasPrefix("Corruption") {
        .corrupt
      } else if message.contains("No space left") {
        .full
      } else if message.hasPrefix("IO error") {
        .inputOutput
      } else {
        .engine
      }
    self.init(code, "\(path): \(message)", store: path)
  }
}
