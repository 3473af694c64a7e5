internal import ORMPlatform
internal import Synchronization

/// The operation that a thread works for, with its deadline and its cancellation.
///
/// Stores ask it inside every loop that a request can make long, and throw its error (clause 6.10):
///
/// ```swift
/// var check = StopCheck()
/// for number in 0..<1_000_000 {
///   try check.step()
///   print(number)
/// }
/// ```
///
/// A thread works for no operation that could end early unless a task, a deadline or an option of the
/// store set one.
public final class RunningOperation: Sendable {
  /// The reason for which an operation is to end before its work is done.
  package enum Stop: Equatable, Sendable {
    /// The task was cancelled.
    case cancelled
    /// The deadline has passed.
    case deadline

    /// The error that the operation throws.
    package var error: any Error {
      switch self {
      case .cancelled: CancellationError()
      case .deadline:
        StoreError(
          .deadlineExceeded, "the operation was not done by its deadline, and was ended")
      }
    }
  }

  private let test: @Sendable () -> Stop?
  private let limit: @Sendable () -> UInt64
  private let owns: @Sendable () -> Bool

  /// Makes an operation.
  ///
  /// - Parameters:
  ///   - limit: returns the time of ``now`` by which the operation is to be done; the greatest number
  ///     for any.
  ///   - owns: returns whether the transaction ends with the operation.
  ///   - test: returns the reason to end early, as long as the operation's work may still be undone.
  package init(
    until limit: @escaping @Sendable () -> UInt64 = { .max },
    owning owns: @escaping @Sendable () -> Bool = { false },
    _ test: @escaping @Sendable () -> Stop?
  ) {
    self.limit = limit
    self.owns = owns
    self.test = test
  }

  /// Makes a part of the running operation, with a deadline of its own.
  ///
  /// - Parameter deadline: a time of ``now``.
  package convenience init(deadline: UInt64, inside outer: RunningOperation?) {
    self.init(until: { min(deadline, outer?.deadline ?? .max) }) {
      outer?.stop ?? (Self.now >= deadline ? .deadline : nil)
    }
  }

  /// The time of ``now`` by which the operation is to be done; the greatest number for any.
  package var deadline: UInt64 { limit() }

  /// True if the transaction ends with the operation: no other caller's writes are in it, and no block
  /// around it goes on.
  public var ownsTransaction: Bool { owns() }

  /// The reason to end early; nil if there is none, or if the operation has passed its commit point.
  package var stop: Stop? { test() }

  /// True if the operation is to end early.
  package var isStopped: Bool { stop != nil }

  /// Throws the error of an operation that is to end early.
  ///
  /// - Throws: `deadlineExceeded` after the deadline, `CancellationError` after a cancellation.
  public func check() throws { if let stop { throw stop.error } }

  /// The key under which each thread keeps the address of its operation.
  ///
  /// A task-local value would be an allocation for each call.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The operation that this thread works for; nil if nothing can end it early.
  public static var current: RunningOperation? {
    pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Lets this thread work for an operation, which the caller keeps alive, and returns the operation that
  /// it worked for before.
  package static func exchange(_ operation: RunningOperation?) -> RunningOperation? {
    let former = current
    pthread_setspecific(key, operation.map { Unmanaged.passUnretained($0).toOpaque() })
    return former
  }

  /// Runs a body that works for the operation.
  package func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = Self.exchange(self)
    defer { _ = Self.exchange(outer) }
    return try body()
  }

  /// The clock of deadlines, in nanoseconds.
  package static var now: UInt64 {
    #if canImport(Darwin)
      clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
    #else
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    #endif
  }

  /// Returns the time of ``now`` at which a duration that begins now is over.
  package static func deadline(in duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    let (end, isTooLate) = now.addingReportingOverflow(sum)
    return overflow || carry || isTooLate ? .max : end
  }

  /// The time that the operation of this thread still has; nil for any.
  package static var rest: Duration? {
    guard let deadline = current?.deadline, deadline < .max else { return nil }
    return .nanoseconds(Int64(clamping: deadline) - Int64(clamping: now))
  }

  private static let scopes = Atomic<Int>(0)

  /// True if ``run(within:unless:_:)`` runs a body on any thread.
  package static var hasScopes: Bool { scopes.load(ordering: .relaxed) > 0 }

  /// Runs a body with a deadline or a cancellation for everything that it does on this thread: the
  /// opening of a store with its migration, a check, an import or export, a copy.
  ///
  /// ```swift
  /// let report = try RunningOperation.run(within: .seconds(60)) { try store.check() }
  /// let end = Date(timeIntervalSinceNow: 60)
  /// let count = try RunningOperation.run(unless: { Date() > end }) { try store.count(Snack.self) }
  /// ```
  ///
  /// Commits of the body before then stay. A body that is done is not undone, however late it is.
  ///
  /// - Parameters:
  ///   - within: the time that the body may take; nil for any.
  ///   - isCancelled: returns whether the body is to end; it is called often, on this thread.
  ///   - body: the work.
  /// - Throws: the body's errors; `deadlineExceeded`, `CancellationError`.
  public static func run<Result>(
    within: Duration? = nil, unless isCancelled: @escaping @Sendable () -> Bool = { false },
    _ body: () throws -> Result
  ) throws -> Result {
    let end = within.map(deadline) ?? .max
    let outer = current
    let operation = RunningOperation(
      until: { min(end, outer?.deadline ?? .max) }, owning: { outer == nil }
    ) {
      if let stop = outer?.stop { return stop }
      if isCancelled() { return .cancelled }
      return end < .max && now >= end ? .deadline : nil
    }
    scopes.add(1, ordering: .relaxed)
    defer { scopes.subtract(1, ordering: .relaxed) }
    return try operation.bind {
      try operation.check()
      do { return try body() } catch let error as StoreError where error.code == .busy {
        // A server says so of a statement that was cancelled.
        try operation.check()
        throw error
      }
    }
  }

  /// Throws if the operation that the calling thread works for is to end early.
  ///
  /// Its cost is that of reading a clock: about 50 ns. In a loop of short steps use ``StopCheck``.
  ///
  /// - Throws: `deadlineExceeded` after the deadline, `CancellationError` after a cancellation.
  public static func check() throws { try current?.check() }
}

/// A check inside a loop, which asks at intervals whether the running operation is to end early.
///
/// ```swift
/// var check = StopCheck()
/// for name in ["a", "b"] {
///   try check.step()
///   print(name)
/// }
/// ```
///
/// A step costs two or three instructions. Loops inside of loops share one, or the inner one may never
/// come to its check.
public struct StopCheck: Sendable {
  @usableFromInline var left: UInt32
  @usableFromInline let interval: UInt32

  /// Makes a check.
  ///
  /// - Parameter interval: the number of steps after which the operation is asked: few enough to take
  ///   a few milliseconds at most.
  public init(every interval: UInt32 = 64) {
    self.interval = max(1, interval)
    left = self.interval
  }

  /// Counts a step.
  ///
  /// - Throws: `deadlineExceeded` after the deadline, `CancellationError` after a cancellation.
  @inlinable @inline(__always)
  public mutating func step() throws {
    left &-= 1
    if left == 0 { try look() }
  }

  @inline(never) @usableFromInline
  mutating func look() throws {
    // Once the operation is to end, each step throws.
    left = 1
    try RunningOperation.check()
    left = interval
  }
}
