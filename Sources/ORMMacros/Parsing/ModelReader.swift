#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax
  internal import SwiftSyntaxMacros

  /// Reads a model's declaration, and collects everything that is wrong with it.
  struct ModelReader {
    /// The model; nil where something is wrong.
    private(set) var model: Model?
    var diagnostics: [Diagnostic] = []
    var properties: [Model.Property] = []
    /// The marker of the primary key, once it was found.
    var keyMark: AttributeSyntax?
    /// The property of the primary key, where it has another name than `id`.
    var namedKey: StoredProperty?
    /// The properties that are marked as primary keys, in order.
    var keys: [KeyProperty] = []
    /// The stored property `id` that is not the key.
    var otherID: (property: StoredProperty, isMarked: Bool)?
    /// The first to-many, which needs a primary key.
    var firstToMany: TokenSyntax?
    /// The structs inside the model, by name: one of them may be the key.
    var structs: [String: StructDeclSyntax] = [:]
    /// The derivations of the derived properties.
    var derivations: [DerivedArgument] = []
    /// The static properties with further parts of the entity.
    var parts: [String] = []
    /// The name of the type.
    var modelName = ""
    /// Returns where a node is written.
    private let origin: (Syntax) -> Model.SourceOrigin?

    static func read(
      _ declaration: some DeclGroupSyntax, as type: String, attribute: AttributeSyntax,
      in context: some MacroExpansionContext
    ) -> ModelReader {
      var reader = ModelReader { node in
        context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
          .flatMap { Model.SourceOrigin($0) }
      }
      guard reader.isFirst(attribute, of: declaration) else { return reader }
      reader.read(declaration, type, attribute, context.lexicalContext)
      if reader.diagnostics.contains(where: { $0.diagMessage.severity == .error }) {
        reader.model = nil
      }
      return reader
    }

    private init(origin: @escaping (Syntax) -> Model.SourceOrigin?) { self.origin = origin }

    /// Returns where a node is written, for the compiler's errors about it.
    func origin(of node: some SyntaxProtocol) -> Model.SourceOrigin? { origin(Syntax(node)) }

    /// Reports a second `@Persistable`, and returns whether this is the first.
    private mutating func isFirst(
      _ attribute: AttributeSyntax, of declaration: some DeclGroupSyntax
    ) -> Bool {
      let all = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.lastName == "Persistable" }
      guard all.count > 1, let first = all.first, let here = origin(of: attribute),
        let there = origin(of: first), here.line != there.line || here.column != there.column
      else { return true }
      report(attribute, .twice, [.remove(attribute)])
      return false
    }

    mutating func report(
      _ node: some SyntaxProtocol, _ message: ModelMessage, _ fixIts: [FixIt] = []
    ) {
      diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixIts))
    }

    private mutating func read(
      _ declaration: some DeclGroupSyntax, _ type: String, _ attribute: AttributeSyntax,
      _ enclosing: [Syntax]
    ) {
      guard let name = readKind(declaration) else { return }
      modelName = name.text
      checkActor(declaration)
      readGenerics(declaration, name, enclosing)
      let access = readAccess(declaration, enclosing)
      let members = declaration.memberBlock.members.map(\.decl)
      for member in members {
        if let inner = member.as(StructDeclSyntax.self) {
          structs[inner.name.text.unquoted] = inner
        }
      }
      for member in members { read(member: member, of: name.text.unquoted) }
      if properties.isEmpty, diagnostics.isEmpty { report(name, .noAttribute) }
      checkDerivations(of: name.text.unquoted)
      checkKeys()
      checkID()
      if let firstToMany, keyMark == nil { report(firstToMany, .toManyWithoutKey) }
      let entity = EntityArguments.read(attribute, of: name.text.unquoted, properties, &self)
      model = Model(
        type: type,
        availability: declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
          .filter { $0.lastName == "available" }.map(\.trimmedDescription),
        isNonisolated: declaration.modifiers.contains(.nonisolated),
        entityArguments: entity.arguments, access: access,
        isClass: declaration.is(ClassDeclSyntax.self),
        isNested: enclosing.contains { $0.asProtocol((any DeclGroupSyntax).self) != nil },
        hasMemberwiseInitializer: declaration.hasMemberwiseInitializer,
        isKeyed: keyMark != nil,
        namedKey: namedKey.map {
          .init(
            code: $0.name.text, type: $0.type?.trimmedDescription ?? "",
            declaresID: members.contains { $0.as(VariableDeclSyntax.self)?.declaresID == true })
        },
        linkedKey: linkedKey(
          declaresID: members.contains {
            $0.as(VariableDeclSyntax.self)?.declaresID == true
          }),
        properties: properties, indexes: entity.indexes,
        uniques: entity.uniques,
        parts: parts, inherited: inherited(by: declaration))
    }

    /// Reports an actor that the type is on.
    private mutating func checkActor(_ declaration: some DeclGroupSyntax) {
      for attribute in declaration.attributes.compactMap({ $0.as(AttributeSyntax.self) })
      where attribute.lastName?.hasSuffix("Actor") == true {
        report(attribute, .onActor(attribute.trimmedDescription), [.remove(attribute)])
      }
    }

    /// The types that a class inherits, without those whose names say that they are protocols.
    private func inherited(by declaration: some DeclGroupSyntax) -> [Model.Inherited] {
      // A superclass is the first.
      guard declaration.is(ClassDeclSyntax.self),
        let first = declaration.inheritanceClause?.inheritedTypes.first?.type,
        let name = first.as(IdentifierTypeSyntax.self)?.name.text
          ?? first.as(MemberTypeSyntax.self)?.name.text,
        !Self.protocols.contains(name), let origin = origin(of: first)
      else { return [] }
      return [Model.Inherited(type: first.trimmedDescription, origin: origin)]
    }

    /// Protocols that models often conform to, and the class that has nothing to store.
    private static let protocols: Set<String> = [
      "Sendable", "Codable", "Encodable", "Decodable", "Equatable", "Hashable", "Comparable",
      "Identifiable", "CustomStringConvertible", "CustomDebugStringConvertible", "Persistable",
      "PrimaryKeyed", "ValidatedModel", "WriteHooks", "LoadHook", "SharedAttributes", "AnyObject",
      "NSObject", "ObservableObject", "Observable", "CaseIterable", "RawRepresentable", "Error",
    ]

    /// The name of a struct or class; nil for any other declaration, which is reported.
    private mutating func readKind(_ declaration: some DeclGroupSyntax) -> TokenSyntax? {
      if let model = declaration.as(StructDeclSyntax.self) { return model.name }
      guard let model = declaration.as(ClassDeclSyntax.self) else {
        report(declaration.introducer, .noModel)
        return nil
      }
      if !model.modifiers.contains(.final) {
        report(model.classKeyword, .notFinal, [.makeFinal(model)])
      }
      return model.name
    }

    private mutating func readGenerics(
      _ declaration: some DeclGroupSyntax, _ name: TokenSyntax, _ enclosing: [Syntax]
    ) {
      if let own = declaration.asProtocol((any WithGenericParametersSyntax).self)?
        .genericParameterClause
      {
        report(own, .generic)
      }
      for outer in enclosing {
        if outer.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil,
          let outerName = outer.asProtocol((any NamedDeclSyntax).self)?.name
        {
          report(name, .insideGeneric(outerName.text))
        }
      }
    }

    /// The modifier of the members, with a space; a private type's need none.
    private mutating func readAccess(
      _ declaration: some DeclGroupSyntax, _ enclosing: [Syntax]
    ) -> String {
      let own = declaration.modifiers.first(where: \.isAccess)
      // `public extension Shop { struct Snack … }` makes its members public.
      let access =
        own ?? enclosing.first?.as(ExtensionDeclSyntax.self)?.modifiers.first(where: \.isAccess)
      switch access?.name.tokenKind {
      case .keyword(.public), .keyword(.package): return (access?.name.text ?? "") + " "
      case .keyword(.private) where !enclosing.isEmpty:
        if let own { report(own, .privateInside, [.makeFileprivate(own)]) }
        return ""
      default: return ""
      }
    }

    private mutating func read(member: DeclSyntax, of type: String) {
      if let variable = member.as(VariableDeclSyntax.self) {
        read(variable: variable)
        if !variable.isOfInstance { readParts(variable, of: type) }
      } else if let conditional = member.as(IfConfigDeclSyntax.self) {
        read(conditional: conditional, of: type)
      } else if let initializer = member.as(InitializerDeclSyntax.self),
        initializer.signature.parameterClause.parameters.map(\.firstName.text) == ["row"]
      {
        report(initializer.initKeyword, .ownMember("init(row:)"))
      } else if let function = member.as(FunctionDeclSyntax.self), function.name.text == "encode",
        function.signature.parameterClause.parameters.map(\.firstName.text) == ["into"]
      {
        report(function.name, .ownMember("encode(into:)"))
      }
    }

    /// Reads every branch, since the one that is compiled is not known here.
    private mutating func read(conditional: IfConfigDeclSyntax, of type: String) {
      for clause in conditional.clauses {
        guard case .decls(let members) = clause.elements else { continue }
        for member in members.map(\.decl) {
          if let variable = member.as(VariableDeclSyntax.self), holdsParts(variable, of: type) {
            report(variable.bindings.first?.name ?? variable.bindingSpecifier, .conditionalParts)
          }
          guard let variable = member.as(VariableDeclSyntax.self), variable.isOfInstance,
            variable.bindings.contains(where: \.isStored),
            !variable.attributes.contains(named: "Transient")
          else { continue }
          report(conditional.clauses.first?.poundKeyword ?? .poundToken(), .conditional)
          return
        }
      }
    }
  }

  extension DeclGroupSyntax {
    /// True for a struct that declares no initializer in its body, and whose stored properties have
    /// no attribute that may change their types, such as a property wrapper.
    fileprivate var hasMemberwiseInitializer: Bool {
      self.is(StructDeclSyntax.self)
        && memberBlock.members.allSatisfy { member in
          if member.decl.is(InitializerDeclSyntax.self) || member.decl.is(IfConfigDeclSyntax.self) {
            return false
          }
          guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isOfInstance else {
            return true
          }
          return variable.attributes.count == Mark.all(of: variable).count
            || !variable.bindings.contains(where: \.isStored)
        }
    }
  }

  extension Model.SourceOrigin {
    /// Makes the position; nil if the line or column is unknown, or the file's name needs escapes.
    fileprivate init?(_ location: AbstractSourceLocation) {
      let file = location.file.trimmedDescription
      guard file.first == "\"", file.last == "\"", !file.contains("\\"),
        let column = Int(location.column.trimmedDescription)
      else { return nil }
      self.init(file: file, line: location.line.trimmedDescription, column: column)
    }
  }

  extension DeclModifierListSyntax {
    func contains(_ keyword: Keyword) -> Bool {
      contains { $0.name.tokenKind == .keyword(keyword) }
    }
  }

  extension DeclModifierSyntax {
    /// True if it is an access modifier.
    fileprivate var isAccess: Bool {
      [.public, .package, .internal, .fileprivate, .private]
        .contains { name.tokenKind == .keyword($0) } && detail == nil
    }
  }

  extension VariableDeclSyntax {
    /// True if the property is neither `static` nor `class`.
    var isOfInstance: Bool { !modifiers.contains(.static) && !modifiers.contains(.class) }

    /// True if it declares the `id` of instances.
    fileprivate var declaresID: Bool {
      isOfInstance && bindings.contains { $0.name?.text.unquoted == "id" }
    }
  }

  extension PatternBindingSyntax {
    /// True if the property holds its value: observers do not change that, getters do.
    var isStored: Bool {
      switch accessorBlock?.accessors {
      case nil: true
      case .getter: false
      case .accessors(let accessors):
        accessors.allSatisfy {
          $0.accessorSpecifier.tokenKind == .keyword(.willSet)
            || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
        }
      }
    }
  }
#endif
