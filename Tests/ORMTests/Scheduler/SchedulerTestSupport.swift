import Dispatch
import Synchronization

@testable import ORM
@testable import ORMRows

/// The longest that anything in these tests waits, in seconds; only a failure takes that long.
///
/// A task of one test may wait for a thread of the pool until every other test has ended.
private let patience = 1800.0

/// Something did not happen in time.
struct SchedulerTestTimeout: Error {}

/// A door that opens once; waiting at it is bounded.
final class TestLatch: Sendable {
  private let isOpen = Atomic<Bool>(false)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Opens the door.
  func open() {
    isOpen.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Blocks the thread until the door is open.
  func wait() throws {
    guard semaphore.wait(timeout: .now() + patience) == .success else {
      throw SchedulerTestTimeout()
    }
    semaphore.signal()
  }

  /// Waits in a task, without blocking a thread.
  func opened() async throws {
    try await until { self.isOpen.load(ordering: .acquiring) }
  }
}

/// Waits in a task until something holds.
func until(_ condition: @Sendable () -> Bool) async throws {
  let start = ContinuousClock.now
  while !condition() {
    guard ContinuousClock.now - start < .seconds(patience) else { throw SchedulerTestTimeout() }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Runs a body on a thread of its own, off the pool of tasks, where the sync operations are meant.
func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "scheduler test").async {
      continuation.resume(with: Result { try body() })
    }
  }
}

/// A list that is filled from many threads.
final class SchedulerLog<Element: Sendable>: Sendable {
  private let elements = Lock<[Element]>([])
  var all: [Element] { elements.withLock { $0 } }
  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension SchedulerOptions {
  /// Options under which followers join, and nothing that waits throws `busy`, however slow the machine is.
  ///
  /// Between two steps of a task, many other tests may run.
  static var unhurried: SchedulerOptions {
    var options = SchedulerOptions()
    options.joining = .seconds(3_600)
    options.writerWait = .seconds(3_600)
    options.readerWait = .seconds(3_600)
    return options
  }
}

extension TransactionScheduler {
  /// The number of callers that wait for the writer slot.
  var waitingWriters: Int { guarded.withLock { $0.state.writers.count } }
  /// The number of callers that wait for a reader slot or a ticket.
  var waitingReaders: Int {
    guarded.withLock { $0.state.readers.count + $0.state.latestCommitReaders.count }
  }
  /// The number of callers that wait for a stream.
  var waitingStreams: Int { guarded.withLock { $0.state.streams.count } }
  /// True if nothing runs, nothing waits, and no answer is owed.
  var isAtRest: Bool {
    guarded.withLock { guarded in
      guarded.state.checkInvariants()
      return guarded.state.isIdle && guarded.waiters.isEmpty && guarded.streamWaiters.isEmpty
        && guarded.streams.isEmpty && guarded.closers.isEmpty
    }
  }

  /// Holds the writer slot on a thread of its own until the latch opens.
  func holdWriter(until release: TestLatch) async throws {
    let began = TestLatch()
    Task {
      try await onOwnThread {
        try self.write { _ in
          began.open()
          try release.wait()
        }
      }
    }
    try await began.opened()
  }
}

/// The code of a `StoreError`.
func code(_ error: (any Error)?) -> StoreError.Code? { (error as? StoreError)?.code }

/// Runs a body for the error it throws.
func failure(_ body: () throws -> Void) -> (any Error)? {
  do { try body() } catch { return error }
  return nil
}

/// Runs a body for the error it throws.
func asyncFailure(_ body: () async throws -> Void) async -> (any Error)? {
  do { try await body() } catch { return error }
  return nil
}
