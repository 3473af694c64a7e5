public import FoundationEssentials

/// The options for opening a store, the same for every kind of store.
///
/// ```swift
/// var options = StoreOptions()
/// options.durability = .normal
/// options.readers = 4
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema, options: options)
/// ```
public struct StoreOptions: Sendable {
  /// The time at which a commit is safe.
  public var durability: Durability = .full
  /// True if the store is opened for reading alone; the file must exist.
  public var isReadOnly = false
  /// The number of read blocks that may run at once; more wait in turn.
  public var readers = 8
  /// The time a writer waits for its turn, here and behind other processes, before `busy`.
  public var writerWait: Duration = .seconds(30)
  /// The time after the first followers in which more may join a shared commit, whose leader waits.
  ///
  /// Tests that count followers set it so long that the machine's load does not matter.
  package var joining = Duration.milliseconds(5)
  /// The time a read waits, before `busy`, for its turn and for writes that are pending through
  /// blocks with a completion handler.
  public var readerWait: Duration = .seconds(30)
  /// The time that an operation or a block may take when it names none; nil for any (clause 6.10).
  ///
  /// ```swift
  /// options.operationLimit = .seconds(5)
  /// ```
  ///
  /// It is a limit for programs that run conditions of strangers. It counts from the call and includes
  /// the wait for a turn; a stream has it anew for each batch. An operation that is not done by then
  /// throws `deadlineExceeded` and has changed nothing.
  public var operationLimit: Duration?
  /// The interval at which commits of other processes are looked for, while commits are observed.
  public var noticeInterval: Duration = .milliseconds(250)
  /// The number of streams that may be open at once.
  public var streams = 4
  /// After how long without being asked for an element a stream loses its snapshot.
  public var streamExpiry: Duration = .seconds(60)
  /// The largest page `page(_:size:)` takes.
  public var maximumPageSize = 1000
  /// The largest single value, in bytes.
  public var maximumValueSize = 256 << 20
  /// The limits of conditions.
  public var conditionLimits = ConditionLimits()
  /// The merge policy of every save that names none.
  public var merge: Merge = .replace
  /// The policy for a file that has another schema.
  public var schemaPolicy: SchemaPolicy = .additive
  /// The options of the migration that ``schemaPolicy`` may ask for.
  public var migration = MigrationOptions()
  /// Returns the free bytes of the volume that holds a path, or nil; tests set it.
  package var freeSpace: @Sendable (String) -> Int? = { FileSystem.freeSpace(at: $0) }
  /// A handler of the events of an opening that migrates or recreates the store, called in their order.
  ///
  /// It runs on the thread that opens the store, which is not open yet: do not open it here.
  public var onSchemaEvent: (@Sendable (SchemaEvent) -> Void)?
  /// The openings at which the structure of a file is verified.
  public var verification: Verification = .afterUncleanClose
  /// The author that change sets name for writes of this store, unless the writing task has one.
  public var author: String?
  /// The most changes of an entity's rows that a commit reports one by one; beyond them it reports
  /// that any row may have changed.
  public var maximumChanges = 100_000
  /// The policy for the history of changes; a new store keeps none unless it is set.
  public var history = HistoryPolicy.asStored
  /// True if every commit is followed by a fetch for each observation of a query or of a block.
  ///
  /// An observation whose value differs from it ends with an error. For tests, on stores that no other
  /// process writes.
  public var verifiesObservations = false
  /// Returns the present time for the timestamps that rows, conditions and change sets hold; nil for the
  /// clock of the system.
  ///
  /// ```swift
  /// options.now = { Date(timeIntervalSinceReferenceDate: 0) }
  /// ```
  ///
  /// For tests whose timestamps must not change from run to run. Waits and deadlines use the system's clock.
  public var now: (@Sendable () -> Date)?
  /// Returns the UUIDs of new keys and of attributes with the default `.uuid`; nil for random ones.
  ///
  /// The closure may be called for objects that are not stored after all. A UUID that it returns twice as a
  /// key is a `duplicate`.
  public var uuids: (@Sendable () -> UUID)?
  /// The observers of the store, such as logs, metrics and traces; none by default.
  ///
  /// ```swift
  /// options.instruments = [.standardError]
  /// ```
  ///
  /// A store without instruments pays nothing for them.
  public var instruments: [any StoreInstrument] = []
  /// The limits beyond which instruments are warned.
  public var instrumentLimits = InstrumentLimits()
  /// A handler of failures that no caller receives; writes to standard error unless set.
  public var onError: (@Sendable (any Error) -> Void)?

  /// The defaults.
  public init() {}

  /// The time at which a commit is safe from a power cut.
  ///
  /// ```swift
  /// options.durability = .normal
  /// ```
  ///
  /// All preserve consistency.
  public enum Durability: String, Hashable, Codable, Sendable {
    /// At the return of the write: the file was synced before.
    case full
    /// Soon: a power cut may lose the last commits, a killed process none.
    case normal
    /// At a time that the operating system chooses.
    case off
  }

  /// The treatment of attributes that a saved object leaves nil (clause 5.4).
  ///
  /// ```swift
  /// var options = StoreOptions()
  /// options.merge = .skippingNil
  /// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema, options: options)
  /// try store.save(snack)                        // nil keeps the stored value
  /// try store.save(snack, merge: .replace)       // nil is written
  /// ```
  public enum Merge: String, Hashable, Codable, Sendable {
    /// Every attribute becomes the object's, nil included.
    case replace
    /// Nil keeps the stored value.
    case skippingNil
    /// Objects that exist are left alone, and the others are inserted.
    case insertOnly
  }

  /// A policy for opening a file that has another schema (clauses 7.5 and 10.1 to 10.13).
  ///
  /// ```swift
  /// options.schemaPolicy = .migrate(plan)
  /// ```
  public enum SchemaPolicy: Sendable {
    /// Additions are made, entities and columns that are not declared stay, any other difference is
    /// `schemaMismatch`.
    case additive
    /// Any difference is `schemaMismatch`.
    case strict
    /// An older store is migrated, a `MigrationPlan` for one; then as `additive`.
    case migrate(any SchemaMigration)

    /// True for ``strict``.
    public var isStrict: Bool { if case .strict = self { true } else { false } }
    /// The migration of ``migrate(_:)``.
    public var migration: (any SchemaMigration)? {
      if case .migrate(let migration) = self { migration } else { nil }
    }
  }

  /// The openings at which the structure of a file is verified.
  ///
  /// ```swift
  /// options.verification = .afterUncleanClose
  /// ```
  public enum Verification: String, Hashable, Codable, Sendable {
    /// Each time.
    case always
    /// At an opening of a file that was not closed cleanly.
    case afterUncleanClose
    /// The checks that opening needs, and no others.
    case never
  }
}

/// The limits inside which every condition works on every store (clause 7.1).
///
/// ```swift
/// options.conditionLimits.depth = 50
/// ```
public struct ConditionLimits: Hashable, Codable, Sendable {
  /// The greatest depth to which a condition may nest.
  public var depth = 200
  /// The number of elements its lists may hold, together.
  public var listItems = 100_000
  /// The greatest length of a format string, in bytes.
  public var formatBytes = 1 << 20

  /// The defaults.
  public init() {}
}
