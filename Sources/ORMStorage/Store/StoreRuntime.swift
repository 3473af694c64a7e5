internal import Foundation
package import ORMValues
internal import Synchronization

/// The state of one open store that every store would otherwise keep itself: its options, its name in
/// errors, the transaction scheduler and the plans of the modules above.
public final class StoreRuntime: Sendable {
  /// The options the store was opened with.
  public let options: StoreOptions
  /// The file that the store lies in, absolute and without symbolic links; nil for a store that
  /// has none.
  ///
  /// Beside it core stores the contents to which rows only refer. Without a file they are stored in the
  /// store itself.
  public let file: String?
  /// The store's name in its errors: its file, or a few words where it has none.
  public let name: String
  /// The kind of store, for instruments and metrics.
  package let system: String
  /// The Swift types of the models of its schema, by their names; empty for a store that knows its
  /// schema by the file alone.
  package let models: [String: StoredModel]
  /// The store's instruments; nil for a store without any.
  package let monitor: StoreMonitor?
  /// A number that changes with every commit of others; nil where no store gives one.
  private let othersNumber = Lock<(@Sendable () throws -> UInt64?)?>(nil)
  /// The functions that tell of the store's connections; nil for a store without any.
  private let connections = Lock<ConnectionSource?>(nil)
  /// The terms on which writers run together; nil for a store with one writer at a time.
  private let concurrency = Lock<ConcurrentWriters?>(nil)
  /// The object that runs the store's transactions, made by the module that does.
  private let scheduler = OnceReference<CachedPlan>()
  private let plans = Lock<[ObjectIdentifier: CachedPlan]>([:])
  /// The last of `plans` that was asked for by a model.
  private let lastModelPlan = LastReference<CachedPlan>()
  /// The last of the other `plans` that was asked for.
  private let lastPlan = LastReference<CachedPlan>()
  /// 0 while it is not known, 1 for true.
  private let directness = Atomic<UInt8>(0)
  /// The last timestamp of an operation that hid rows, in seconds, where the program sets the clock.
  package let lastDeletion = Lock(-Double.infinity)
  /// True once a writer of the store was asked and turned out to be no ``TripSavingWriter``.
  private let savesNoTrips = Atomic(false)

  /// Makes the runtime of a store that is being opened.
  ///
  /// - Parameters:
  ///   - options: the options that the store is opened with.
  ///   - file: the one file of the store, if the store changes it without replacing it.
  ///   - name: the store's name in its errors, where it has no such file.
  ///   - system: the kind of store, for instruments and metrics.
  package convenience init(
    options: StoreOptions = StoreOptions(), file: String? = nil, name: String? = nil,
    system: String = "other"
  ) {
    self.init(models: [:], options: options, file: file, name: name, system: system)
  }

  /// Makes the runtime of a store whose models are known.
  package init(
    models: [String: StoredModel], options: StoreOptions = StoreOptions(), file: String? = nil,
    name: String? = nil, system: String = "other"
  ) {
    let shown = file ?? name ?? "a store without a file"
    let monitor = StoreMonitor(
      options.instruments, limits: options.instrumentLimits, name: shown, system: system)
    self.models = models
    var options = options
    if let monitor {
      let handler = options.onSchemaEvent
      options.onSchemaEvent = { event in
        handler?(event)
        monitor.changed(event)
      }
    }
    self.options = options
    self.file = file
    self.name = shown
    self.system = system
    self.monitor = monitor
  }

  /// Sets the number by which commits of others are noticed: other processes, and other stores on
  /// the same file.
  ///
  /// A store whose file others may write calls it when it is opened, before its first transaction.
  ///
  /// - Parameter number: a number that changes with every commit of others, and with none of this
  ///   store; nil when it cannot be known. It is asked for on any thread while commits are observed, and only
  ///   while no write transaction of this store is under way. One that is about to commit is the exception.
  public func watchOthers(by number: @escaping @Sendable () throws -> UInt64?) {
    othersNumber.withLock { $0 = number }
  }

  /// The number that ``watchOthers(by:)`` was given.
  package var commitsOfOthers: (@Sendable () throws -> UInt64?)? { othersNumber.withLock { $0 } }

  /// The functions that tell of the store's connections; nil for a store without any.
  package var connectionSource: ConnectionSource? { connections.withLock { $0 } }

  /// Sets the functions that tell of the store's connections; to be called when the store is opened.
  package func showConnections(of source: ConnectionSource) {
    connections.withLock { $0 = source }
  }

  /// The terms on which writers run together; nil for a store with one writer at a time.
  package var concurrentWriters: ConcurrentWriters? { concurrency.withLock { $0 } }

  /// Lets several writers run together, which the store keeps apart; to be called when the store is
  /// opened, before its first transaction.
  package func runWritersTogether(_ terms: ConcurrentWriters) {
    concurrency.withLock { $0 = terms }
  }

  /// The object that runs the store's transactions, made at the first call.
  ///
  /// Not generic in its class: generic code of another module looks types up at every call.
  package func scheduler(
    _ make: () -> any AnyObject & Sendable
  ) -> any AnyObject & Sendable {
    if let cached = scheduler.object { return cached.plan }
    let made = make()
    return scheduler.keep(CachedPlan(type: ObjectIdentifier(type(of: made)), plan: made)).plan
  }

  /// True if the operations are known to use the engine's readers and writers as they are.
  package var isDirect: Bool { directness.load(ordering: .relaxed) == 1 }

  /// Says that the operations use the engine's readers and writers as they are.
  package func becomeDirect() { directness.store(1, ordering: .relaxed) }

  /// Returns a writer of the store as one that saves trips; nil if it does not.
  ///
  /// If one was refused, none is cast any more: a cast is not to be on the path of every save.
  package func tripSaving(_ writer: any StoreWriter) -> (any TripSavingWriter)? {
    if savesNoTrips.load(ordering: .relaxed) { return nil }
    if let saving = writer as? any TripSavingWriter { return saving }
    savesNoTrips.store(true, ordering: .relaxed)
    return nil
  }

  /// Returns the plan of a type, which is made at the first call and cached as long as the store exists.
  package func plan<Plan: AnyObject & Sendable>(
    for type: Any.Type, _ make: () throws -> Plan
  ) throws -> Plan {
    let key = ObjectIdentifier(type)
    if let last = lastPlan.object(where: { $0.type == key }),
      let plan = last._withUnsafeGuaranteedRef({ $0.plan(Plan.self) })
    {
      return plan
    }
    let cached = try cached(key, make)
    lastPlan.set(cached)
    return try plan(of: cached)
  }

  /// Returns the plan of a model, which ``lastPlan(ofModel:)`` then finds.
  package func plan<Plan: AnyObject & Sendable>(
    ofModel model: Any.Type, _ make: () throws -> Plan
  ) throws -> Plan {
    let cached = try cached(ObjectIdentifier(model), make)
    lastModelPlan.set(cached)
    return try plan(of: cached)
  }

  /// The plan of a model, if it is the one that was asked for last.
  ///
  /// The caller knows the plan's class by the model, and holds the runtime as long as it uses the
  /// plan. Nothing of a generic class is looked up, which is most of the cost of ``plan(for:_:)``.
  package func lastPlan(ofModel model: Any.Type) -> UnsafeRawPointer? {
    let key = ObjectIdentifier(model)
    return lastModelPlan.object(where: { $0.type == key })?._withUnsafeGuaranteedRef { cached in
      UnsafeRawPointer(Unmanaged.passUnretained(cached.plan as AnyObject).toOpaque())
    }
  }

  /// Returns the plan under a key, made if there is none.
  private func cached<Plan: AnyObject & Sendable>(
    _ key: ObjectIdentifier, _ make: () throws -> Plan
  ) throws -> CachedPlan {
    if let known = plans.withLock({ $0[key] }) { return known }
    let made = CachedPlan(type: key, plan: try make())
    return plans.withLock { plans in
      if let earlier = plans[key] { return earlier }
      plans[key] = made
      return made
    }
  }

  private func plan<Plan: AnyObject & Sendable>(of cached: CachedPlan) throws -> Plan {
    guard let plan = cached.plan(Plan.self) else {
      // Callers rely on the result being retained.
      throw StoreError(.engine, "the runtime already has a plan of another type under its key")
    }
    return plan
  }

  /// The plan that was made for a type, which is retained until the runtime ends.
  private final class CachedPlan: Sendable {
    let type: ObjectIdentifier
    let plan: any AnyObject & Sendable

    init(type: ObjectIdentifier, plan: any AnyObject & Sendable) {
      self.type = type
      self.plan = plan
    }

    /// The plan, if it is of this very class; a cast would cost more than the rest of a look-up.
    @inline(__always)
    func plan<Plan: AnyObject & Sendable>(_ class: Plan.Type) -> Plan? {
      Swift.type(of: plan) == Plan.self ? unsafeDowncast(plan, to: Plan.self) : nil
    }
  }

  /// The error of a transaction, with the store's name where the error is about the store.
  package func named(_ error: StoreError) -> StoreError {
    switch error.code {
    case .notADatabase, .corrupt, .schemaMismatch, .schemaTooNew, .busy, .closed, .forked,
      .readOnly, .deadlineExceeded,
      .fileReplaced, .unsupportedVersion, .full, .inputOutput, .cannotOpen:
      error.naming(name)
    default: error
    }
  }

  /// Reports a failure that no caller receives: to `onError`, or on standard error.
  package func report(_ error: any Error) {
    monitor?.failed(error)
    Self.report(error, to: options)
  }

  package static func report(_ error: any Error, to options: StoreOptions) {
    if let onError = options.onError {
      onError(error)
    } else {
      reportToStandardError(error)
    }
  }

  /// Writes a failure to standard error.
  package static func reportToStandardError(_ error: any Error) {
    FileHandle.standardError.write(Data("strata: \(error)\n".utf8))
  }
}
