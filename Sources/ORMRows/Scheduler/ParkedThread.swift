internal import Dispatch

/// A thread that is blocked until the scheduler answers it.
final class ParkedThread<Grant: Sendable>: Sendable {
  private let answer = Lock<Result<Grant, SchedulerState.Refusal>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Answers and wakes the thread; to be called once.
  func resume(_ answer: Result<Grant, SchedulerState.Refusal>) {
    self.answer.withLock { $0 = answer }
    semaphore.signal()
  }

  /// Blocks the calling thread; nil when the time is over before the answer comes.
  func wait(until deadline: DispatchTime) -> Result<Grant, SchedulerState.Refusal>? {
    guard semaphore.wait(timeout: deadline) == .success else { return nil }
    return answer.withLock { $0 }
  }
}

extension ParkedThread: SlotWaiter where Grant == SchedulerState.Slot {
  func take(
    _ answer: TransactionScheduler.Answer<SchedulerState.Slot>, in scheduler: TransactionScheduler
  ) {
    resume(answer)
  }

  var sharing: (any SharingJob)? { nil }
}
