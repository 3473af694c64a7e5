internal import ORMRows
internal import ORMStorage
internal import Synchronization

/// The open stores of a coordinator, with the state of the commits that span them.
final class CoordinatorMembers: Sendable {
  let layout: MemberLayout
  let routing: RequestRouting
  let stores: [any Store]
  let options: StoreOptions
  let commits = CommitSequence()
  /// The entities as the changes of members are recorded.
  let recorded: RecordedSchema
  private let known = Lock(Known())
  /// True if a member lacks a commit; set with `known`, and read by each read without its lock.
  private let isDegraded = Atomic<Bool>(false)

  private struct Known {
    /// The number of the last entry of the journal.
    var number: UInt64 = 0
    /// True if the journal may have entries.
    var hasEntries = true
    /// The members that lack a commit, and why.
    var degraded: [Int: StoreError] = [:]
  }

  init(_ layout: MemberLayout, _ stores: [any Store], _ options: StoreOptions) {
    self.layout = layout
    self.stores = stores
    self.options = options
    routing = RequestRouting(layout)
    recorded = RecordedSchema(layout.schema)
  }

  func name(_ member: Int) -> String { layout.names[member] }

  /// The durable members other than the journal's.
  var others: [Int] {
    stores.indices.filter { layout.isDurable[$0] && $0 != layout.journal }
  }

  // MARK: - Degraded members

  /// Notes that a member lacks a commit that others have.
  func degrade(_ member: Int, _ cause: any Error) {
    let error = StoreError(
      .degraded,
      "the configuration \(name(member)) lacks the last commit, which it could not take: \(cause); "
        + (layout.isDurable[member]
          ? "it is tried again with the next write" : "open the coordinator again"),
      failures: (cause as? StoreError).map { [$0] } ?? [], store: stores[member].runtime.name)
    let isNew = known.withLock { known in
      isDegraded.store(true, ordering: .sequentiallyConsistent)
      return known.degraded.updateValue(error, forKey: member) == nil
    }
    if isNew { StoreRuntime.report(error, to: options) }
  }

  /// The error of a member that lacks a commit; nil if it has all of them.
  func degradation(of member: Int) -> StoreError? {
    guard isDegraded.load(ordering: .sequentiallyConsistent) else { return nil }
    return known.withLock { $0.degraded[member] }
  }

  /// Throws `degraded` while a member lacks a commit, once it was tried again.
  func checkIsWhole() throws {
    if known.withLock({ $0.degraded.isEmpty }) { return }
    if layout.isJournaled {
      let writer = try stores[layout.journal].writer(WriteTurn())
      defer { writer.end() }
      try settle(writer)
    }
    try checkIsSettled()
  }

  /// Throws `degraded` if a member lacks a commit.
  func checkIsSettled() throws {
    if let error = known.withLock({ $0.degraded.min { $0.key < $1.key }?.value }) { throw error }
  }

  // MARK: - The journal

  /// Applies to the members the entries of the journal that they lack: of a process that has ended, of
  /// another process, and of commits that failed.
  ///
  /// A member to which they cannot be applied is degraded.
  ///
  /// - Parameter journal: the writer of the journal's member, which has changed nothing.
  /// - Throws: `wrongStore` for a member of another time; `busy` while another process writes to one, and
  ///   `contended` if its transaction conflicted.
  func settle(_ journal: any StoreWriter) throws {
    guard layout.isJournaled, let state = try MemberRows.state(in: journal) else { return }
    let isSettled = known.withLock { $0.number == state.number && $0.degraded.isEmpty }
    if isSettled { return }
    // A member that is not settled in time would be degraded.
    let operation = RunningOperation.exchange(nil)
    defer { _ = RunningOperation.exchange(operation) }
    for member in others {
      do {
        try StoreError.naming(stores[member].runtime.name) {
          try settle(member, by: state, journal)
        }
        known.withLock { known in
          known.degraded[member] = nil
          isDegraded.store(!known.degraded.isEmpty, ordering: .sequentiallyConsistent)
        }
      } catch let error as StoreError
        where [.wrongStore, .busy, .closed, .contended].contains(error.code)
      {
        throw error
      } catch {
        degrade(member, error)
      }
    }
    known.withLock { known in
      known.number = state.number
      known.hasEntries = true
    }
  }

  private func settle(
    _ member: Int, by state: MemberState, _ journal: any StoreWriter
  ) throws {
    let writer = try stores[member].writer(WriteTurn())
    defer { writer.end() }
    guard var own = try MemberRows.state(in: writer) else { return }
    let settlement = Settlement(state, name(member), options)
    guard try settlement.run(&own, journal, writer, layout.parts[member]) else { return }
    try commits.single { try writer.commit() }
  }

  /// True if the journal may have entries that every member has by now.
  var hasEntries: Bool { known.withLock { $0.hasEntries } }

  /// Notes a commit.
  ///
  /// - Parameter number: the number of its entry in the journal; nil if it removed the entries.
  func didCommit(entry number: UInt64?) {
    known.withLock { known in
      if let number { known.number = number }
      known.hasEntries = number != nil
    }
  }
}

/// The application of the last entry of the journal to a member.
struct Settlement {
  private let state: MemberState
  private let member: String
  private let options: StoreOptions

  /// - Parameters:
  ///   - state: the state of the journal's member.
  ///   - member: the configuration that may lack the entry.
  init(_ state: MemberState, _ member: String, _ options: StoreOptions) {
    self.state = state
    self.member = member
    self.options = options
  }

  /// Makes the changes that the member lacks; returns false if it lacks none.
  ///
  /// The caller commits.
  ///
  /// - Parameters:
  ///   - own: the state of the member.
  ///   - journal: a view of the journal's member.
  ///   - writer: the writer of the member.
  ///   - schema: the schema that the writer answers by.
  /// - Throws: `wrongStore` if the member is of another coordinator, or of another time than the
  ///   journal.
  func run(
    _ own: inout MemberState, _ journal: any StoreReader, _ writer: any StoreWriter,
    _ schema: StoredSchema
  ) throws -> Bool {
    guard own.group == state.group else {
      throw StoreError(
        .wrongStore, "the configuration \(member) belongs to another coordinator")
    }
    let entries = state.entries[member] ?? MemberState.Entries(last: 0, before: 0)
    if own.applied == entries.last { return false }
    if own.applied == entries.before, entries.last == state.number,
      try MemberRows.hasEntries(in: journal)
    {
      try MemberRows.forEachFrame(of: state.number, in: journal) { bytes in
        let frame = try RedoFrame(bytes)
        if frame.member == member { try frame.apply(by: writer, schema) }
      }
    } else {
      try report(own, entries)
    }
    own.applied = entries.last
    try MemberRows.put(own, by: writer)
    return true
  }

  /// Throws that the member is of another time, or reports it where a power cut may lose commits.
  private func report(_ own: MemberState, _ entries: MemberState.Entries) throws {
    let isOlder = own.applied < entries.last
    let error = StoreError(
      .wrongStore,
      "the configuration \(member) is \(isOlder ? "older" : "newer") than the journal in "
        + "\(state.journal): its last common commit is \(own.applied), the journal's "
        + "\(entries.last); restore all configurations from copies of one time")
    if options.durability == .full { throw error }
    StoreRuntime.report(error, to: options)
  }
}
