#if Macros
  internal import SwiftSyntax

  /// A stored property as it is written.
  struct StoredProperty {
    let name: TokenSyntax
    let type: TypeSyntax?
    let value: ExprSyntax?
    let binding: PatternBindingSyntax
    let variable: VariableDeclSyntax

    var isLet: Bool { variable.bindingSpecifier.tokenKind == .keyword(.let) }

    /// True if the type says that nil is a value.
    var isOptional: Bool {
      type?.isOptional == true
    }
  }

  /// The kind of property that the written type makes it.
  enum PropertyType {
    /// An attribute, as far as can be seen.
    case value
    /// A dictionary, which is an attribute as JSON alone.
    case dictionary(TypeSyntax)
    case link(Link)
    /// A relationship whose type is optional, the type without the optional, and its description.
    case optionalLink(TypeSyntax, wrapped: TypeSyntax, String)
    /// A type whose values cannot be stored, and its description.
    case noValue(TypeSyntax, String)
    /// A type that is neither written nor visible in the initial value.
    case unknown

    enum Link { case toOne, toMany }

    /// True if it can be an attribute.
    var isValue: Bool {
      switch self {
      case .value, .dictionary: true
      default: false
      }
    }

    /// Types that are known by their name alone.
    static let scalars: Set<String> = [
      "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
      "UInt64", "Float", "Double", "String", "Data", "Date", "UUID", "Decimal", "URL",
    ]

    init(_ property: StoredProperty) {
      guard let type = property.type else {
        self = property.value.map { Self.inferred(from: $0) } ?? .unknown
        return
      }
      if let optional = type.as(OptionalTypeSyntax.self) {
        let wrapped = Self(optional.wrappedType)
        if case .link(let link) = wrapped {
          let word = link == .toOne ? "ToOne" : "ToMany"
          self = .optionalLink(type, wrapped: optional.wrappedType, word)
        } else {
          self = wrapped
        }
      } else {
        self = Self(type)
      }
    }

    private init(_ type: TypeSyntax) {
      if let link = Self.link(type) {
        self = .link(link)
      } else if type.is(DictionaryTypeSyntax.self)
        || type.as(IdentifierTypeSyntax.self)?.name.text == "Dictionary"
      {
        self = .dictionary(type)
      } else if let attributed = type.as(AttributedTypeSyntax.self) {
        self = Self(attributed.baseType)
      } else if let tuple = type.as(TupleTypeSyntax.self) {
        if tuple.elements.count == 1, let only = tuple.elements.first {
          self = Self(only.type)
        } else {
          self = .noValue(type, "a tuple")
        }
      } else if type.is(FunctionTypeSyntax.self) {
        self = .noValue(type, "a function")
      } else if type.is(SomeOrAnyTypeSyntax.self) {
        self = .noValue(type, "a value of any type")
      } else {
        self = .value
      }
    }

    private static func link(_ type: TypeSyntax) -> Link? {
      let name =
        type.as(IdentifierTypeSyntax.self).flatMap {
          $0.genericArgumentClause == nil ? nil : $0.name
        }
        ?? type.as(MemberTypeSyntax.self).flatMap {
          $0.genericArgumentClause == nil ? nil : $0.name
        }
      switch name?.text {
      case "ToOne": return .toOne
      case "ToMany": return .toMany
      default: return nil
      }
    }

    /// The type of an initial value, from its text alone.
    private static func inferred(from value: ExprSyntax) -> Self {
      if value.isPlainLiteral {
        // The type of an empty array is nowhere.
        return value.as(ArrayExprSyntax.self)?.elements.isEmpty == true ? .unknown : .value
      }
      if value.is(StringLiteralExprSyntax.self) { return .value }
      guard let first = value.firstToken(viewMode: .sourceAccurate),
        value.is(FunctionCallExprSyntax.self) || value.is(MemberAccessExprSyntax.self)
      else { return .unknown }
      if first.text == "ToOne" { return .link(.toOne) }
      if first.text == "ToMany" { return .link(.toMany) }
      // `Data()`, `Size.small`, `[String]()`: an expression that begins with a type has that type as a
      // rule.
      let isType = first.text.first?.isUppercase == true || first.tokenKind == .leftSquare
      return isType ? .value : .unknown
    }
  }

  extension TypeSyntax {
    /// The type without the optional around it.
    var withoutOptional: TypeSyntax {
      if let optional = `as`(OptionalTypeSyntax.self) { return optional.wrappedType }
      if let optional = `as`(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        return optional.wrappedType
      }
      guard let named = `as`(IdentifierTypeSyntax.self), named.name.text == "Optional",
        let wrapped = named.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
      else { return self }
      return wrapped
    }
  }

  extension ExprSyntax {
    /// A literal that means the same whenever it is read.
    var isPlainLiteral: Bool {
      if `is`(IntegerLiteralExprSyntax.self) || `is`(FloatLiteralExprSyntax.self)
        || `is`(BooleanLiteralExprSyntax.self)
      {
        return true
      }
      if let text = `as`(StringLiteralExprSyntax.self) {
        return text.openingQuote.tokenKind == .stringQuote
          && text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
      }
      if let negative = `as`(PrefixOperatorExprSyntax.self) {
        return negative.operator.text == "-" && negative.expression.isPlainLiteral
      }
      if let array = `as`(ArrayExprSyntax.self) {
        return array.elements.allSatisfy { $0.expression.isPlainLiteral }
      }
      return false
    }

    /// True if it is `nil` or `[]`, which a save takes for "no link".
    var clearsLinks: Bool {
      `is`(NilLiteralExprSyntax.self)
        || `as`(ArrayExprSyntax.self)?.elements.isEmpty == true
    }

    /// The argument of `.fallback(…)`; nil for any other expression.
    var fallback: String? {
      guard let call = `as`(FunctionCallExprSyntax.self),
        call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "fallback"
      else { return nil }
      return call.arguments.first?.expression.trimmedDescription
    }

    /// Returns the argument of `.fallback(…)`, as it is written where the type is known.
    func fallback(of type: TypeSyntax?) -> String? {
      guard let fallback else { return nil }
      let prefix = (type?.withoutOptional.trimmedDescription ?? "") + "."
      return fallback.hasPrefix(prefix) && prefix != "."
        ? "." + fallback.dropFirst(prefix.count) : fallback
    }

    /// True if the attribute has a default of its own, or can have none: `.defaultNow`, `.version`.
    var decidesDefault: Bool {
      [
        "default", "defaultNow", "defaultUUID", "createdAt", "updatedAt", "version", "softDelete",
      ].contains(calledMember?.text.unquoted)
    }
  }
#endif
