internal import ORMStorage

extension StoreRuntime {
  /// The scheduler of the transactions of this store.
  package var transactions: TransactionScheduler {
    let object = scheduler {
      var limits = SchedulerOptions(options)
      limits.writers = concurrentWriters?.maximum ?? 1
      let transactions = TransactionScheduler(options: limits, monitor: monitor)
      if let number = commitsOfOthers {
        // Nothing refers weakly to the runtime: counting the references of an object that something
        // does takes several times as long, and every operation counts some.
        transactions.watchOthers(every: options.noticeInterval, by: number) { [options] in
          Self.report($0, to: options)
        }
      }
      return transactions
    }
    // Invariant: only this property gives a runtime its scheduler.
    return unsafeDowncast(object, to: TransactionScheduler.self)
  }
}
