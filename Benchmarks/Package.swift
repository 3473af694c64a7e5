// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  products: [
    .executable(name: "Benchmarks", targets: ["Benchmarks"]),
    .executable(name: "Gate", targets: ["Gate"]),
  ],
  dependencies: [
    .package(name: "strata", path: "..", traits: ["Observability"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CBenchSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CBenchLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
    .systemLibrary(
      name: "CBenchPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "Workloads",
      dependencies: [
        "CBenchSQLite", "CBenchLMDB",
        .product(name: "ORM", package: "strata"),
        .product(name: "ORMObservation", package: "strata"),
        .product(name: "ORMSessions", package: "strata"),
        .product(name: "MemoryBackend", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
        .product(name: "LMDBBackend", package: "strata"),
      ]),
    .target(name: "CBenchSystem"),
    .executableTarget(
      name: "Gate",
      dependencies: [
        "CBenchSystem", "Workloads", .product(name: "StrataObservability", package: "strata"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CBenchSystem", "CBenchPostgres", "Workloads",
        .product(name: "ORMMigrations", package: "strata"),
        .product(name: "ORMObservation", package: "strata"),
        .product(name: "ORMSessions", package: "strata"),
        .product(name: "ORMCoordinator", package: "strata"),
        .product(name: "ORMExchange", package: "strata"),
        .product(name: "PostgresBackend", package: "strata"),
        .product(name: "StrataTesting", package: "strata"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
