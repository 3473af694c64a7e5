// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "prog",
  dependencies: [.package(name: "strata", path: "../../..", traits: [])],
  targets: [
    .executableTarget(
      name: "prog",
      dependencies: [
        .product(name: "ORM", package: "strata"),
        .product(name: "SQLiteBackend", package: "strata"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
