internal import ORMStorage

/// The files that this process has open: the library's locks break when a file is opened twice in
/// one process, and closing the lock file of a file that is open would give up its locks.
///
/// A file is known by its path, from before it exists, and by device and inode, so that a hard link
/// is seen too. Files that a parent had open before a fork do not count in the child.
enum LMDBFileRegistry {
  private struct Entry {
    var fork: UInt64
    var path: ExactText
    var identity: LMDBPath.Identity?
  }

  private static let entries = Lock<[Entry]>([])

  /// Notes a file; `alreadyOpen` when it is noted.
  static func enter(_ path: String, _ identity: LMDBPath.Identity?) throws {
    let key = ExactText(path)
    let fork = ForkGeneration.current
    try entries.withLock { entries in
      entries.removeAll { $0.fork != fork }
      let isOpen = entries.contains {
        $0.path == key || (identity != nil && $0.identity == identity)
      }
      if isOpen {
        throw StoreError(.alreadyOpen, "\(path) is open in this process through another store.")
      }
      entries.append(Entry(fork: fork, path: key, identity: identity))
    }
  }

  /// Notes the identity of an entered file, once it exists; `alreadyOpen` if it is one of the others.
  static func identify(_ path: String, _ identity: LMDBPath.Identity) throws {
    let key = ExactText(path)
    try entries.withLock { entries in
      if entries.contains(where: { $0.path != key && $0.identity == identity }) {
        throw StoreError(.alreadyOpen, "\(path) is open in this process through another store.")
      }
      for index in entries.indices where entries[index].path == key {
        entries[index].identity = identity
      }
    }
  }

  /// Forgets a file.
  static func leave(_ path: String) {
    entries.withLock { $0.removeAll { $0.path == ExactText(path) } }
  }
}
