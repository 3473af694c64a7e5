#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  // The checks of a property by its type, name and initial value alone.
  extension ModelReader {
    /// Returns where a property's type is written; the property, where none is.
    func origin(of property: StoredProperty) -> Model.SourceOrigin? {
      property.type.map { origin(of: $0) } ?? origin(of: property.name)
    }

    /// Returns whether the names of the type and of the options say that the attribute compiles.
    func isPlain(_ property: StoredProperty, _ mark: Mark?) -> Bool {
      let values = (mark?.options ?? []).filter { $0.calledMember?.text.unquoted == "default" }
        .compactMap { $0.as(FunctionCallExprSyntax.self)?.arguments.first?.expression }
      guard values.allSatisfy(\.isPlainLiteral) else { return false }
      guard let type = property.type?.withoutOptional else {
        return property.value?.isPlainLiteral == true
          || property.value?.is(StringLiteralExprSyntax.self) == true
          || (property.value?.as(FunctionCallExprSyntax.self)?.calledExpression).map {
            PropertyType.scalars.contains($0.trimmedDescription)
          } == true
      }
      return PropertyType.scalars.contains((type.element ?? type).trimmedDescription)
    }

    /// Reports names that the code made for the model cannot use.
    mutating func checkName(_ property: StoredProperty, isStored: Bool) {
      switch property.name.text.unquoted {
      case "entity": report(property.name, .takenName("entity"))
      case let name where isStored && ["self", "init", "Type", "Protocol"].contains(name):
        report(property.name, .unusableName(name))
      default: break
      }
    }

    /// Reports a nil inside a nil, and nils among the elements of an array.
    mutating func checkNils(_ property: StoredProperty, isJSON: Bool) {
      guard let type = property.type else { return }
      let wrapped = type.withoutOptional
      if type.isOptional, wrapped.isOptional {
        let storable = wrapped.withoutOptional.innermost.trimmedDescription + "?"
        report(type, .nilInNil(type.trimmedDescription), [.replace(type, with: storable)])
      } else if !isJSON, let element = wrapped.element, element.isOptional {
        let storable = element.innermost.trimmedDescription
        report(
          element, .nilElements,
          [.replace(element, with: storable), .mark("@Attribute(.json)", property.variable)])
      }
    }

    /// Reports a type that no primary key can have.
    mutating func checkKeyType(_ property: StoredProperty) {
      guard let type = property.type, !type.isOptional, type.element != nil else { return }
      report(type, .keyType(type.trimmedDescription))
    }

    /// Checks the default against the type, and against the rules of the attribute.
    mutating func checkDefault(of property: StoredProperty, _ mark: Mark?) {
      let options = mark?.options ?? []
      let own = options.first { $0.calledMember?.text.unquoted == "default" }?
        .as(FunctionCallExprSyntax.self)?.arguments.first?.expression
      if let own, let type = property.type?.withoutOptional.trimmedDescription,
        let fit = Self.literals[type], let literal = LiteralKind(own), !fit.contains(literal)
      {
        report(own, .defaultType(type))
        return
      }
      guard let value = own ?? property.value,
        own != nil || !options.contains(where: \.decidesDefault)
      else { return }
      for option in options {
        guard let name = option.calledMember?.text, name == "range" || name == "length",
          let bounds = option.as(FunctionCallExprSyntax.self)?.arguments.first?.expression,
          // A text that starts empty, and must not be saved so, is common.
          own != nil || name == "range", let range = LiteralRange(bounds),
          let number = name == "range" ? value.number : value.length, !range.contains(number)
        else { continue }
        report(
          value,
          .defaultOutside(
            value.trimmedDescription, "\(name)(\(bounds.trimmedDescription))"))
      }
    }

    /// The literals that a value of a type can be written as.
    private static let literals: [String: Set<LiteralKind>] = {
      var result: [String: Set<LiteralKind>] = [
        "Bool": [.bool], "String": [.text], "Float": [.integer, .fraction],
        "Double": [.integer, .fraction], "Decimal": [.integer, .fraction], "Data": [], "Date": [],
        "UUID": [], "URL": [],
      ]
      for name in PropertyType.scalars where name.contains("Int") { result[name] = [.integer] }
      return result
    }()
  }

  /// The kind of a literal.
  private enum LiteralKind {
    case bool, integer, fraction, text

    init?(_ value: ExprSyntax) {
      if value.is(BooleanLiteralExprSyntax.self) {
        self = .bool
      } else if value.is(StringLiteralExprSyntax.self) {
        self = .text
      } else if value.is(IntegerLiteralExprSyntax.self) {
        self = .integer
      } else if value.is(FloatLiteralExprSyntax.self) {
        self = .fraction
      } else if let negative = value.as(PrefixOperatorExprSyntax.self),
        negative.operator.text == "-"
      {
        self.init(negative.expression)
      } else {
        return nil
      }
    }
  }

  /// A range whose bounds are literals.
  private struct LiteralRange {
    private var lower: Double?
    private var upper: Double?
    private var includesUpper = true

    init?(_ range: ExprSyntax) {
      if let after = range.as(PostfixOperatorExprSyntax.self), after.operator.text == "..." {
        guard let bound = after.expression.number else { return nil }
        lower = bound
      } else if let before = range.as(PrefixOperatorExprSyntax.self),
        before.operator.text.hasPrefix("..")
      {
        guard let bound = before.expression.number else { return nil }
        (upper, includesUpper) = (bound, before.operator.text == "...")
      } else if let elements = range.as(SequenceExprSyntax.self)?.elements, elements.count == 3,
        let word = elements.dropFirst().first?.as(BinaryOperatorExprSyntax.self)?.operator.text,
        let first = elements.first?.number, let last = elements.last?.number
      {
        guard word == "..." || word == "..<" else { return nil }
        (lower, upper, includesUpper) = (first, last, word == "...")
      } else {
        return nil
      }
    }

    func contains(_ number: Double) -> Bool {
      if let lower, number < lower { return false }
      guard let upper else { return true }
      return number < upper || includesUpper && number == upper
    }
  }

  extension ExprSyntax {
    /// The value of a decimal literal.
    fileprivate var number: Double? {
      if let negative = `as`(PrefixOperatorExprSyntax.self), negative.operator.text == "-" {
        return negative.expression.number.map { -$0 }
      }
      if let tuple = `as`(TupleExprSyntax.self), tuple.elements.count == 1 {
        return tuple.elements.first?.expression.number
      }
      guard `is`(IntegerLiteralExprSyntax.self) || `is`(FloatLiteralExprSyntax.self) else {
        return nil
      }
      return Double(trimmedDescription.filter { $0 != "_" })
    }

    /// The scalars of a text without escapes, or the elements of an array.
    fileprivate var length: Double? {
      if let elements = `as`(ArrayExprSyntax.self)?.elements { return Double(elements.count) }
      if let segments = `as`(StringLiteralExprSyntax.self)?.segments, segments.isEmpty { return 0 }
      guard let text = literalText, !text.contains("\\") else { return nil }
      return Double(text.unicodeScalars.count)
    }
  }

  extension TypeSyntax {
    /// True if nil is a value of the type.
    var isOptional: Bool {
      `is`(OptionalTypeSyntax.self) || `is`(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        || `as`(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }

    /// The type without any optional around it.
    fileprivate var innermost: TypeSyntax { isOptional ? withoutOptional.innermost : self }

    /// The type of the elements of an array or a set.
    var element: TypeSyntax? {
      if let array = `as`(ArrayTypeSyntax.self) { return array.element }
      guard let named = `as`(IdentifierTypeSyntax.self),
        named.name.text == "Array" || named.name.text == "Set"
      else { return nil }
      return named.genericArgumentClause?.arguments.first?.argument.as(TypeSyntax.self)
    }
  }
#endif
