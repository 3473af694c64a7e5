#if Macros
  internal import SwiftSyntax

  /// One of our marks at a property.
  struct Mark {
    enum Kind { case primaryKey, attribute, derived, embedded, relationship, transient }

    let kind: Kind
    let syntax: AttributeSyntax

    /// The name as it is written.
    var name: String { syntax.attributeName.trimmedDescription }

    var arguments: [LabeledExprSyntax] {
      guard case .argumentList(let list)? = syntax.arguments else { return [] }
      return Array(list)
    }

    /// The arguments before the first label; empty for `@Attribute(.json)`.
    var options: [ExprSyntax] {
      isJSON ? [] : arguments.prefix { $0.label == nil }.map(\.expression)
    }

    /// The text of the argument with this label; nil where it is not given, or nil.
    func labeled(_ label: String) -> String? {
      guard let expression = arguments.first(where: { $0.label?.text == label })?.expression,
        !expression.is(NilLiteralExprSyntax.self)
      else { return nil }
      return expression.trimmedDescription
    }

    /// True for `@Attribute(.json)`.
    var isJSON: Bool {
      kind == .attribute
        && arguments.first?.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
          == "json"
    }

    /// The names in `@PrimaryKey(parts: "room", "number")`.
    var parts: [String]? {
      guard let first = arguments.firstIndex(where: { $0.label?.text == "parts" }) else {
        return nil
      }
      return arguments[first...].compactMap { $0.expression.literalText }
    }

    /// The marks of a property, in order.
    static func all(of variable: VariableDeclSyntax) -> [Mark] {
      variable.attributes.compactMap { element in
        guard let attribute = element.as(AttributeSyntax.self) else { return nil }
        let kind: Kind
        switch attribute.lastName {
        case "PrimaryKey": kind = .primaryKey
        case "Attribute": kind = .attribute
        case "Derived": kind = .derived
        case "Embedded": kind = .embedded
        case "Relationship": kind = .relationship
        case "Transient": kind = .transient
        default: return nil
        }
        return Mark(kind: kind, syntax: attribute)
      }
    }
  }

  extension AttributeSyntax {
    /// The name, without a module before it.
    var lastName: String? {
      attributeName.as(IdentifierTypeSyntax.self)?.name.text
        ?? attributeName.as(MemberTypeSyntax.self)?.name.text
    }
  }

  extension AttributeListSyntax {
    func contains(named name: String) -> Bool {
      contains { $0.as(AttributeSyntax.self)?.lastName == name }
    }
  }

  extension ExprSyntax {
    /// The name in `.indexed` and `.default(3)`.
    var calledMember: TokenSyntax? {
      let called = `as`(FunctionCallExprSyntax.self)?.calledExpression ?? self
      return called.as(MemberAccessExprSyntax.self)?.declName.baseName
    }

    /// The text of a string literal without interpolation.
    var literalText: String? {
      guard let segments = `as`(StringLiteralExprSyntax.self)?.segments, segments.count == 1,
        case .stringSegment(let segment)? = segments.first
      else { return nil }
      return segment.content.text
    }
  }
#endif
