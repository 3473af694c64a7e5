#if Macros
  internal import SwiftSyntax

  extension ModelReader {
    /// Takes the static properties of the type `EntityPart` as parts of the entity.
    mutating func readParts(_ variable: VariableDeclSyntax, of type: String) {
      for binding in variable.bindings {
        guard let name = binding.name, name.text != "sharedAttributes" else { continue }
        if let array = binding.typeAnnotation?.type.as(ArrayTypeSyntax.self),
          array.element.isPart(of: type)
        {
          report(array, .listOfParts)
        }
        guard binding.isPart(of: type) else { continue }
        if let value = binding.initializer?.value ?? binding.getterValue { checkParts(value) }
        parts.append(name.text)
      }
    }

    /// Reports parts that only a property may declare, since columns are counted by the properties.
    private mutating func checkParts(_ expression: ExprSyntax) {
      guard let call = expression.as(FunctionCallExprSyntax.self),
        let member = call.calledExpression.as(MemberAccessExprSyntax.self)
      else { return }
      if let base = member.base { checkParts(base) }
      let name = member.declName.baseName
      if Self.partsOfProperties.contains(name.text) { report(name, .partOfProperty(name.text)) }
      if name.text == "joined" {
        for argument in call.arguments { checkParts(argument.expression) }
      }
    }

    private static let partsOfProperties: Set<String> = [
      "key", "attribute", "json", "embedded", "derived", "relationship",
    ]

    /// Returns whether a declaration inside `#if` holds parts.
    func holdsParts(_ variable: VariableDeclSyntax, of type: String) -> Bool {
      !variable.isOfInstance && variable.bindings.contains { $0.isPart(of: type) }
    }
  }

  extension PatternBindingSyntax {
    /// Returns whether the written type is `EntityPart` of the model.
    fileprivate func isPart(of type: String) -> Bool {
      if let written = typeAnnotation?.type { return written.isPart(of: type) }
      var base = initializer?.value
      while let value = base {
        if let call = value.as(FunctionCallExprSyntax.self) {
          base = call.calledExpression
        } else if let member = value.as(MemberAccessExprSyntax.self) {
          base = member.base
        } else {
          return value.as(GenericSpecializationExprSyntax.self)?.isPart(of: type) == true
        }
      }
      return false
    }

    /// The expression that a getter of a single expression returns.
    fileprivate var getterValue: ExprSyntax? {
      guard case .getter(let items)? = accessorBlock?.accessors, let item = items.last?.item else {
        return nil
      }
      return item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    }
  }

  extension TypeSyntax {
    /// `EntityPart<Self>`, `ORM.EntityPart<Room>`.
    fileprivate func isPart(of type: String) -> Bool {
      if let named = `as`(IdentifierTypeSyntax.self) {
        return named.name.text == "EntityPart"
          && named.genericArgumentClause?.isModel(type) == true
      }
      guard let member = `as`(MemberTypeSyntax.self) else { return false }
      return member.name.text == "EntityPart"
        && member.genericArgumentClause?.isModel(type) == true
    }
  }

  extension GenericSpecializationExprSyntax {
    fileprivate func isPart(of type: String) -> Bool {
      let name =
        expression.as(DeclReferenceExprSyntax.self)?.baseName
        ?? expression.as(MemberAccessExprSyntax.self)?.declName.baseName
      return name?.text == "EntityPart" && genericArgumentClause.isModel(type)
    }
  }

  extension GenericArgumentClauseSyntax {
    /// Returns whether the first argument names the model: by `Self`, or by its name alone or qualified.
    fileprivate func isModel(_ type: String) -> Bool {
      guard let argument = arguments.first?.argument.as(TypeSyntax.self) else { return false }
      let name =
        argument.as(IdentifierTypeSyntax.self)?.name ?? argument.as(MemberTypeSyntax.self)?.name
      return name?.text == "Self" || name?.text.unquoted == type
    }
  }
#endif
