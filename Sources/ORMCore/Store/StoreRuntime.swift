internal import Foundation
internal import Synchronization

/// What core keeps for one open store: its options, its transaction gate and the plans of its
/// models.
///
/// Whatever every store would otherwise repeat.
public final class StoreRuntime: Sendable {
  /// The options the store was opened with.
  public let options: StoreOptions
  /// The file that the store lies in, absolute and without symbolic links; nil for a store that
  /// has none.
  ///
  /// Beside it core keeps what the rows only refer to. Without a file that is kept in the store
  /// itself.
  public let file: String?
  /// The store's name in its errors: its file, or a few words where it has none.
  public let name: String
  /// The scheduler of the transactions of this store.
  package let gate: TransactionGate
  private let plans = Lock<[ObjectIdentifier: KeptPlan]>([:])
  /// The address of the plan asked for last, one of `plans`, or 0: the next verb is mostly of the
  /// same model, and needs neither the lock nor the dictionary.
  private let lastPlan = Atomic<UInt>(0)
  /// 0 while it is not known, 1 for true.
  private let directness = Atomic<UInt8>(0)

  /// Makes the runtime of a store that is being opened.
  ///
  /// - Parameters:
  ///   - options: the options that the store is opened with.
  ///   - file: the one file that the store lies in, if it changes it in place.
  ///   - name: the store's name in its errors, where it has no such file.
  public init(options: StoreOptions = StoreOptions(), file: String? = nil, name: String? = nil) {
    self.options = options
    self.file = file
    self.name = file ?? name ?? "a store without a file"
    var gateOptions = GateOptions()
    gateOptions.writerWait = options.writerWait
    gateOptions.readerWait = options.readerWait
    gateOptions.readers = options.readers
    gateOptions.streams = options.streams
    gateOptions.joining = options.joining
    gate = TransactionGate(options: gateOptions)
  }

  /// Says by what number the commits of others are noticed, as
  /// `TransactionGate.watchOthers(every:by:onError:)` does.
  ///
  /// To be called by a store whose file others may write, when it is opened.
  public func watchOthers(by number: @escaping @Sendable () throws -> UInt64?) {
    // Nothing refers weakly to the runtime: counting the references of an object that something
    // does takes several times as long, and every verb counts some.
    gate.watchOthers(every: options.noticeInterval, by: number) { [options] in
      Self.report($0, to: options)
    }
  }

  /// Whether the verbs are known to use the engine's readers and writers as they are.
  package var isDirect: Bool { directness.load(ordering: .relaxed) == 1 }

  /// Says that the verbs use the engine's readers and writers as they are.
  package func becomeDirect() { directness.store(1, ordering: .relaxed) }

  /// What was made for a type once, or is made now and kept as long as the store is.
  package func plan<Plan: AnyObject & Sendable>(
    for type: Any.Type, _ make: () throws -> Plan
  ) throws -> Plan {
    let key = ObjectIdentifier(type)
    if let last = UnsafeRawPointer(bitPattern: lastPlan.load(ordering: .acquiring)),
      let plan = Unmanaged<KeptPlan>.fromOpaque(last)._withUnsafeGuaranteedRef({
        $0.type == key ? $0.plan(Plan.self) : nil
      })
    {
      return plan
    }
    let kept = try plans.withLock({ $0[key] }) ?? keep(KeptPlan(type: key, plan: try make()))
    let address = UInt(bitPattern: Unmanaged.passUnretained(kept).toOpaque())
    lastPlan.store(address, ordering: .releasing)
    guard let plan = kept.plan(Plan.self) else {
      // Callers rely on what they get being kept.
      throw StoreError(.engine, "two sorts of plans were asked for by the type \(type)")
    }
    return plan
  }

  /// The plan that was asked for last, if it was asked for by this type: for callers who know its
  /// class by the type, and hold the runtime as long as they use it.
  ///
  /// Nothing of the plan's own class is looked up, which is most of what ``plan(for:_:)`` costs where
  /// the class is generic.
  package func lastPlan(for type: Any.Type) -> UnsafeRawPointer? {
    guard let last = UnsafeRawPointer(bitPattern: lastPlan.load(ordering: .acquiring)) else {
      return nil
    }
    let key = ObjectIdentifier(type)
    return Unmanaged<KeptPlan>.fromOpaque(last)._withUnsafeGuaranteedRef { kept in
      kept.type == key
        ? UnsafeRawPointer(Unmanaged.passUnretained(kept.plan as AnyObject).toOpaque()) : nil
    }
  }

  /// Keeps a plan, unless there is one of its type already; gives the one that is kept.
  private func keep(_ plan: KeptPlan) -> KeptPlan {
    plans.withLock { plans in
      if let earlier = plans[plan.type] { return earlier }
      plans[plan.type] = plan
      return plan
    }
  }

  /// What was made for a type: never let go before the runtime is.
  private final class KeptPlan: Sendable {
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
      .readOnly,
      .fileReplaced, .unsupportedVersion, .full, .inputOutput, .cannotOpen:
      error.naming(name)
    default: error
    }
  }

  /// Tells of a failure that nobody else is told of: to `onError`, or on standard error.
  package func report(_ error: any Error) { Self.report(error, to: options) }

  private static func report(_ error: any Error, to options: StoreOptions) {
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
