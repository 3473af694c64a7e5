import CBenchSystem
import Workloads

/// A run on its way through C, where its name is one that tools find.
final class Measured {
  private let run: Action
  private var outcome: Result<Int, any Error>?

  private init(_ run: @escaping Action) { self.run = run }

  /// Runs it below `strata_gate_measured`.
  static func run(_ run: @escaping Action) throws -> Int {
    let measured = Measured(run)
    strata_gate_measured(
      { context in
        guard let context else { return }
        let measured = Unmanaged<Measured>.fromOpaque(context).takeUnretainedValue()
        measured.outcome = Result { try measured.run() }
      }, Unmanaged.passUnretained(measured).toOpaque())
    return try withExtendedLifetime(measured) { try measured.outcome?.get() ?? 0 }
  }
}
