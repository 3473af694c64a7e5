internal import CPostgres
internal import Dispatch
internal import ORMPlatform
internal import ORMStorage

/// The cancellation of running statements.
extension PostgresHandle {
  /// The time in which a request to cancel must have reached the server, and that in which the statement
  /// must have ended after the call began it.
  private static var requestLimit: DispatchTimeInterval { .seconds(2) }
  static var cancelLimit: Duration { .seconds(5) }

  /// True if something may stop a statement that runs.
  var isStoppable: Bool {
    switch stoppable {
    case .never: false
    case .byOperation: RunningOperation.current != nil
    case .atOnce: true
    }
  }

  /// The reason to stop the running statement; nil if there is none, or its work can no longer be undone.
  var stop: RunningOperation.Stop? {
    switch stoppable {
    case .never: nil
    case .byOperation: RunningOperation.current?.stop
    case .atOnce: .cancelled
    }
  }

  /// True if the running statement is to be stopped.
  var isStopped: Bool { stop != nil }

  /// Throws if the running statement is to be stopped.
  func checkStop() throws { if let stop { throw stop.error } }

  /// Asks the server to cancel the statement that runs, whose error then is its answer.
  ///
  /// The request goes over a connection of its own. When this returns, it can meet no later statement: if
  /// it is not made in time, the connection is closed.
  func cancel() {
    guard let connection, !isInherited, let pointer = PQgetCancel(connection) else { return }
    let request = CancelRequest(pointer)
    let done = DispatchSemaphore(value: 0)
    // The library waits for the network without a limit that could be set.
    DispatchQueue(label: "PostgresBackend.PostgresHandle.cancel").async {
      request.send()
      done.signal()
    }
    if done.wait(timeout: .now() + Self.requestLimit) == .timedOut { close() }
  }

  /// Returns whether an answer to the request has come, or comes within a time.
  func hasAnswer(within limit: Duration) throws -> Bool {
    let end = ContinuousClock.now + limit
    while PQisBusy(connection) != 0 {
      guard try wait(Int16(POLLIN), until: end) else { return false }
      if PQconsumeInput(connection) == 0 { throw lostConnection() }
    }
    return true
  }
}

/// A request of the library to cancel the running statement of a connection; it needs the connection no
/// more.
// The library's object does not change, so that any thread may send it.
private final class CancelRequest: @unchecked Sendable {
  private let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQfreeCancel(pointer) }

  /// Sends the request, and waits until the server has taken it.
  func send() {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      _ = PQcancel(pointer, text.baseAddress, Int32(text.count))
    }
  }
}
