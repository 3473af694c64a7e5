#if Macros
  internal import SwiftDiagnostics
  package import SwiftSyntax
  package import SwiftSyntaxMacros

  /// A mark of a property: it says something to `@Persistable`, and makes nothing itself.
  package protocol MarkerMacro: PeerMacro {}

  extension MarkerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let name = node.attributeName.trimmedDescription
      guard declaration.is(VariableDeclSyntax.self) else {
        context.diagnose(Diagnostic(node: node, message: ModelMessage.markOfNoProperty(name)))
        return []
      }
      // In a type that is written by hand a mark would be silently without effect.
      let attributes = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
      if attributes?.attributes.contains(named: "Persistable") != true {
        context.diagnose(Diagnostic(node: node, message: ModelMessage.markOutsideModel(name)))
      }
      return []
    }
  }

  package enum PrimaryKeyMacro: MarkerMacro {}
  package enum AttributeMacro: MarkerMacro {}
  package enum DerivedMacro: MarkerMacro {}
  package enum EmbeddedMacro: MarkerMacro {}
  package enum RelationshipMacro: MarkerMacro {}
  package enum TransientMacro: MarkerMacro {}
#endif
