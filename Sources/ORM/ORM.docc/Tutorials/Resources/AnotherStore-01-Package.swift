// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Shelves",
  dependencies: [.package(path: "../strata")],
  targets: [
    .executableTarget(
      name: "Shelves",
      dependencies: [
        .product(name: "ORM", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
        .product(name: "MemoryBackend", package: "strata"),
        .product(name: "LMDBBackend", package: "strata"),
      ])
  ]
)
