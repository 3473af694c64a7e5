// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

/// Test targets that `STRATA_TEST_TARGETS` names with commas; nil means all.
let testTargets = Context.environment["STRATA_TEST_TARGETS"].map {
  $0.split(separator: ",").map(String.init)
}

/// A product of a package that nothing needs without the trait Observability.
func observing(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Observability"]))
}

/// Parts of swift-syntax, which nothing needs without the macro.
func syntax(_ products: String...) -> [Target.Dependency] {
  products.map {
    .product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
  }
}

/// `./test` sets this: a package of this repository that asks for the macro then gets every trait, and
/// shares the build of the tests.
let isOneBuild = Context.environment["STRATA_ONE_BUILD"] == "1"

let package = Package(
  name: "strata",
  // Where Mutex, Atomic and typed throws of the runtime are. Linux needs none of these lines.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ORM", targets: ["ORM"]),
    .library(name: "ORMMigrations", targets: ["ORMMigrations"]),
    .library(name: "ORMObservation", targets: ["ORMObservation"]),
    .library(name: "ORMSessions", targets: ["ORMSessions"]),
    .library(name: "ORMCoordinator", targets: ["ORMCoordinator"]),
    .library(name: "StrataKit", targets: ["StrataKit"]),
    .library(name: "ORMCore", targets: ["ORMCore"]),
    .library(name: "ORMRows", targets: ["ORMRows"]),
    .library(name: "ORMStorage", targets: ["ORMStorage"]),
    .library(name: "MemoryBackend", targets: ["MemoryBackend"]),
    .library(name: "SQLiteBackend", targets: ["SQLiteBackend"]),
    .library(name: "LMDBBackend", targets: ["LMDBBackend"]),
    .library(name: "PostgresBackend", targets: ["PostgresBackend"]),
    .library(name: "OrderedEngine", targets: ["OrderedEngine"]),
    .library(name: "SQLEngine", targets: ["SQLEngine"]),
    .library(name: "ORMExchange", targets: ["ORMExchange"]),
    .library(name: "ORMConformance", targets: ["ORMConformance"]),
    .library(name: "StrataTesting", targets: ["StrataTesting"]),
    .library(name: "StrataObservability", targets: ["StrataObservability"]),
    .executable(name: "strata", targets: ["strata"]),
  ],
  traits: [
    .trait(
      name: "Macros", description: "The @Persistable macro, and with it swift-syntax",
      enabledTraits: isOneBuild ? ["Command"] : []),
    .trait(name: "Command", description: "The command strata, and with it swift-argument-parser"),
    .trait(
      name: "Observability",
      description: "StrataObservability, and with it swift-log, swift-metrics and others"),
    .default(enabledTraits: ["Macros"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"605.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
  ],
  targets: [
    // The C library of the system, under one name on every system.
    .target(name: "ORMPlatform"),
    .target(name: "ORMValues", dependencies: ["ORMPlatform"]),
    .target(name: "ORMStorage", dependencies: ["ORMValues", "ORMPlatform"]),
    // Works on rows, and knows no Swift model: it imports nothing that declares one.
    .target(name: "ORMRows", dependencies: ["ORMStorage", "ORMValues", "ORMPlatform"]),
    .target(name: "ORMCore", dependencies: ["ORMRows", "ORMStorage"]),
    .target(
      name: "ORM",
      dependencies: [
        "ORMCore", "ORMRows", "ORMPlatform",
        .target(name: "ORMMacros", condition: .when(traits: ["Macros"])),
      ]),
    // Features, of which ORM imports none; StrataKit re-exports all of them. Migrations and the coordinator
    // work on rows.
    .target(name: "ORMMigrations", dependencies: ["ORMCore", "ORMRows", "ORMStorage"]),
    .target(name: "ORMObservation", dependencies: ["ORM", "ORMCore", "ORMStorage"]),
    .target(name: "ORMSessions", dependencies: ["ORM", "ORMCore", "ORMStorage"]),
    .target(name: "ORMCoordinator", dependencies: ["ORMCore", "ORMRows", "ORMStorage"]),
    .target(
      name: "StrataKit",
      dependencies: [
        "ORM", "ORMMigrations", "ORMObservation", "ORMSessions", "ORMCoordinator", "ORMExchange",
      ]),
    .macro(
      name: "ORMMacros",
      dependencies: syntax(
        "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
        "SwiftCompilerPlugin")),
    .target(name: "OrderedEngine", dependencies: ["ORMStorage"]),
    .target(name: "SQLEngine", dependencies: ["ORMStorage", "ORMPlatform"]),
    .target(name: "MemoryBackend", dependencies: ["ORMCore", "OrderedEngine", "ORMPlatform"]),
    .target(
      name: "LMDBBackend", dependencies: ["ORMCore", "OrderedEngine", "ORMPlatform", "CLMDB"]),
    .target(
      name: "SQLiteBackend", dependencies: ["ORMCore", "SQLEngine", "ORMPlatform", "CSQLite"]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
      name: "PostgresBackend", dependencies: ["ORMCore", "SQLEngine", "ORMPlatform", "CPostgres"]),
    // libpq is loaded at run time, so that a build needs neither its header nor its library.
    .target(name: "CPostgres", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .target(
      name: "ORMConformance",
      dependencies: [
        "ORM", "ORMMigrations", "ORMObservation", "ORMSessions", "ORMCoordinator", "ORMCore",
        "OrderedEngine", "StoreDoubles",
      ]),
    // Helpers for the tests of programs, which choose the kinds of stores.
    .target(
      name: "StrataTesting",
      dependencies: [
        "ORM", "ORMMigrations", "ORMCore", "ORMValues", "MemoryBackend", "StoreDoubles",
      ]),
    .target(name: "ORMExchange", dependencies: ["ORM", "ORMCore"]),
    // Adapters of the seam StoreInstrument: to packages that are fetched with the trait alone.
    .target(
      name: "StrataObservability",
      dependencies: [
        "ORM", "ORMStorage", "ORMValues", observing("Logging", "swift-log"),
        observing("Metrics", "swift-metrics"), observing("Tracing", "swift-distributed-tracing"),
        observing("ServiceLifecycle", "swift-service-lifecycle"),
      ]),
    .executableTarget(
      name: "Demo",
      dependencies: [
        "StrataKit", "MemoryBackend", "LMDBBackend", "SQLiteBackend", "PostgresBackend",
      ]),
    .executableTarget(
      name: "strata",
      dependencies: [
        "ORM", "ORMMigrations", "ORMExchange", "ORMCore", "MemoryBackend", "LMDBBackend",
        "SQLiteBackend",
        "PostgresBackend",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Command"])),
      ]),
    .target(
      name: "StoreModels",
      dependencies: [
        "ORM", "ORMMigrations", "ORMCoordinator", "LMDBBackend", "MemoryBackend",
        "SQLiteBackend",
      ],
      path: "Tests/Support/StoreModels"),
    // Doubles of stores and seeded numbers, for tests by any library.
    .target(name: "StoreDoubles", dependencies: ["ORMCore"]),
    .target(
      name: "TestSupport", dependencies: ["ORMCore", "StoreDoubles"],
      path: "Tests/Support/TestSupport"),
    .executableTarget(
      name: "CrashHelper",
      dependencies: [
        "ORM", "ORMObservation", "ORMCore", "ORMPlatform", "OrderedEngine", "MemoryBackend",
        "LMDBBackend", "SQLiteBackend", "PostgresBackend", "StoreDoubles", "StoreModels", "CLMDB",
      ],
      path: "Tests/Support/CrashHelper"),
    .testTarget(name: "ORMValuesTests", dependencies: ["ORMValues", "TestSupport"]),
    .testTarget(
      name: "ORMCoreTests", dependencies: ["ORMCore", "ORMStorage", "TestSupport"]),
    .testTarget(
      name: "OrderedEngineTests",
      dependencies: [
        "ORMCore", "OrderedEngine", "ORMConformance", "MemoryBackend", "LMDBBackend", "TestSupport",
      ]),
    .testTarget(
      name: "SQLEngineTests",
      dependencies: ["ORMCore", "SQLEngine", "SQLiteBackend", "TestSupport"]),
    .testTarget(
      name: "MemoryBackendTests",
      dependencies: [
        "ORMCore", "OrderedEngine", "ORMConformance", "MemoryBackend", "TestSupport",
      ]),
    .testTarget(
      name: "LMDBBackendTests",
      dependencies: [
        "ORM", "ORMCore", "OrderedEngine", "ORMConformance", "LMDBBackend", "StoreModels",
        "TestSupport", "CrashHelper",
      ]),
    .testTarget(
      name: "SQLiteBackendTests",
      dependencies: [
        "ORM", "ORMCore", "SQLEngine", "SQLiteBackend", "StoreModels", "TestSupport",
      ]),
    .testTarget(
      name: "PostgresBackendTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMCoordinator", "ORMCore", "ORMConformance", "SQLEngine",
        "PostgresBackend",
        "SQLiteBackend",
        "LMDBBackend", "MemoryBackend", "StoreModels", "TestSupport", "CrashHelper", "strata",
      ]),
    .testTarget(
      name: "ORMTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMSessions", "ORMCore", "ORMRows", "ORMStorage", "MemoryBackend",
        "LMDBBackend",
        "SQLiteBackend",
        "StrataTesting", "TestSupport",
      ]),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMSessions", "ORMCoordinator", "ORMCore", "MemoryBackend",
        "LMDBBackend",
        "SQLiteBackend",
        "StoreModels",
        "TestSupport", "CrashHelper",
      ]),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMCoordinator", "ORMCore", "ORMConformance", "SQLEngine",
        "MemoryBackend",
        "LMDBBackend",
        "SQLiteBackend",
        "PostgresBackend", "TestSupport",
      ]),
    // What the macro's models do. How it expands is tested by Tests/MacroExpansion, a package of its
    // own: a test that imports a macro's module makes SwiftPM build everything twice.
    .testTarget(
      name: "ORMMacrosTests",
      dependencies: [
        "ORM", "ORMCore", "ORMConformance", "MemoryBackend", "LMDBBackend", "SQLiteBackend",
        "StrataTesting", "TestSupport",
      ]),
    .testTarget(
      name: "StrataObservabilityTests",
      dependencies: [
        "ORM", "ORMCore", "ORMStorage", "ORMValues", "StrataObservability", "MemoryBackend",
        observing("Logging", "swift-log"), observing("InMemoryLogging", "swift-log"),
        observing("Metrics", "swift-metrics"), observing("MetricsTestKit", "swift-metrics"),
        observing("Tracing", "swift-distributed-tracing"),
        observing("InMemoryTracing", "swift-distributed-tracing"),
        observing("ServiceLifecycle", "swift-service-lifecycle"),
        observing("ServiceLifecycleTestKit", "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "ORMExchangeTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMCoordinator", "ORMCore", "ORMExchange", "MemoryBackend",
        "LMDBBackend",
        "SQLiteBackend",
        "PostgresBackend", "TestSupport",
      ]),
    .testTarget(
      name: "StrataTestingTests",
      dependencies: [
        "StrataTesting", "ORM", "ORMMigrations", "ORMCore", "ORMValues", "ORMConformance",
        "MemoryBackend",
        "LMDBBackend",
        "SQLiteBackend", "PostgresBackend", "TestSupport",
      ]),
    .testTarget(
      name: "StrataTests",
      dependencies: [
        "ORM", "ORMMigrations", "ORMExchange", "strata", "Demo", "MemoryBackend", "LMDBBackend",
        "SQLiteBackend",
        "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

/// CI sets this; in a package that depends on this one a warning stays a warning.
let warningsAreErrors = Context.environment["STRATA_WARNINGS_AS_ERRORS"] == "1"

/// CI's release run sets this.
let testsAreNotOptimized = Context.environment["STRATA_UNOPTIMIZED_TESTS"] == "1"

if let testTargets {
  package.targets.removeAll { $0.type == .test && !testTargets.contains($0.name) }
}

for target in package.targets where target.type != .system && target.name != "CPostgres" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
  // What ships is tested as it ships; the tests themselves need not be optimized, which would take
  // longer than to run them.
  if testsAreNotOptimized, target.type == .test || target.name == "ORMConformance" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
  if warningsAreErrors { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}
