#if Macros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros
  import Testing

  /// The diagnostics of the macros for a source, by position.
  struct Findings {
    private let source: String
    private let diagnostics: [Diagnostic]
    private let context: BasicMacroExpansionContext

    init(_ source: String) {
      self.source = source
      let file = Parser.parse(source: source)
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
      _ = file.expand(
        macroSpecs: testedMacros,
        contextGenerator: { node in
          BasicMacroExpansionContext(
            sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
        })
      self.context = context
      diagnostics = context.diagnostics
    }

    /// Each message with the rest of the line that it points at.
    var messages: [String] {
      diagnostics.map { diagnostic in
        let place = offset(of: diagnostic.position, in: diagnostic.node)
        let rest = source.utf8.dropFirst(place).prefix { $0 != UInt8(ascii: "\n") }
        let severity = diagnostic.diagMessage.severity == .warning ? "warning: " : ""
        return "\(String(rest) ?? "") ← \(severity)\(diagnostic.message)"
      }
    }

    var fixIts: [String] { diagnostics.flatMap(\.fixIts).map(\.message.message) }

    /// The source after a fix-it.
    func fixed(by message: String) -> String? {
      guard
        let fixIt = diagnostics.flatMap(\.fixIts).first(where: { $0.message.message == message })
      else { return nil }
      var bytes = Array(source.utf8)
      let edits = fixIt.changes.compactMap { change -> (Range<Int>, String)? in
        guard case .replaceText(let range, let text, let node) = change else { return nil }
        return (
          offset(of: range.lowerBound, in: node)..<offset(of: range.upperBound, in: node), text
        )
      }
      guard edits.count == fixIt.changes.count else { return nil }
      for (range, text) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
        bytes.replaceSubrange(range, with: text.utf8)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    private func offset(of position: AbsolutePosition, in node: Syntax) -> Int {
      context.location(for: position, anchoredAt: node, fileName: "").offset
    }
  }

  /// Expects one finding at the position that a line's end names, and the line after its fix-its.
  func expectFinding(
    _ source: String, _ message: String, _ fixes: KeyValuePairs<String, String> = [:],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    let findings = Findings(source)
    #expect(findings.messages == [message], sourceLocation: sourceLocation)
    #expect(findings.fixIts == fixes.map(\.key), sourceLocation: sourceLocation)
    for (name, fixed) in fixes {
      #expect(findings.fixed(by: name) == fixed, sourceLocation: sourceLocation)
    }
  }

  /// Expects one finding about a property of a model.
  func expectFinding(
    about property: String, _ message: String, _ fixes: KeyValuePairs<String, String> = [:],
    sourceLocation: Testing.SourceLocation = #_sourceLocation
  ) {
    let head = "@Persistable\nstruct Snack {\n  @PrimaryKey var id: Int\n  "
    let findings = Findings("\(head)\(property)\n}")
    #expect(findings.messages == [message], sourceLocation: sourceLocation)
    #expect(findings.fixIts == fixes.map(\.key), sourceLocation: sourceLocation)
    for (name, fixed) in fixes {
      #expect(
        findings.fixed(by: name) == "\(head)\(fixed)\n}", sourceLocation: sourceLocation)
    }
  }
#endif
