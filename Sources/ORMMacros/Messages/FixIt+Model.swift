#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  /// The message of a fix-it, with its identifier.
  private struct FixItText: FixItMessage {
    let message: String
    let fixItID: MessageID
  }

  extension FixIt {
    /// A fix-it that replaces texts.
    private init(_ id: String, _ message: String, _ changes: Change...) {
      self.init(
        message: FixItText(message: message, fixItID: MessageID(domain: "ORMMacros", id: id)),
        changes: changes)
    }

    static func makeFinal(_ model: ClassDeclSyntax) -> FixIt {
      FixIt("makeFinal", "add 'final'", .insert("final ", before: model.classKeyword))
    }

    static func makeFileprivate(_ modifier: DeclModifierSyntax) -> FixIt {
      FixIt("makeFileprivate", "make it 'fileprivate'", .replace(modifier, with: "fileprivate"))
    }

    static func makeVar(_ variable: VariableDeclSyntax) -> FixIt {
      FixIt(
        "makeVar", "replace 'let' with 'var'", .replace(variable.bindingSpecifier, with: "var"))
    }

    /// Puts a mark before a property.
    static func mark(_ mark: String, _ variable: VariableDeclSyntax) -> FixIt {
      FixIt("mark", "mark it '\(mark)'", .insert(mark + " ", before: variable))
    }

    static func replace(_ mark: AttributeSyntax, with other: String) -> FixIt {
      FixIt("replaceMark", "replace it with '\(other)'", .replace(mark, with: other))
    }

    static func removeQuestionMark(_ type: TypeSyntax, keeping wrapped: TypeSyntax) -> FixIt {
      FixIt("removeQuestionMark", "remove '?'", .replace(type, with: wrapped.trimmedDescription))
    }

    /// Makes an optional relationship a plain one, with an initial value that sets nothing.
    static func removeQuestionMark(
      _ type: TypeSyntax, keeping wrapped: TypeSyntax, and value: ExprSyntax, with other: String
    ) -> FixIt {
      FixIt(
        "removeQuestionMark", "remove '?'", .replace(type, with: wrapped.trimmedDescription),
        .replace(value, with: other))
    }

    static func replace(_ value: ExprSyntax, with other: String) -> FixIt {
      FixIt("replaceValue", "replace it with '\(other)'", .replace(value, with: other))
    }

    static func replace(_ type: TypeSyntax, with other: String) -> FixIt {
      FixIt("replaceType", "replace it with '\(other)'", .replace(type, with: other))
    }

    /// Takes an option away, with the comma before it.
    static func remove(_ option: ExprSyntax, from mark: Mark) -> FixIt {
      let rest = mark.arguments.filter { $0.expression.id != option.id }
        .map { $0.with(\.trailingComma, nil).trimmedDescription }
      return FixIt(
        "removeOption", "remove it",
        .replace(mark.syntax, with: "@\(mark.name)(\(rest.joined(separator: ", ")))"))
    }

    /// Takes an attribute away, with the space after it.
    static func remove(_ attribute: AttributeSyntax) -> FixIt {
      FixIt("removeAttribute", "remove '\(attribute.trimmedDescription)'", .remove(attribute))
    }

    static func insertRoot(_ root: String, _ path: KeyPathExprSyntax) -> FixIt {
      FixIt("insertRoot", "insert '\(root)'", .insert(root, after: path.backslash))
    }

    static func addType(_ property: StoredProperty) -> FixIt {
      FixIt("addType", "add a type", .insert(": <#Type#>", after: property.name))
    }

    static func addValue(_ property: StoredProperty) -> FixIt {
      let last = property.binding.typeAnnotation.map { Syntax($0) } ?? Syntax(property.name)
      return FixIt("addValue", "add an initial value", .insert(" = <#value#>", after: last))
    }
  }

  extension FixIt.Change {
    /// Replaces a node's text, not the trivia around it.
    fileprivate static func replace(_ node: some SyntaxProtocol, with text: String) -> Self {
      .replaceText(
        range: node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia,
        with: text, in: Syntax(node))
    }

    /// Removes a node's text and the trivia up to the next node.
    fileprivate static func remove(_ node: some SyntaxProtocol) -> Self {
      let end = node.nextToken(viewMode: .sourceAccurate)?.positionAfterSkippingLeadingTrivia
      return .replaceText(
        range: node.positionAfterSkippingLeadingTrivia..<(end ?? node.endPosition), with: "",
        in: Syntax(node))
    }

    fileprivate static func insert(_ text: String, before node: some SyntaxProtocol) -> Self {
      let position = node.positionAfterSkippingLeadingTrivia
      return .replaceText(range: position..<position, with: text, in: Syntax(node))
    }

    fileprivate static func insert(_ text: String, after node: some SyntaxProtocol) -> Self {
      let position = node.endPositionBeforeTrailingTrivia
      return .replaceText(range: position..<position, with: text, in: Syntax(node))
    }
  }
#endif
