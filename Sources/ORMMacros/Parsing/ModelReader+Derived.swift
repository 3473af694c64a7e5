#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  extension ModelReader {
    mutating func readDerived(_ property: StoredProperty, _ mark: Mark) {
      if let derivation = mark.options.first.flatMap({ DerivedArgument($0) }) {
        checkType(of: property, derivation)
        derivations.append(derivation)
      }
      for option in mark.options.dropFirst() {
        guard let name = option.calledMember?.text.unquoted, let fault = Self.faults[name] else {
          continue
        }
        report(option, .derivedOption(name, fault), [.remove(option, from: mark)])
      }
      add(property, mark, .derived(arguments: mark.options.map(\.trimmedDescription)))
    }

    /// The reasons why options cannot be used on a derived attribute, by the option.
    private static let faults: [String: String] = [
      "default": "a derived attribute has a fixed initial value",
      "defaultNow": "a derived attribute has a fixed initial value",
      "defaultUUID": "a derived attribute has a fixed initial value",
      "unique": "a derived attribute cannot be unique",
      "normalized": "a derived attribute cannot be normalized; normalize its source",
      "range": "a validation rule cannot use a derived attribute, which changes without a save",
      "length": "a validation rule cannot use a derived attribute, which changes without a save",
      "matches": "a validation rule cannot use a derived attribute, which changes without a save",
      "check": "a validation rule cannot use a derived attribute, which changes without a save",
      "createdAt": "a derived attribute cannot also be a managed attribute",
      "updatedAt": "a derived attribute cannot also be a managed attribute",
      "softDelete": "a derived attribute cannot also be a managed attribute",
      "version": "a derived attribute cannot also be a managed attribute",
    ]

    /// Types whose names say nothing here are left to the compiler and the schema.
    private mutating func checkType(of property: StoredProperty, _ derivation: DerivedArgument) {
      guard let type = property.type else { return }
      let wrapped = type.withoutOptional.trimmedDescription
      let isKnown = PropertyType.scalars.contains(wrapped)
      switch derivation.kind {
      case "count" where property.isOptional || isKnown && !["Int", "Int64"].contains(wrapped):
        report(type, .countType, [.replace(type, with: wrapped == "Int64" ? wrapped : "Int")])
      case "sum" where property.isOptional:
        report(type, .optionalSum, [.replace(type, with: wrapped)])
      case "sum" where isKnown && !Self.sums.contains(wrapped):
        report(type, .sumType(wrapped))
      case "average" where isKnown && (wrapped != "Double" || !property.isOptional):
        report(type, .meanType, [.replace(type, with: "Double?")])
      case "minimum" where isKnown && !property.isOptional,
        "maximum" where isKnown && !property.isOptional:
        report(type, .extremeType, [.replace(type, with: wrapped + "?")])
      default: break
      }
    }

    private static let sums: Set<String> = ["Int", "Int64", "UInt", "UInt64", "Double", "Decimal"]

    /// Reports derived attributes whose to-many the model does not have, once all properties were read.
    mutating func checkDerivations(of type: String) {
      for derivation in derivations {
        switch derivation.source {
        case .name(let literal, let name):
          if !hasToMany({ $0.name == "\"\(name)\"" }) { report(literal, .noToMany(name)) }
        case .path(let path, root: let root, let name):
          if let root, root.lastName != type {
            report(root, .otherRoot(type))
          } else if !hasToMany({ $0.code.unquoted == name }) {
            report(path, .noToMany(name))
          } else if root == nil {
            report(path, .noRoot("\\\(type).\(name)"), [.insertRoot(type, path)])
          }
        }
      }
    }

    private func hasToMany(_ isIt: (Model.Property) -> Bool) -> Bool {
      properties.contains {
        if case .toMany = $0.kind { isIt($0) } else { false }
      }
    }
  }

  /// The first argument of `@Derived`: `.sum(of: \Team.players, \Player.score)`.
  struct DerivedArgument {
    /// The to-many, as far as it can be seen.
    enum Source {
      case name(ExprSyntax, String)
      case path(KeyPathExprSyntax, root: TypeSyntax?, String)
    }

    /// `count`, `sum` and so on.
    let kind: String
    let source: Source

    init?(_ expression: ExprSyntax) {
      guard let call = expression.as(FunctionCallExprSyntax.self),
        let kind = expression.calledMember?.text, let first = call.arguments.first?.expression
      else { return nil }
      self.kind = kind
      if let name = first.literalText {
        source = .name(first, name)
      } else if let path = first.as(KeyPathExprSyntax.self), let name = path.onlyProperty {
        source = .path(path, root: path.root, name)
      } else {
        return nil
      }
    }
  }

  extension KeyPathExprSyntax {
    /// The property that the path consists of; nil for a longer one.
    var onlyProperty: String? {
      guard components.count == 1 else { return nil }
      return components.first?.component.as(KeyPathPropertyComponentSyntax.self)?
        .declName.baseName.text.unquoted
    }
  }

  extension TypeSyntax {
    /// The name, without those of enclosing types.
    fileprivate var lastName: String? {
      `as`(IdentifierTypeSyntax.self)?.name.text.unquoted
        ?? `as`(MemberTypeSyntax.self)?.name.text.unquoted
    }
  }
#endif
