#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  extension ModelReader {
    mutating func readLink(
      _ property: StoredProperty, _ link: PropertyType.Link, _ mark: Mark?, key: Mark? = nil
    ) {
      if let mark, mark.kind == .primaryKey, link == .toOne {
        readLink(property, link, nil, key: mark)
        return
      }
      if let mark, mark.kind == .primaryKey {
        report(mark.syntax, .keyOfToMany)
        return
      }
      if let mark, mark.kind != .relationship {
        report(
          mark.syntax, .markOfLink(mark.name), [.replace(mark.syntax, with: "@Relationship")])
        return
      }
      if property.isLet {
        report(property.variable.bindingSpecifier, .linkIsLet, [.makeVar(property.variable)])
      }
      if let value = property.value, value.clearsLinks {
        let word = link == .toOne ? "ToOne" : "ToMany"
        report(
          value, .clearingDefault(value.trimmedDescription, word),
          [.replace(value, with: "\(word)()")])
      }
      var arguments: [String] = []
      var inverse: KeyPathExprSyntax?
      for argument in mark?.arguments ?? [] {
        guard let label = argument.label, label.text != "name" else { continue }
        // Of the key it is required in any case.
        if key != nil, label.text == "required" { continue }
        let isMisplaced =
          link == .toOne
          ? ["count", "ordered", "shared", "through"].contains(label.text)
          : label.text == "required"
        if isMisplaced {
          report(label, link == .toOne ? .notOfToOne(label.text) : .notOfToMany(label.text))
        }
        arguments.append("\(label.text): \(argument.expression.trimmedDescription)")
        if label.text == "inverse", let path = argument.expression.as(KeyPathExprSyntax.self) {
          inverse = path
        }
      }
      let target = property.linkTarget
      let root = inverse?.root?.trimmedDescription
      if let inverse, target == modelName, root == modelName, let path = inverse.onlyProperty,
        path == property.name.text.unquoted
      {
        report(inverse, .ownInverse)
      }
      // The compiler knows whether two names are of one type.
      let located = root != nil && target != nil && root != target ? inverse : nil
      switch link {
      case .toOne where key != nil: addLinkedKey(property, mark, key, arguments)
      case .toOne:
        add(
          property, mark, .toOne(arguments: arguments), origin: located.flatMap { origin(of: $0) })
      case .toMany:
        firstToMany = firstToMany ?? property.name
        add(
          property, mark, .toMany(arguments: arguments), origin: located.flatMap { origin(of: $0) })
      }
    }

    /// Returns whether the key is one of several attributes, which was read then.
    mutating func readCompositeKey(_ property: StoredProperty, _ mark: Mark) -> Bool {
      let name = property.type?.trimmedDescription.split(separator: ".").last.map(String.init)
      let type = name.flatMap { structs[$0.unquoted] }.flatMap { $0.isCompositeKey ? $0 : nil }
      let named = mark.parts
      guard type != nil || named != nil else { return false }
      for option in mark.options { report(option, .optionOfCompositeKey) }
      let parts = type.map { Self.parts(of: $0) } ?? []
      let key = Model.CompositeKey(
        parts: named ?? parts.map(\.name.text),
        initializer: type.flatMap { type in
          named == nil && type.hasMemberwiseInitializer(parts)
            ? property.type?.trimmedDescription : nil
        })
      add(property, mark, .compositeKey(key))
      return true
    }

    private static func parts(of type: StructDeclSyntax) -> [StoredProperty] {
      type.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
        .filter(\.isOfInstance)
        .flatMap { variable in
          variable.bindings.filter(\.isStored).compactMap { binding in
            binding.name.map {
              StoredProperty(
                name: $0, type: binding.typeAnnotation?.type, value: binding.initializer?.value,
                binding: binding, variable: variable)
            }
          }
        }
    }
  }

  extension StructDeclSyntax {
    fileprivate var isCompositeKey: Bool {
      inheritanceClause?.inheritedTypes.contains {
        $0.type.trimmedDescription.split(separator: ".").last == "CompositeKey"
      } ?? false
    }

    /// Returns whether all parts can be given to an initialiser that the compiler makes.
    fileprivate func hasMemberwiseInitializer(_ parts: [StoredProperty]) -> Bool {
      !memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
        && parts.allSatisfy { part in
          !(part.isLet && part.value != nil)
            && !part.variable.modifiers.contains {
              $0.detail == nil
                && ($0.name.tokenKind == .keyword(.private)
                  || $0.name.tokenKind == .keyword(.fileprivate))
            }
        }
    }
  }
#endif
