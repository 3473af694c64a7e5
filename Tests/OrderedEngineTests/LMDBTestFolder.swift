import Foundation
import ORMCore
import Synchronization

/// A new folder for the files of tests, removed with everything in it when nobody holds it any
/// more, or the process ends.
final class TestFolder: Sendable {
  let path: String
  private let count = Atomic(0)

  /// Names a folder, which the first file makes; in memory, where syncs cost nothing, if asked and
  /// possible.
  init(inMemory: Bool = false) {
    let name = "strata-test-" + UUID().uuidString
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isUsable = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = isUsable ? memory : FileManager.default.temporaryDirectory
    path = parent.appendingPathComponent(name).path
    Self.all.withLock { folders in
      if folders.isEmpty { atexit { TestFolder.removeAll() } }
      folders.append(path)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A path in the folder where no file is.
  func newPath() -> String {
    "\(path)/\(count.wrappingAdd(1, ordering: .relaxed).newValue).mdb"
  }

  private static let all = Lock<[String]>([])

  private static func removeAll() {
    for path in all.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}

/// Lines that several threads add to.
final class SharedList: Sendable {
  private let lines = Lock<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
