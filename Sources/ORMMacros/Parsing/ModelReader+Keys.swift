#if Macros
  internal import SwiftSyntax

  /// A property that is marked as the primary key, or as a part of it.
  struct KeyProperty {
    let property: StoredProperty
    let mark: AttributeSyntax
    /// The target's type, of a to-one.
    let target: String?
  }

  extension ModelReader {
    /// Adds a to-one that is part of the key.
    mutating func addLinkedKey(
      _ property: StoredProperty, _ mark: Mark?, _ key: Mark?, _ arguments: [String]
    ) {
      guard let key else { return }
      for option in key.options { report(option, .optionOfCompositeKey) }
      guard let target = property.linkTarget else {
        report(property.name, .inferredTarget, [.addType(property)])
        return
      }
      keys.append(KeyProperty(property: property, mark: key.syntax, target: target))
      keyMark = keyMark ?? key.syntax
      add(property, mark?.labeled("name") == nil ? key : mark, .linkedKey(arguments: arguments))
    }

    /// Checks the properties that are marked as keys together: several are one key if there is a
    /// to-one among them.
    mutating func checkKeys() {
      guard keys.contains(where: { $0.target != nil }) else {
        for key in keys.dropFirst() { report(key.mark, .severalKeys) }
        return
      }
      namedKey = nil
      for key in keys {
        if key.property.name.text.unquoted == "id" { report(key.property.name, .partIsID) }
        if key.target == nil { checkPart(key) }
      }
    }

    /// Checks an attribute beside the to-ones of a key.
    private mutating func checkPart(_ key: KeyProperty) {
      if key.property.type == nil {
        report(
          key.property.name, .noType(key.property.name.text), [.addType(key.property)])
      }
      if properties.contains(where: {
        if case .compositeKey = $0.kind { $0.code == key.property.name.text } else { false }
      }) {
        report(key.mark, .severalKeys)
      }
      for option in Mark(kind: .primaryKey, syntax: key.mark).options
      where option.calledMember?.text.unquoted != "named" {
        report(option, .optionOfCompositeKey)
      }
    }

    /// The key whose parts are properties; nil if there is no to-one among them.
    func linkedKey(declaresID: Bool) -> Model.LinkedKey? {
      guard keys.contains(where: { $0.target != nil }) else { return nil }
      return Model.LinkedKey(
        parts: keys.map { key in
          (
            code: key.property.name.text,
            type: key.target.map { "\($0).ID?" } ?? key.property.type?.trimmedDescription ?? "",
            isLink: key.target != nil
          )
        },
        declaresType: structs["ID"] != nil, declaresID: declaresID)
    }
  }

  extension StoredProperty {
    /// The target's type in `ToOne<Team>`; nil where no type is written.
    var linkTarget: String? {
      let clause =
        type?.as(IdentifierTypeSyntax.self)?.genericArgumentClause
        ?? type?.as(MemberTypeSyntax.self)?.genericArgumentClause
      return clause?.arguments.first?.argument.trimmedDescription
    }
  }
#endif
