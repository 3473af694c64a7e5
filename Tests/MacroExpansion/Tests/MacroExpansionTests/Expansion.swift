#if Macros
  import ExpandedMacros
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros
  import SwiftSyntaxMacrosGenericTestSupport
  import Testing

  /// The macros by the names they are written with.
  let testedMacros: [String: MacroSpec] = [
    "Persistable": MacroSpec(
      type: PersistableMacro.self, conformances: ["Persistable", "PrimaryKeyed"]),
    "PrimaryKey": MacroSpec(type: PrimaryKeyMacro.self),
    "Attribute": MacroSpec(type: AttributeMacro.self),
    "Derived": MacroSpec(type: DerivedMacro.self),
    "Embedded": MacroSpec(type: EmbeddedMacro.self),
    "Relationship": MacroSpec(type: RelationshipMacro.self),
    "Transient": MacroSpec(type: TransientMacro.self),
  ]

  /// Expects a declaration to become what was written by hand.
  func expectExpansion(
    _ source: String, _ expected: String, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    assertMacroExpansion(
      source, expandedSource: expected, macroSpecs: testedMacros, indentationWidth: .spaces(2),
      failureHandler: { failure in
        Issue.record(
          Comment(rawValue: failure.message),
          sourceLocation: SourceLocation(
            fileID: failure.location.fileID, filePath: failure.location.filePath,
            line: failure.location.line, column: failure.location.column))
      },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Returns what a declaration becomes.
  func expansionText(_ source: String) -> String {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    return file.expand(macroSpecs: testedMacros) { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    }.description
  }
#endif
