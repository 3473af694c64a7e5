/// The limits on concurrent blocks and streams of a store, and on waiting for them.
package struct SchedulerOptions: Sendable {
  /// The longest time that a writer waits behind other writers before it throws `busy`.
  package var writerWait: Duration = .seconds(30)
  /// The longest time that a read or a stream waits before it throws `busy`.
  ///
  /// A read waits for a slot or for pending writes, a stream for a slot. A wait without end is a
  /// deadlock of the program, which this limit ends.
  package var readerWait: Duration = .seconds(30)
  /// The most read blocks that run at once, at least 1; further ones wait in turn.
  package var readers = 8
  /// The number of write blocks that run at once, at least 1: more for a store that keeps them apart.
  package var writers = 1
  /// The time that a block may take that names none; nil for any.
  package var operationLimit: Duration?
  /// The number of streams that may be open at once, at least 1.
  package var streams = 4
  /// For how long after the first followers more may join a shared commit, whose leader waits for
  /// it; tests that count followers set it so long that the machine's load does not matter.
  package var joining = Duration.milliseconds(5)

  /// The defaults.
  package init() {}

  /// The limits that a store was opened with.
  init(_ options: StoreOptions) {
    writerWait = options.writerWait
    readerWait = options.readerWait
    readers = options.readers
    streams = options.streams
    joining = options.joining
    operationLimit = options.operationLimit
  }

  /// The options as the state machine takes them.
  var limits: SchedulerState.Limits {
    SchedulerState.Limits(
      readers: max(1, readers), streams: max(1, streams), writers: max(1, writers),
      writerWait: Self.nanoseconds(writerWait), readerWait: Self.nanoseconds(readerWait))
  }

  /// The time to join a shared commit, in nanoseconds.
  var joiningTime: UInt64 { Self.nanoseconds(joining) }

  /// The duration in nanoseconds: none when negative, without end when it does not fit.
  private static func nanoseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }
}
