// swift-tools-version: 6.2

import PackageDescription

// A package of its own, as a program that uses Strata is. Outside this repository, the path is an address.
let package = Package(
  name: "shop",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "strata", path: "../..", traits: ["Macros", "Observability"]),
    // Without its traits it builds in half the time; configuration comes from the environment here.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
  ],
  targets: [
    .target(
      name: "Shop",
      dependencies: [
        .product(name: "ORMExchange", package: "strata"),
        .product(name: "ORMMigrations", package: "strata"),
        .product(name: "MemoryBackend", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
        .product(name: "LMDBBackend", package: "strata"),
        .product(name: "PostgresBackend", package: "strata"),
        .product(name: "StrataObservability", package: "strata"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    // Stands in for a service that collects metrics and traces, such as OpenTelemetry's collector.
    .target(
      name: "LocalTelemetry",
      dependencies: [
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .executableTarget(
      name: "Server",
      dependencies: [
        "Shop", "LocalTelemetry",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "StrataObservability", package: "strata"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "ShopTests",
      dependencies: [
        "Shop", "Server",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "ORMExchange", package: "strata"),
        .product(name: "MemoryBackend", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
        .product(name: "LMDBBackend", package: "strata"),
        .product(name: "PostgresBackend", package: "strata"),
        .product(name: "StrataTesting", package: "strata"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
