#if Macros
  package import SwiftDiagnostics

  /// A diagnostic message of the macro about a declaration.
  package struct ModelMessage: DiagnosticMessage {
    package let message: String
    package let diagnosticID: MessageID
    package let severity: DiagnosticSeverity

    private init(_ id: String, _ message: String, _ severity: DiagnosticSeverity = .error) {
      self.message = message
      diagnosticID = MessageID(domain: "ORMMacros", id: id)
      self.severity = severity
    }
  }

  // The type.
  extension ModelMessage {
    static let noModel = Self(
      "noModel",
      "'@Persistable' can be applied only to structs and final classes")
    static let notFinal = Self("notFinal", "a class that is a model must be final")
    static let generic = Self(
      "generic",
      "a generic type cannot have a stored static property 'entity': write the conformance by "
        + "hand, with a computed one")
    static func insideGeneric(_ outer: String) -> Self {
      Self(
        "insideGeneric",
        "a type inside the generic '\(outer)' cannot have a stored static property 'entity': "
          + "move it outside")
    }
    static let privateInside = Self(
      "privateInside",
      "'@Persistable' cannot extend a private type inside another: make it 'fileprivate', or "
        + "move it outside")
    static func ownMember(_ name: String) -> Self {
      Self(
        "ownMember",
        "'\(name)' is made by '@Persistable': remove it, or write the whole conformance by hand")
    }
    static let twice = Self("twice", "'@Persistable' is there already: remove this one")
    static func onActor(_ actor: String) -> Self {
      Self(
        "onActor",
        "a model cannot be on an actor, since stores read and write it on any thread: remove "
          + "'\(actor)'")
    }
    static func takenName(_ name: String) -> Self {
      Self("takenName", "'\(name)' is made by '@Persistable': give this property another name")
    }
    static func unusableName(_ name: String) -> Self {
      Self(
        "unusableName",
        "code cannot read a property that is called '\(name)': give it another name")
    }
    static let noAttribute = Self("noAttribute", "a model needs at least one stored property")
    static let conditional = Self(
      "conditional",
      "a macro cannot see which branch of '#if' is compiled: mark these properties '@Transient', "
        + "or move them out of '#if'")
    static let noListOfTerms = Self(
      "noListOfTerms",
      "the lists must be array literals, such as [[\"name\", .descending(\"price\")]]")
    static func noSuchAttribute(_ name: String) -> Self {
      Self("noSuchAttribute", "the model has no attribute '\(name)'")
    }
  }

  // Any property.
  extension ModelMessage {
    static let tuple = Self("tuple", "declare each property by itself")
    static func notStored(_ word: String) -> Self {
      let article = word == "unowned" ? "an" : "a"
      return Self("notStored", "\(article) \(word) property cannot be an attribute")
    }
    static func constant(_ name: String) -> Self {
      Self(
        "constant",
        "'\(name)' is a 'let' with a value, which a stored row cannot replace: make it 'var'")
    }
    static func noType(_ name: String) -> Self {
      Self("noType", "a macro cannot see the type of '\(name)': declare it")
    }
    static func noValue(_ what: String) -> Self {
      Self("noValue", "\(what) cannot be an attribute")
    }
    static func nilInNil(_ type: String) -> Self {
      Self("nilInNil", "a store keeps one nil, and '\(type)' has several: remove a '?'")
    }
    static let nilElements = Self(
      "nilElements",
      "an array that contains nil cannot be stored: remove '?', or keep the property as JSON")
    static func noStruct(_ name: String) -> Self {
      Self(
        "noStruct", "'\(name)' cannot be embedded: its type must be a '@Persistable' struct")
    }
    static let dictionary = Self(
      "dictionary",
      "a dictionary can be stored only as JSON: add the option '.json'")
    static func transientWithoutValue(_ name: String) -> Self {
      Self(
        "transientWithoutValue",
        "'\(name)' is not stored, so it needs an initial value")
    }
  }

  // Options.
  extension ModelMessage {
    static func optionType(_ option: String, _ right: String, _ type: String) -> Self {
      Self("optionType", "'\(option)' needs \(right), not '\(type)'")
    }
    static func defaultType(_ type: String) -> Self {
      Self("defaultType", "the default must be of the attribute's type '\(type)'")
    }
    static func defaultOutside(_ value: String, _ rule: String) -> Self {
      Self(
        "defaultOutside",
        "the initial value '\(value)' is the default in the store, and breaks the attribute's own "
          + "rule '\(rule)'")
    }
    static let managedDefault = Self("managedDefault", "a managed attribute cannot have a default")
    static let softDeleteType = Self(
      "softDeleteType",
      "the timestamp of a soft delete must be a 'Date?': it is nil while the row is visible")
    static let versionType = Self("versionType", "a version cannot be optional: it begins with 1")
  }

  // Derived attributes.
  extension ModelMessage {
    static func derivedOption(_ option: String, _ why: String) -> Self {
      Self("derivedOption", "'\(option)' cannot be used here: \(why)")
    }
    static let countType = Self("countType", "a count must be an 'Int' or 'Int64', not optional")
    static let optionalSum = Self(
      "optionalSum",
      "a sum cannot be optional: it is 0 without targets")
    static func sumType(_ type: String) -> Self {
      Self(
        "sumType",
        "a sum must be an 'Int', 'Int64', 'UInt', 'UInt64', 'Double' or 'Decimal', not '\(type)'")
    }
    static let meanType = Self(
      "meanType",
      "an average must be a 'Double?': it is nil without targets")
    static let extremeType = Self(
      "extremeType", "a minimum or maximum must be optional: it is nil without targets")
    static func noToMany(_ name: String) -> Self {
      Self("noToMany", "the model has no to-many '\(name)'")
    }
    static func otherRoot(_ type: String) -> Self {
      Self("otherRoot", "a derived attribute needs a to-many of its own model, '\(type)'")
    }
    static func noRoot(_ path: String) -> Self {
      Self("noRoot", "the key path needs its root type: write '\(path)'")
    }
  }

  // Further parts of the entity.
  extension ModelMessage {
    static func partOfProperty(_ name: String) -> Self {
      Self(
        "partOfProperty",
        "'\(name)' is declared at its property; this list is for rules, templates, indexes and "
          + "unique sets")
    }
    static let listOfParts = Self(
      "listOfParts", "chain the parts in one 'EntityPart', as in '.rule(…).rule(…)'")
    static let conditionalParts = Self(
      "conditionalParts",
      "a macro cannot see which branch of '#if' is compiled: move these parts out of '#if'")
  }

  // Keys.
  extension ModelMessage {
    static let severalKeys = Self(
      "severalKeys",
      "a model has one primary key: put several attributes into a struct that is a 'CompositeKey'")
    static let partIsID = Self(
      "partIsID", "'id' stands for the whole key: give this part of it another name")
    static let inferredTarget = Self(
      "inferredTarget", "a to-one of the primary key needs its type: write 'ToOne<…>'")
    static let keyIsLet = Self(
      "keyIsLet", "the primary key must be a 'var': 'PrimaryKeyed' requires a settable 'id'")
    static func otherID(_ key: String) -> Self {
      Self(
        "otherID",
        "'id' stands for the primary key, which is '\(key)': give this property another name")
    }
    static func keyType(_ type: String) -> Self {
      Self(
        "keyType",
        "a primary key cannot be of the type '\(type)': use a single value, or a struct that is a "
          + "'CompositeKey'")
    }
    static let keyOfToMany = Self(
      "keyOfToMany", "a to-many cannot be part of the primary key: its links are rows of their own")
    static let optionalKey = Self("optionalKey", "a primary key cannot be optional")
    static func generatedKey(_ type: String) -> Self {
      Self("generatedKey", "a generated key must be an 'Int64' or 'Int', not '\(type)'")
    }
    static func uuidKey(_ type: String) -> Self {
      Self("uuidKey", "this key must be a 'UUID', not '\(type)'")
    }
    static let optionOfCompositeKey = Self(
      "optionOfCompositeKey",
      "a key of several attributes takes no options: the program sets its values")
    static let unmarkedID = Self(
      "unmarkedID",
      "'id' is not marked as the primary key: mark it '@PrimaryKey', or '@Attribute' if it is "
        + "not the key",
      .warning)
  }

  // Relationships.
  extension ModelMessage {
    static func optionalLink(_ word: String) -> Self {
      Self(
        "optionalLink",
        word == "ToOne"
          ? "a 'ToOne' cannot be optional: it is nil itself without a target"
          : "a 'ToMany' cannot be optional: it is empty itself, or not loaded")
    }
    static func clearingDefault(_ value: String, _ word: String) -> Self {
      Self(
        "clearingDefault",
        "the initial value '\(value)' makes a save clear the relationship: '\(word)()' leaves it "
          + "as "
          + "it is")
    }
    static let ownInverse = Self(
      "ownInverse",
      "a relationship cannot be its own inverse: name another one that leads back, or remove "
        + "'inverse'")
    static func noLink(_ name: String) -> Self {
      Self("noLink", "'\(name)' is not a relationship: its type must be 'ToOne' or 'ToMany'")
    }
    static func markOfLink(_ name: String) -> Self {
      Self("markOfLink", "'@\(name)' is for attributes, and this is a relationship")
    }
    static let linkIsLet = Self(
      "linkIsLet",
      "a relationship must be a 'var', so that loading can set it")
    static func notOfToOne(_ label: String) -> Self {
      Self("notOfToOne", "'\(label)' can be used only with to-many relationships")
    }
    static func notOfToMany(_ label: String) -> Self {
      Self("notOfToMany", "'\(label)' can be used only with to-one relationships")
    }
    static let toManyWithoutKey = Self(
      "toManyWithoutKey",
      "a model with a to-many needs a primary key: mark one property '@PrimaryKey'")
  }

  // Marks.
  extension ModelMessage {
    static func twoMarks(_ first: String, _ second: String) -> Self {
      Self("twoMarks", "'@\(first)' and '@\(second)' cannot be combined")
    }
    static func markOfComputed(_ name: String) -> Self {
      Self(
        "markOfComputed",
        "'@\(name)' can be applied only to stored properties; this one is computed")
    }
    static func markOfStatic(_ name: String) -> Self {
      Self(
        "markOfStatic",
        "'@\(name)' can be applied only to instance properties; this one is static")
    }
    static func markOfNoProperty(_ name: String) -> Self {
      Self("markOfNoProperty", "'@\(name)' can be applied only to stored properties")
    }
    static func markOutsideModel(_ name: String) -> Self {
      Self("markOutsideModel", "'@\(name)' has no effect outside a '@Persistable' type")
    }
  }
#endif
