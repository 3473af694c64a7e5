// swift-tools-version: 6.2

import PackageDescription

// What `bench` measures beside the server of Examples/shop.
let package = Package(
  name: "shop-peers",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // The same routes without a store.
    .executableTarget(
      name: "Baseline", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
    // The same routes on GRDB.
    .executableTarget(
      name: "GRDBServer",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
