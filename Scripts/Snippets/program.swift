import Synchronization

// Stands before each frame that is a program.

enum Folder { static let first = FileManager.default.currentDirectoryPath }

/// Enters an empty folder.
func enter(_ step: String) throws {
  let path = "\(Folder.first)/\(step)"
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  precondition(FileManager.default.changeCurrentDirectoryPath(path))
}

/// The code of the error, with the codes and keys of its failures.
func fault(_ body: () throws -> Void) -> String {
  do { try body() } catch let error as StoreError {
    let causes = error.failures.map { cause in
      ([cause.code.rawValue] + cause.key.map { "\($0)" }).joined(separator: " ")
    }
    return ([error.code.rawValue] + causes).joined(separator: ", ")
  } catch { return "\(error)" }
  return "no error"
}

/// What callbacks report, in order.
final class Reports: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
