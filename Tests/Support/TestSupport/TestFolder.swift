package import Foundation
import ORMCore
import Synchronization

/// A new folder for the files of tests, removed with its files when it is released or the process
/// ends.
package final class TestFolder: Sendable {
  package let path: String
  private let count = Atomic(0)

  /// Makes a folder; in memory, where syncs cost nothing, if asked and possible.
  package init(inMemory: Bool = false) {
    let files = FileManager.default
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isUsable = inMemory && files.isWritableFile(atPath: memory.path)
    let parent = isUsable ? memory : files.temporaryDirectory
    path = parent.appendingPathComponent("strata-test-" + UUID().uuidString).path
    Self.all.withLock { folders in
      if folders.isEmpty { atexit { TestFolder.removeAll() } }
      folders.append(path)
    }
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      fatalError("tests need a folder for their files: \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of a file with this name.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns a path in the folder where no file is.
  package func newPath() -> String {
    file("\(count.wrappingAdd(1, ordering: .relaxed).newValue).mdb")
  }

  /// Writes a file with this name, and returns its path.
  @discardableResult
  package func write(_ bytes: Data, _ name: String) throws -> String {
    try bytes.write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// Returns the names of the files, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  private static let all = Lock<[String]>([])

  private static func removeAll() {
    for path in all.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
  }
}

/// Reads a file.
package func bytes(_ path: String) throws -> Data {
  try Data(contentsOf: URL(fileURLWithPath: path))
}

/// A list that several threads add to.
package final class SharedList<Value: Sendable>: Sendable {
  private let values = Lock<[Value]>([])

  package init() {}
  package var all: [Value] { values.withLock { $0 } }
  package func add(_ value: Value) { values.withLock { $0.append(value) } }
}
