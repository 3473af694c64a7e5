internal import Foundation
internal import ORM
internal import ORMCore

/// The thread of a sandbox's transaction, which runs all calls to its writer.
///
/// A savepoint of the seam is a closure, and that of a sandbox lasts from the beginning of a write to its
/// end. So the closure runs on this thread, and takes calls until it is to end.
///
/// Unchecked: `steps` and `hasStopped` are used under `condition` alone, and the writer on the
/// thread alone. A caller waits until its call has run, so the captures outlive the call.
final class SandboxWorker: @unchecked Sendable {
  private enum Step {
    /// Runs a call on the writer.
    case call(Call)
    /// Begins a savepoint, and reports that it began or why not.
    case begin((Result<Void, any Error>) -> Void)
    /// Ends the innermost savepoint, with its writes or without, and reports the outcome.
    case finish(keeping: Bool, (Result<Void, any Error>) -> Void)
    /// Ends the transaction.
    case stop
  }

  /// A call on the writer, for whose end the caller waits.
  ///
  /// The body does not escape the caller, so the thread releases it before it reports the end.
  private final class Call {
    private var body: ((any StoreWriter) -> Void)?
    private let done = Outcome<Void>()

    init(_ body: @escaping (any StoreWriter) -> Void) { self.body = body }

    func run(_ writer: any StoreWriter) {
      perform(writer)
      done.set(.success(()))
    }

    /// A function of its own, at whose return nothing holds the body.
    @inline(never) private func perform(_ writer: any StoreWriter) {
      let body = body
      self.body = nil
      body?(writer)
    }

    func wait() throws { try done.get() }
  }

  /// The reason to undo a savepoint.
  private struct Undone: Error {}

  private let condition = NSCondition()
  private var steps: [Step] = []
  private var hasStopped = false
  /// The end of the thread's transaction.
  private let ended = Outcome<Void>()

  /// Begins a transaction on a new thread.
  init(_ open: @escaping @Sendable () throws -> any StoreWriter) throws {
    let opened = Outcome<Void>()
    let thread = Thread { [self] in
      do {
        let writer = try open()
        opened.set(.success(()))
        serve(writer)
        writer.end()
      } catch { opened.set(.failure(error)) }
      ended.set(.success(()))
    }
    thread.name = "strata sandbox"
    thread.stackSize = 8 << 20
    thread.start()
    try opened.get()
  }

  /// Runs a call with the writer on the thread, and returns its result.
  func run<Value>(_ body: (any StoreWriter) throws -> Value) throws -> Value {
    try withoutActuallyEscaping(body) { body in
      var result: Result<Value, any Error>?
      let operation = RunningOperation.current
      let call = Call { writer in
        result = Result {
          guard let operation else { return try body(writer) }
          return try operation.bind { try body(writer) }
        }
      }
      try take(.call(call))
      try call.wait()
      guard let result else {
        throw StoreError(.closed, "the sandbox ended before the call")
      }
      return try result.get()
    }
  }

  /// Begins a savepoint.
  func begin() throws {
    let outcome = Outcome<Void>()
    try take(.begin { outcome.set($0) })
    try outcome.get()
  }

  /// Ends the innermost savepoint.
  ///
  /// - Parameter isDone: false to undo its writes.
  @discardableResult
  func finish(keeping isDone: Bool) -> Result<Void, any Error> {
    Result {
      let outcome = Outcome<Void>()
      try take(.finish(keeping: isDone) { outcome.set($0) })
      try outcome.get()
    }
  }

  /// Undoes the transaction, and returns when that is done; later calls throw `closed`.
  func stop() {
    try? take(.stop)
    try? ended.get()
  }

  private func take(_ step: Step) throws {
    condition.lock()
    defer { condition.unlock() }
    if hasStopped { throw StoreError(.closed, "the sandbox is closed") }
    if case .stop = step { hasStopped = true }
    steps.append(step)
    condition.signal()
  }

  private func next() -> Step {
    condition.lock()
    defer { condition.unlock() }
    while steps.isEmpty { condition.wait() }
    return steps.removeFirst()
  }

  /// Takes steps until the transaction is to end.
  private func serve(_ writer: any StoreWriter) {
    while true {
      switch next() {
      case .call(let call): call.run(writer)
      case .begin(let report): if !savepoint(writer, report) { return }
      case .finish(_, let report):
        report(.failure(StoreError(.transactionEnded, "the sandbox has no open write")))
      case .stop: return
      }
    }
  }

  /// Runs a savepoint; false if the transaction is to end.
  private func savepoint(
    _ writer: any StoreWriter, _ began: (Result<Void, any Error>) -> Void
  ) -> Bool {
    var report: ((Result<Void, any Error>) -> Void)?
    var hasBegun = false
    var goesOn = true
    do {
      try writer.savepoint {
        hasBegun = true
        began(.success(()))
        while true {
          switch next() {
          case .call(let call): call.run(writer)
          case .begin(let inner):
            if !savepoint(writer, inner) {
              goesOn = false
              throw Undone()
            }
          case .finish(let isDone, let done):
            report = done
            if isDone { return }
            throw Undone()
          case .stop:
            goesOn = false
            throw Undone()
          }
        }
      }
      report?(.success(()))
    } catch is Undone {
      report?(.success(()))
    } catch {
      if hasBegun { report?(.failure(error)) } else { began(.failure(error)) }
    }
    return goesOn
  }
}

/// The outcome of a call on another thread, for which the caller waits.
///
/// Unchecked: `result` is read and written under `condition` alone.
private final class Outcome<Value>: @unchecked Sendable {
  private let condition = NSCondition()
  private var result: Result<Value, any Error>?

  func set(_ result: Result<Value, any Error>) {
    condition.lock()
    self.result = result
    condition.signal()
    condition.unlock()
  }

  func get() throws -> Value {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result { return try result.get() }
      condition.wait()
    }
  }
}
