#if Macros
  internal import SwiftSyntax

  /// The arguments that `@Persistable` itself was given.
  struct EntityArguments {
    /// Arguments of the entity's initialiser.
    var arguments: [String]
    /// The terms of each index, and of each unique rule.
    var indexes: [String] = []
    var uniques: [String] = []

    static func read(
      _ attribute: AttributeSyntax, of type: String, _ properties: [Model.Property],
      _ reader: inout ModelReader
    ) -> EntityArguments {
      var result = EntityArguments(arguments: ["\"\(type)\""])
      guard case .argumentList(let list)? = attribute.arguments else { return result }
      let names = Names(properties)
      for argument in list where !argument.expression.is(NilLiteralExprSyntax.self) {
        let text = argument.expression.trimmedDescription
        switch argument.label?.text {
        case nil: result.arguments[0] = text
        case "indexes":
          result.indexes = terms(argument.expression, names, &reader)
        case "unique":
          result.uniques = terms(argument.expression, names, &reader)
        case let label?: result.arguments.append("\(label): \(text)")
        }
      }
      return result
    }

    /// The lists of terms, each as arguments of one call.
    private static func terms(
      _ expression: ExprSyntax, _ names: Names, _ reader: inout ModelReader
    ) -> [String] {
      guard let lists = expression.as(ArrayExprSyntax.self) else {
        reader.report(expression, .noListOfTerms)
        return []
      }
      return lists.elements.compactMap { element in
        guard let terms = element.expression.as(ArrayExprSyntax.self) else {
          reader.report(element.expression, .noListOfTerms)
          return nil
        }
        for term in terms.elements {
          if let literal = name(in: term.expression), let name = literal.literalText,
            !names.contain(name)
          {
            reader.report(literal, .noSuchAttribute(name))
          }
        }
        return terms.elements.map(\.expression.trimmedDescription).joined(separator: ", ")
      }
    }

    /// The name in `"price"` and `.descending("price")`.
    private static func name(in term: ExprSyntax) -> ExprSyntax? {
      if term.is(StringLiteralExprSyntax.self) { return term }
      return term.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
    }

    /// The names that an index can have in it.
    private struct Names {
      private var attributes: Set<String> = []
      /// Keys of to-ones are attributes too, `team.id` or `team_id`, and those of structs:
      /// `address.street`.
      private var links: [String] = []
      private var areKnown = true

      init(_ properties: [Model.Property]) {
        for property in properties {
          if case .compositeKey(let key) = property.kind {
            attributes.formUnion(key.parts.map(\.unquoted))
            continue
          }
          guard property.name.hasPrefix("\""), property.name.hasSuffix("\"") else {
            areKnown = false
            continue
          }
          let name = String(property.name.dropFirst().dropLast())
          switch property.kind {
          case .toOne, .linkedKey:
            links += [name + "_", name + "."]
            attributes.insert(name)
          case .embedded:
            links.append(name + ".")
            attributes.insert(name)
          default: attributes.insert(name)
          }
        }
      }

      func contain(_ name: String) -> Bool {
        !areKnown || attributes.contains(name) || links.contains { name.hasPrefix($0) }
      }
    }
  }
#endif
