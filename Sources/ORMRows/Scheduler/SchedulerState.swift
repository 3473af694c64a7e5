/// The rules of clause 6.1 to 6.3 and 6.7 as a value: which blocks run, wait, and come next.
///
/// Its mutating methods are the events. They return the work to be done as an `Entry` or as
/// `Action` values. It takes no lock, starts no thread and reads no clock. `TransactionScheduler`
/// holds one under its lock and performs the actions.
///
/// A running block holds a *slot*: the writer's slot, or one of `readerSlots`. Streams are counted
/// separately. A waiter is a value in a queue, not a closure or a thread. The running writer can
/// take successive sharing waiters from the head of `writers` into its slot and its commit
/// (`takeFollower`).
///
/// A store whose writers run together has several writer slots. While a block with a ticket runs,
/// no writer that came later begins (`SchedulerState+Writers`).
struct SchedulerState: Equatable, Sendable {
  /// The limits on concurrent readers and streams, and on waiting times, in nanoseconds.
  struct Limits: Equatable, Sendable {
    var readers: Int
    var streams: Int
    /// The number of writer slots; 1 unless the store keeps writers that run together apart.
    var writers = 1
    var writerWait: UInt64
    var readerWait: UInt64
  }

  /// The phase of the scheduler, which decides whether it admits requests.
  enum Phase: Equatable, Sendable {
    case open
    /// Waiting requests are still admitted, new ones are not.
    case closing
    case closed
  }

  /// A request to run a block.
  enum Request: Equatable, Sendable {
    /// A write block. A ticketed one is pending from its request on: later reads wait for it. One
    /// that shares may become part of another's commit.
    case write(ticketed: Bool, shares: Bool = false)
    /// A read block; for the newest commit it does not wait for tickets.
    case read(consistency: ReadConsistency)
  }

  /// The slot in which a block runs.
  enum Slot: Hashable, Sendable {
    case writer
    /// A further writer slot, of a store whose writers run together.
    case otherWriter(Int)
    case reader(Int)

    /// The name of the slot's queue; an enumeration in a text would be printed by reflection.
    var name: String {
      switch self {
      case .writer: "writer"
      case .otherWriter(let number): "otherWriter \(number)"
      case .reader(let number): "reader \(number)"
      }
    }
  }

  /// The block that holds a slot.
  struct SlotOwner: Equatable, Sendable {
    /// The number of the ticket that ends with this block.
    var ticket: UInt64?
    /// The block's thread; nil until it has one.
    var thread: ThreadIdentity?
    /// The numbers of the tickets of the operations that joined the block.
    var followers: [UInt64] = []

    /// True if later requests wait for the block.
    var isTicketed: Bool { ticket != nil || !followers.isEmpty }
  }

  /// A waiter for a slot or a stream.
  struct Waiter: Identifiable, Equatable, Sendable {
    /// Its number, given in the order of coming.
    var id: UInt64
    /// The time at which it stops waiting.
    var deadline: UInt64
    /// The thread that is blocked for it; nil when none is.
    var thread: ThreadIdentity?
    /// Of a ticketed write its own ticket, of a read the last one it waits for.
    var ticket: UInt64?
    /// True if it may join the writer before it, whose slot it then never needs.
    var shares = false
  }

  /// A write that was promised to later reads and has not ended.
  struct Ticket: Identifiable, Equatable, Sendable {
    var id: UInt64
  }

  /// The answer to a caller that asks for a slot.
  enum Entry: Equatable, Sendable {
    /// Runs now, in this slot.
    case outer(Slot)
    /// Runs now, inside the thread's block in this slot.
    case nested(Slot)
    /// Nothing has changed; call `queue` to join the queue.
    case mustWait
    case refused(Refusal)
  }

  /// The reason why an operation is not let in.
  enum Refusal: Error, Equatable, Sendable {
    case reentrancy
    case busy
    case closed
  }

  /// An action for the owner of the lock to perform.
  enum Action: Equatable, Sendable {
    /// The waiter runs in this slot, which it now holds.
    case admit(UInt64, Slot)
    /// The waiter's stream is open, and counted.
    case open(UInt64)
    /// The waiter has left the queue without a slot.
    case refuse(UInt64, Refusal)
    /// Call `tick` at this time.
    case alarm(UInt64)
    /// The last block has ended of a scheduler that is closing.
    case idle
  }

  let limits: Limits
  var phase = Phase.open
  /// The number of the next to wait or to take a ticket.
  var nextID: UInt64 = 1

  var writer: SlotOwner?
  /// The blocks in the further writer slots; empty unless the limits have several.
  var otherWriters: [SlotOwner?]
  var writers = WaitQueue<Waiter>()
  /// The tickets not yet done, those of queued and running blocks.
  var tickets = WaitQueue<Ticket>()

  var readerSlots: [SlotOwner?]
  /// The numbers of the empty readerSlots.
  ///
  /// The one left last is taken first: its memory is warm.
  var freeReaderSlots: [Int]
  /// The reads that respect tickets.
  var readers = WaitQueue<Waiter>()
  /// The reads that do not, and so overtake those that wait for a ticket.
  var latestCommitReaders = WaitQueue<Waiter>()

  var openStreams = 0
  var streams = WaitQueue<Waiter>()

  /// The time for which the next `tick` was asked for.
  var alarm: UInt64?

  /// An open scheduler without blocks and waiters.
  init(limits: Limits) {
    self.limits = limits
    otherWriters = Array(repeating: nil, count: limits.writers - 1)
    readerSlots = Array(repeating: nil, count: limits.readers)
    freeReaderSlots = Array((0..<limits.readers).reversed())
  }
}
