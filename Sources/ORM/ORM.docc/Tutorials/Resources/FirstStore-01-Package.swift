// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Bookshelf",
  dependencies: [.package(path: "../strata")],
  targets: [
    .executableTarget(
      name: "Bookshelf",
      dependencies: [
        .product(name: "ORM", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
      ])
  ]
)
