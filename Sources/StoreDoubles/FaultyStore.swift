public import ORMCore

/// A store with faults that are asked for: steps of transactions that fail, wait, or are refused.
///
/// ```swift
/// let store = FaultyStore(MemoryStore(schema: schema), .fail(.commit, after: 2))
/// store.add(.delay(.read, by: .milliseconds(5)))
/// ```
///
/// Use it instead of the store that it wraps, not beside it: both share one runtime, and closing one
/// closes the other. Nothing of a transaction whose commit failed is stored. An error with the code
/// `contended` counts as a conflict with others: a store that runs such transactions again does so.
public final class FaultyStore: Store {
  private let counted: CountingStore
  private let state: Shared

  private struct State {
    var faults: [Fault]
    var failures = 0
  }

  /// The state, which the steps of the store share with it.
  private final class Shared: Sendable {
    let lock: Lock<State>

    init(_ state: State) { lock = Lock(state) }
  }

  /// A fault of a store, which counts steps from its making.
  public struct Fault: Sendable {
    /// Gets each step with its number since the beginning of the counts, and may let it fail.
    fileprivate let act: @Sendable (StoreStep, Int) throws -> Void

    /// Lets steps of a kind fail.
    ///
    /// - Parameters:
    ///   - step: the kind of the steps.
    ///   - passed: the number of steps that succeed before.
    ///   - count: the number of steps that fail; `.max` for all that follow.
    ///   - error: the error; for commits and writes `full` unless given, for other steps `inputOutput`.
    public static func fail(
      _ step: StoreStep, after passed: Int = 0, times count: Int = 1,
      with error: StoreError? = nil
    ) -> Fault {
      let isWrite = step == .commit || step == .write
      let error =
        error ?? StoreError(isWrite ? .full : .inputOutput, "the test lets a \(step) step fail")
      return counting(passed, count) {
        $0 == step
      } failing: {
        error
      }
    }

    /// Refuses steps of a kind, as if other transactions had come in the way; a store that runs such
    /// transactions again does so.
    public static func conflict(
      _ step: StoreStep = .commit, after passed: Int = 0, times count: Int = 1
    ) -> Fault {
      fail(
        step, after: passed, times: count,
        with: StoreError(.contended, "the test lets others come in the way"))
    }

    /// Lets each step fail after a number of steps of any kind, as if the process had ended.
    public static func end(after passed: Int) -> Fault {
      counting(passed, .max) { _ in
        true
      } failing: {
        StoreError(.inputOutput, "the test lets the process end")
      }
    }

    /// Delays each step of a kind.
    public static func delay(_ step: StoreStep, by time: Duration) -> Fault {
      call(step) { _ in try RunningOperation.sleep(for: time) }
    }

    /// Calls a closure before each step of a kind; an error that it throws is that of the step.
    ///
    /// The closure gets the number of the step, from 1, since the store was made or reset.
    public static func call(
      _ step: StoreStep, _ body: @escaping @Sendable (Int) throws -> Void
    ) -> Fault {
      Fault { if $0 == step { try body($1) } }
    }

    private static func counting(
      _ passed: Int, _ count: Int, _ isMeant: @escaping @Sendable (StoreStep) -> Bool,
      failing error: @escaping @Sendable () -> StoreError
    ) -> Fault {
      let seen = Lock(0)
      return Fault { step, _ in
        guard isMeant(step) else { return }
        let number = seen.withLock { seen in
          seen += 1
          return seen
        }
        if number > passed, number - passed <= count { throw error() }
      }
    }
  }

  /// Wraps a store.
  public init(_ base: any Store, _ faults: Fault...) {
    let state = Shared(State(faults: faults))
    self.state = state
    counted = CountingStore(base) { step, number in
      do {
        for fault in state.lock.withLock({ $0.faults }) { try fault.act(step, number) }
      } catch {
        state.lock.withLock { $0.failures += 1 }
        throw error
      }
    }
  }

  /// Adds a fault.
  public func add(_ fault: Fault) { state.lock.withLock { $0.faults.append(fault) } }

  /// Removes all faults.
  public func heal() { state.lock.withLock { $0.faults = [] } }

  /// Returns the number of steps of a kind so far, those that failed among them.
  public func count(of step: StoreStep) -> Int { counted.count(of: step) }

  /// The number of steps that failed so far.
  public var failures: Int { state.lock.withLock { $0.failures } }

  /// Begins all counts again, but not those of faults.
  public func reset() {
    counted.reset()
    state.lock.withLock { $0.failures = 0 }
  }

  /// The schema of the wrapped store.
  public var schema: StoredSchema { counted.schema }
  /// The runtime of the wrapped store.
  public var runtime: StoreRuntime { counted.runtime }
  /// Opens a reader with the faults.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try counted.reader(turn)
  }
  /// Opens a writer with the faults.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try counted.writer(turn)
  }
  /// Closes the wrapped store.
  public func close(_ turn: borrowing CloseTurn) throws { try counted.close(turn) }
}
