internal import Foundation
internal import ORM
internal import ORMCore

/// The longest wait of a case for another thread, in seconds, which only a failure takes.
let longestWait = 300.0

/// A piece of work on a thread of its own, which has begun when this is made.
final class Job<Value: Sendable>: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let result = Lock<Result<Value, any Error>?>(nil)

  init(stackSize: Int? = nil, _ body: @escaping @Sendable () throws -> Value) {
    let thread = Thread {
      let result = Result { try body() }
      self.result.withLock { $0 = result }
      self.done.signal()
    }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }

  /// True if it has come to its end.
  var isDone: Bool { result.withLock { $0 != nil } }

  /// Its result; `busy` when it takes longer than five minutes, which nothing here does.
  func value() throws -> Value {
    guard done.wait(timeout: .now() + longestWait) == .success, let result = result.withLock({ $0 })
    else {
      throw StoreError(.busy, "a thread hangs")
    }
    done.signal()
    return try result.get()
  }
}

/// Runs a body on another thread and waits for it.
func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
  try Job(body).value()
}

/// Runs a body that blocks on a thread of its own, so that the cooperative pool stays free.
func offThePool<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// A latch that is closed until it is opened.
final class Latch: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits for it; an error after five minutes.
  func wait() throws {
    guard semaphore.wait(timeout: .now() + longestWait) == .success else {
      throw StoreError(.busy, "a thread hangs")
    }
    semaphore.signal()
  }

  /// Waits for it for so long at most, and says whether it opened.
  func opens(within seconds: Double) -> Bool {
    guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
    semaphore.signal()
    return true
  }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
  private let content: Lock<Value>

  init(_ value: Value) { content = Lock(value) }

  var value: Value { content.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}

/// Holds a store's write transaction on a thread of its own until it is finished.
final class HeldWriter: Sendable {
  private let store: any Store
  private let release = Latch()
  private let jobs: [Job<Void>]

  /// Returns once the transaction is open and `body` has run in it.
  ///
  /// If writers run together, a transaction that does nothing takes every other writer slot.
  init(_ store: any Store, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
    self.store = store
    let release = release
    jobs = try (0..<store.runtime.transactions.limitOfWriters).map { slot in
      let begun = Latch()
      let job = Job {
        try store.write { tx in
          if slot == 0 { try body(tx) }
          begun.open()
          try release.wait()
        }
      }
      try begun.wait()
      return job
    }
  }

  /// Lets it commit and waits for that.
  func finish() throws {
    release.open()
    for job in jobs { try job.value() }
  }

  /// Begins operations, each once the one before it waits for the writer, lets the transaction commit,
  /// and returns the outcomes in the order of the operations.
  func finish<Value: Sendable>(
    before operations: [@Sendable () async throws -> Value]
  ) async throws -> [Result<Value, any Error>] {
    let transactions = store.runtime.transactions
    var tasks: [Task<Value, any Error>] = []
    for operation in operations {
      tasks.append(Task { try await operation() })
      let deadline = Date(timeIntervalSinceNow: longestWait)
      while transactions.waitingWriters < tasks.count {
        guard Date() < deadline else { throw StoreError(.busy, "an operation does not wait") }
        await Task.yield()
      }
    }
    try await offThePool { try self.finish() }
    var outcomes: [Result<Value, any Error>] = []
    for task in tasks { outcomes.append(await task.result) }
    return outcomes
  }
}

/// Runs a body on a thread with a stack of `bytes` and waits for it.
func onStack<Value: Sendable>(
  of bytes: Int, _ body: @escaping @Sendable () throws -> Value
) throws -> Value {
  try Job(stackSize: bytes, body).value()
}
