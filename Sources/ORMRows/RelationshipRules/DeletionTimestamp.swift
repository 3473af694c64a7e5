package import FoundationEssentials
internal import ORMStorage

/// A source of timestamps: each operation that hides rows has one of its own, by which a restore finds
/// the rows hidden together.
package enum DeletionTimestamp {
  private static let last = Lock(-Double.infinity)
  /// The time, in seconds, below which a lag behind the last timestamp is corrected.
  ///
  /// Clocks may give the same time twice. A time that equals the last timestamp, or lies less than
  /// this before it, is replaced by the next greater timestamp.
  private static let closest = 0.001

  /// The current time, or one just after the last timestamp.
  ///
  /// The last timestamp is that of the store if the program sets the clock, so that other stores
  /// of the process leave no trace in it.
  package static func next(of runtime: StoreRuntime) -> Date {
    let now = runtime.now.timeIntervalSinceReferenceDate
    func next(_ last: inout Double) -> Date {
      last = now <= last && last - now < closest ? last.nextUp : now
      return Date(timeIntervalSinceReferenceDate: last)
    }
    return runtime.options.now == nil
      ? last.withLock { next(&$0) } : runtime.lastDeletion.withLock { next(&$0) }
  }
}
