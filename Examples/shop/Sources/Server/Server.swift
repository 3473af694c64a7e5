import Foundation
import Hummingbird
import LocalTelemetry
import Logging
import Metrics
import ServiceLifecycle
import Shop
import StrataObservability
import Tracing

/// The program.
///
/// The environment sets `STORE`, the location of the store; `HOST` and `PORT`; `LOG_LEVEL`; `TRACE=1`;
/// `TELEMETRY=0`, for no instruments and metrics at all; and `GRACE_SECONDS`, the time for running requests
/// at the end.
@main
enum Server {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    var logger = Logger(label: "shop")
    logger.logLevel = environment["LOG_LEVEL"].flatMap(Logger.Level.init(rawValue:)) ?? .info

    // Here a program installs the clients of its own collectors, such as those of OpenTelemetry.
    let page = MetricsPage()
    var instruments: [any StoreInstrument] = []
    if environment["TELEMETRY"] != "0" {
      MetricsSystem.bootstrap(page)
      instruments = [.log(logger), .metrics(), .tracing()]
    }
    if environment["TRACE"] == "1" { InstrumentationSystem.bootstrap(SpanLog(logger)) }

    let store = try openStore(
      at: environment["STORE"] ?? "sqlite:shop.sqlite", instruments: instruments)
    let application = makeApplication(
      store: store,
      configuration: ApplicationConfiguration(
        address: .hostname(
          environment["HOST"] ?? "127.0.0.1", port: environment["PORT"].flatMap { Int($0) } ?? 8080),
        serverName: "shop"),
      logger: logger, metrics: { page.text })
    var group = ServiceGroupConfiguration(
      services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    // A client that reads a long answer slowly does not keep the process from its end.
    group.maximumGracefulShutdownDuration = .seconds(
      environment["GRACE_SECONDS"].flatMap { Int($0) } ?? 20)
    try await ServiceGroup(configuration: group).run()
  }
}
