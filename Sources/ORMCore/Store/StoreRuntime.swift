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
  /// Who may read and write, and when.
  public let gate: TransactionGate
  private let plans = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])
  /// 0 while it is not known, 1 for true.
  private let directness = Atomic<UInt8>(0)

  /// Makes the runtime of a store that is being opened.
  ///
  /// - Parameter file: the one file that the store lies in, if it changes it in place.
  public init(options: StoreOptions = StoreOptions(), file: String? = nil) {
    self.options = options
    self.file = file
    var gateOptions = GateOptions()
    gateOptions.writerWait = options.writerWait
    gateOptions.readerWait = options.readerWait
    gateOptions.readers = options.readers
    gateOptions.streams = options.streams
    gate = TransactionGate(options: gateOptions)
  }

  /// Says by what number the commits of others are noticed; see
  /// ``TransactionGate/watchOthers(every:by:onError:)``.
  ///
  /// To be called by a store whose file others may write, when it is opened.
  public func watchOthers(by number: @escaping @Sendable () throws -> UInt64?) {
    gate.watchOthers(every: options.noticeInterval, by: number) { [weak self] in self?.report($0) }
  }

  /// Whether the verbs are known to use the engine's readers and writers as they are.
  package var isDirect: Bool { directness.load(ordering: .relaxed) == 1 }

  /// Says that the verbs use the engine's readers and writers as they are.
  package func becomeDirect() { directness.store(1, ordering: .relaxed) }

  /// What was made for a type once, or is made now and kept.
  package func plan<Plan: AnyObject & Sendable>(
    for type: Any.Type, _ make: () throws -> Plan
  ) throws -> Plan {
    let key = ObjectIdentifier(type)
    if let plan = plans.withLock({ $0[key] }) as? Plan { return plan }
    let plan = try make()
    return plans.withLock { plans in
      if let earlier = plans[key] as? Plan { return earlier }
      plans[key] = plan
      return plan
    }
  }

  /// Tells of a failure that nobody else is told of: to `onError`, or on standard error.
  package func report(_ error: any Error) {
    if let onError = options.onError {
      onError(error)
    } else {
      Self.reportToStandardError(error)
    }
  }

  /// Writes a failure to standard error.
  package static func reportToStandardError(_ error: any Error) {
    FileHandle.standardError.write(Data("strata: \(error)\n".utf8))
  }
}
