import Foundation
import Logging
import StrataObservability

/// The instruments of the stores that are measured, which `GATE_INSTRUMENTS` names.
enum Instruments: String, CaseIterable {
  /// One that does nothing.
  case idle
  /// A log whose logger has the level `info`, so that it gets warnings alone.
  case log
  /// A log at `info`, metrics and traces, whose back ends keep nothing.
  case all

  /// The options of a store with the instruments that the environment names.
  ///
  /// Requests that are slow under a tool that counts instructions earn no warning.
  static func options() -> StoreOptions? {
    var options = StoreOptions()
    guard let name = ProcessInfo.processInfo.environment["GATE_INSTRUMENTS"] else { return options }
    guard let instruments = Instruments(rawValue: name) else { return nil }
    var logger = Logger(label: "gate") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .info
    switch instruments {
    case .idle: options.instruments = [Idle()]
    case .log: options.instruments = [.log(logger)]
    case .all: options.instruments = [.log(logger), .metrics(), .tracing()]
    }
    options.instrumentLimits.slowOperation = .seconds(3_600)
    options.instrumentLimits.heldSnapshot = .seconds(3_600)
    options.instrumentLimits.mainThread = .seconds(3_600)
    return options
  }

  private struct Idle: StoreInstrument {}
}
