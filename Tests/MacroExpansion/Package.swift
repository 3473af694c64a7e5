// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

// The expansions and diagnostics of the macro, as texts. They stand outside of the main package,
// since tests that import a macro's module make SwiftPM build everything they are linked with twice,
// for the host and for the target. The sources of the macro are a macro here, too, so that the tests are
// built for the host: in the folder of the main package's build, swift-syntax is there already. The
// target has a name of its own, since the main package's macro is in that folder.
let package = Package(
  name: "MacroExpansion",
  dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
  targets: [
    .macro(
      name: "ExpandedMacros",
      dependencies: syntax(
        "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
        "SwiftCompilerPlugin")),
    .testTarget(
      name: "MacroExpansionTests",
      dependencies: ["ExpandedMacros"]
        + syntax(
          "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftParser", "SwiftDiagnostics",
          "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacrosGenericTestSupport")),
  ],
  swiftLanguageModes: [.v6]
)

/// Products of swift-syntax.
func syntax(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "swift-syntax") }
}

for target in package.targets {
  target.swiftSettings = [
    .define("Macros"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
  if Context.environment["STRATA_WARNINGS_AS_ERRORS"] != nil {
    target.swiftSettings?.append(.treatAllWarnings(as: .error))
  }
}
