// swift-tools-version: 6.2

import PackageDescription

// Three stores that are not Strata's, built on its public products alone, and the tests that prove
// them: one on `Store` itself, one on an ordered map, one on a SQL database. They need no macro, and have
// it where they share the build of Strata's own tests.
let package = Package(
  name: "OwnStores",
  dependencies: [.package(name: "strata", path: "../../..", traits: traits)],
  targets: [
    .target(
      name: "ArrayStore", dependencies: [.product(name: "ORMCore", package: "strata")]),
    .target(
      name: "RocksStore",
      dependencies: [
        "CRocksDB", .product(name: "ORMCore", package: "strata"),
        .product(name: "OrderedEngine", package: "strata"),
      ]),
    .systemLibrary(name: "CRocksDB", providers: [.apt(["librocksdb-dev"])]),
    .target(
      name: "TableStore",
      dependencies: [
        "COwnSQLite", .product(name: "ORMCore", package: "strata"),
        .product(name: "SQLEngine", package: "strata"),
      ]),
    .systemLibrary(
      name: "COwnSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .testTarget(
      name: "OwnStoresTests",
      dependencies: [
        "ArrayStore", "RocksStore", "TableStore", .product(name: "ORM", package: "strata"),
        .product(name: "OrderedEngine", package: "strata"),
        .product(name: "ORMConformance", package: "strata"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

var traits: Set<Package.Dependency.Trait> {
  Context.environment["STRATA_ONE_BUILD"] == "1" ? ["Macros", "Observability"] : []
}
