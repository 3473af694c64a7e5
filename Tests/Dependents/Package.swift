// swift-tools-version: 6.2

import PackageDescription

// A program for each backend, which imports it alone and runs the same lines.
let package = Package(
  name: "Dependents",
  dependencies: [.package(name: "strata", path: "../..", traits: [])],
  targets: [
    .target(name: "SameLines", dependencies: [.product(name: "ORM", package: "strata")])
  ]
    + ["Memory", "SQLite", "LMDB"].map { backend in
      .executableTarget(
        name: "On\(backend)",
        dependencies: [
          "SameLines", .product(name: "ORM", package: "strata"),
          .product(name: "\(backend)Backend", package: "strata"),
        ])
    },
  swiftLanguageModes: [.v6]
)
