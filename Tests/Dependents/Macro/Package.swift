// swift-tools-version: 6.2

import PackageDescription

// Models made by the macro in one module and used in another, outside Strata's own package.
let package = Package(
  name: "Macro",
  dependencies: [.package(name: "strata", path: "../../..", traits: traits)],
  targets: [
    .target(name: "Models", dependencies: [.product(name: "ORM", package: "strata")]),
    .target(
      name: "OnMainActor", dependencies: [.product(name: "ORM", package: "strata")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    .executableTarget(
      name: "WithMacro",
      dependencies: [
        "Models", "OnMainActor", .product(name: "ORM", package: "strata"),
        .product(name: "MemoryBackend", package: "strata"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

/// The trait of the macro; where the build of Strata's own tests is shared, those of the server example, too.
var traits: Set<Package.Dependency.Trait> {
  Context.environment["STRATA_ONE_BUILD"] == "1" ? ["Macros", "Observability"] : ["Macros"]
}
