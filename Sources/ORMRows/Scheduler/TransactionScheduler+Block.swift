extension TransactionScheduler {
  /// A block that runs in a scheduler, for use on its own thread while it runs.
  ///
  /// A handle of two words; a copy used past the end of the block, or carried to another thread,
  /// is recognised: ``checkRunning()`` throws and ``current`` is nil.
  package struct Block {
    package let slot: BlockSlot
    let generation: UInt64

    /// The kind of access that a block has.
    package enum Kind: Hashable, Sendable {
      /// Look at one snapshot.
      case read
      /// Change the store.
      case write
    }

    /// True if this is a read or a write block.
    package var kind: Kind {
      if case .reader = slot.id { .read } else { .write }
    }

    /// True if operations of others have joined the block, to be committed with it.
    package var hasFollowers: Bool { isRunning && slot.group?.followers.isEmpty == false }

    /// The transaction that the operations keep for the block; nil before it is set and after the end.
    ///
    /// Let go when the block ends. Setting it on a block that does not run here does nothing.
    package var current: AnyObject? {
      get { isRunning ? slot.current : nil }
      nonmutating set { if isRunning { slot.current = newValue } }
    }

    /// True if the block still runs, and on the calling thread.
    package var isRunning: Bool { slot.isRunning(generation) }

    /// Throws `transactionEnded` when the block is over, or runs on another thread, and `forked` in a child
    /// of its process.
    package func checkRunning() throws {
      try slot.fork.check()
      guard isRunning else {
        throw StoreError(
          .transactionEnded,
          "A transaction can be used only inside its block, on the block's thread.")
      }
    }

    /// The reason to end before the commit point: the deadline, or the cancellation of the task that
    /// called.
    ///
    /// Sync operations and blocks with a completion handler belong to no task.
    package var stop: RunningOperation.Stop? {
      isRunning && slot.commitPoint != nil ? slot.operation.stop : nil
    }

    /// True if the task that called the operation was cancelled before the commit point.
    package var isCancelled: Bool { stop == .cancelled }

    /// Throws when the block is to end before its commit point: `deadlineExceeded`,
    /// `CancellationError`.
    package func checkStop() throws {
      if let stop { throw stop.error }
    }

    /// Passes the commit point (clause 6.4): to be called right before the commit.
    ///
    /// Throws when the calling task was cancelled or the deadline has passed before; the block must then
    /// roll back. Afterwards neither has an effect, and the outcome of the commit is reported. May be
    /// called again.
    package func beginCommit() throws {
      try checkRunning()
      guard let point = slot.commitPoint else { return try RunningOperation.check() }
      if !point.isPassed { try RunningOperation.check() }
      if !point.pass() { throw point.stop?.error ?? CancellationError() }
    }

    /// Lets the block be ended again: its commit was refused, and it is to be run once more.
    package func reopenCommitPoint() {
      if isRunning { slot.commitPoint?.reopen() }
    }
  }

  /// The form in which a body was admitted, with its block.
  package enum Admission {
    /// In a block of its own: a transaction begins and ends with it.
    case outer(Block)
    /// In a block of its thread: as a savepoint in a write, as a share in a read (clause 6.3).
    case nested(Block)
    /// In the write block of an earlier operation, to be committed with it: its errors and its commit
    /// point are its own.
    case following(Block)

    /// The block that the body runs in, its own or the one around it.
    @inlinable
    package var block: Block {
      switch self {
      case .outer(let block), .nested(let block), .following(let block): block
      }
    }
  }
}

@available(*, unavailable)
extension TransactionScheduler.Block: Sendable {}

@available(*, unavailable)
extension TransactionScheduler.Admission: Sendable {}
