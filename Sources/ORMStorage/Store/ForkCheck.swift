internal import ORMPlatform
internal import ORMValues
internal import Synchronization

/// Remembers in which process something was opened.
///
/// A fork copies open files and locks in their present state, held by threads that the child does not have.
/// The child must not touch anything that was opened before. A check costs one load, because the system
/// reports forks; `vfork` and spawning, which run no code of ours in the child, do not count.
public struct ForkCheck: Sendable {
  /// Counts how often this process became another.
  final class Generation: Sendable {
    /// The count of the running process, which every fork raises in the child.
    static let current: Generation = {
      pthread_atfork(nil, nil) { Generation.current.childBegan() }
      return Generation()
    }()

    fileprivate let count = Atomic<UInt32>(0)

    /// Counts the fork, in its child.
    ///
    /// This is a single addition, since little else is safe there.
    func childBegan() {
      count.add(1, ordering: .relaxed)
    }
  }

  private let generation: Generation
  private let count: UInt32

  /// Remembers the running process.
  public init() {
    self.init(generation: .current)
  }

  /// Remembers a process by its count.
  init(generation: Generation) {
    self.generation = generation
    count = generation.count.load(ordering: .relaxed)
  }

  /// True if this process is a child of the one that made it.
  public var isInherited: Bool { generation.count.load(ordering: .relaxed) != count }

  /// Throws `forked` in a child of the process that made it.
  public func check() throws {
    guard !isInherited else {
      throw StoreError(
        .forked, "The store was opened before this process was forked; open it again in the child.")
    }
  }
}
