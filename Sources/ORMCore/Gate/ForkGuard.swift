#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
internal import Synchronization

/// Remembers in which process something was opened.
///
/// A fork copies open files and locks as they stand, held by threads that the child has not got:
/// whatever was opened before must not be touched by it. A check costs one load.
public struct ForkGuard: Sendable {
  /// How often this process is a child of one that had a guard.
  private static let generation = Atomic<UInt32>(0)

  /// Counts in every child; registered once, with the first guard.
  private static let registration: Void = {
    pthread_atfork(nil, nil) { ForkGuard.childBegan() }
  }()

  private let generation: UInt32

  /// Remembers the running process.
  public init() {
    _ = Self.registration
    generation = Self.generation.load(ordering: .relaxed)
  }

  /// Throws `forked` in a child of the process that made the guard.
  public func check() throws {
    guard isInherited else { return }
    throw StoreError(
      .forked, "The store was opened before a fork; the child must open its own.")
  }

  /// Whether this process is a child of the one that made the guard.
  public var isInherited: Bool { generation != Self.generation.load(ordering: .relaxed) }

  /// What happens in the child of a fork: one addition, as nothing else is safe there.
  static func childBegan() {
    generation.add(1, ordering: .relaxed)
  }
}
