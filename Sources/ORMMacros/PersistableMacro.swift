#if Macros
  package import SwiftSyntax
  internal import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@Persistable`: the entity, the row initialiser and the encoder of a model, as one would write
  /// them by hand.
  ///
  /// A struct gets all three in an extension, so that its memberwise initialiser stays. The initialiser
  /// of a class has to be in the class itself; and the entity and the encoder of a type that lies inside
  /// another, since they may name types beside it, which an extension does not see.
  package enum PersistableMacro: ExtensionMacro {
    package static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      let reader = ModelReader.read(
        declaration, as: type.trimmedDescription, attribute: node, in: context)
      for diagnostic in reader.diagnostics { context.diagnose(diagnostic) }
      guard let model = reader.model else { return [] }
      let conformances = protocols.map(\.trimmedDescription)
        .filter { model.isKeyed || $0 != "PrimaryKeyed" }.map { "ORM.\($0)" }
      let text = ModelText(model).extensionText(conformances: conformances)
      return [DeclSyntax(stringLiteral: text).as(ExtensionDeclSyntax.self)].compactMap(\.self)
    }
  }

  extension PersistableMacro: MemberMacro {
    package static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      // Errors are reported once, by the extension.
      guard let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text,
        let model = ModelReader.read(declaration, as: name, attribute: node, in: context).model
      else { return [] }
      return ModelText(model).memberTexts.map { DeclSyntax(stringLiteral: $0) }
    }
  }
#endif
