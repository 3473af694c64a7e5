internal import Dispatch
internal import Synchronization

/// A watch for the commits of others, for a scheduler: it holds a ``CommitWatchState`` under its lock and
/// performs its decisions.
///
/// The number is asked for in a writer slot alone. In a store with one such slot, neither another look
/// nor a commit of this process comes between reading the number and comparing it. Looks follow one
/// another anyway.
final class CommitWatch: Sendable {
  private struct Guarded {
    var state = CommitWatchState()
    var interval: DispatchTimeInterval = .seconds(1)
    var number: (@Sendable () throws -> UInt64?)?
    var onError: (@Sendable (any Error) -> Void)?
    /// The text of the last look's error, stored so that one fault is reported once.
    var fault: String?
  }

  private let guarded = Lock(Guarded())
  /// Held during a look.
  private let looking = Lock<Void>(())
  private let queue = DispatchQueue(label: "ORM.TransactionScheduler.watch")
  /// True while there are listeners; read at every commit.
  private let hasListeners = Atomic(false)

  /// The shortest time between two looks: less would only warm the machine.
  private static var leastInterval: Int { 1_000_000 }

  /// True if a commit has to look before it is announced.
  var isLooking: Bool { hasListeners.load(ordering: .acquiring) }

  /// Sets the number by which commits of others are known, and the interval of looks.
  func set(
    interval: Duration, _ number: @escaping @Sendable () throws -> UInt64?,
    _ onError: @escaping @Sendable (any Error) -> Void
  ) {
    let (seconds, attoseconds) = interval.components
    // A day is as good as for ever, and fits.
    let nanoseconds =
      Int(min(max(seconds, 0), 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    guarded.withLock { guarded in
      guarded.interval = .nanoseconds(max(nanoseconds, Self.leastInterval))
      guarded.number = number
      guarded.onError = onError
    }
  }

  /// Looks once, in a writer slot, and reports it if others have committed since the last look.
  func look(_ report: () -> Void) {
    looking.withLock { _ in if hasSeenOthers() { report() } }
  }

  private func hasSeenOthers() -> Bool {
    guard let number = guarded.withLock({ $0.number }) else { return false }
    do {
      guard let seen = try number() else { return false }
      return guarded.withLock { guarded in
        guarded.fault = nil
        return guarded.state.saw(seen)
      }
    } catch {
      let fault = "\(error)"
      let onError = guarded.withLock { guarded in
        defer { guarded.fault = fault }
        return guarded.fault == fault ? nil : guarded.onError
      }
      onError?(error)
      return false
    }
  }

  /// Begins to look: `look` is called at every interval until `goesOn` returns false.
  ///
  /// Does nothing if it is looking already.
  func begin(_ look: @escaping @Sendable () -> Void, while goesOn: @escaping @Sendable () -> Bool) {
    let interval = guarded.withLock { guarded -> DispatchTimeInterval? in
      guard guarded.number != nil, guarded.state.listen() else { return nil }
      hasListeners.store(true, ordering: .releasing)
      return guarded.interval
    }
    if let interval { schedule(after: interval, look, goesOn) }
  }

  private func schedule(
    after interval: DispatchTimeInterval, _ look: @escaping @Sendable () -> Void,
    _ goesOn: @escaping @Sendable () -> Bool
  ) {
    queue.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self else { return }
      let mayGoOn = guarded.withLock { guarded -> Bool in
        let mayGoOn = guarded.state.goOn(hasListeners: goesOn())
        if !mayGoOn { self.hasListeners.store(false, ordering: .releasing) }
        return mayGoOn
      }
      if mayGoOn {
        look()
        schedule(after: interval, look, goesOn)
      }
    }
  }
}
