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
    static let noModel = Self("noModel", "'@Persistable' is for structs and final classes")
    static let notFinal = Self("notFinal", "a class that is a model must be final")
    static let generic = Self(
      "generic",
      "a generic type has no stored static entity: write its conformance by hand, with a computed "
        + "'entity'")
    static func insideGeneric(_ outer: String) -> Self {
      Self(
        "insideGeneric",
        "a type inside the generic '\(outer)' has no stored static entity: move it outside")
    }
    static let privateInside = Self(
      "privateInside", "the extension of a private type inside another cannot be written")
    static func ownMember(_ name: String) -> Self {
      Self(
        "ownMember",
        "'\(name)' is made by '@Persistable': remove it, or write the whole conformance by hand")
    }
    static let noAttribute = Self("noAttribute", "a model needs at least one stored property")
    static let conditional = Self(
      "conditional",
      "which of these properties there are cannot be seen here: mark them '@Transient', or move "
        + "them out of '#if'")
    static let noListOfTerms = Self(
      "noListOfTerms", "write the lists out: [[\"name\", .descending(\"price\")]]")
    static func noSuchAttribute(_ name: String) -> Self {
      Self("noSuchAttribute", "there is no attribute '\(name)'")
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
      Self("constant", "'\(name)' is a constant with its value already: no row can give it another")
    }
    static func noType(_ name: String) -> Self {
      Self("noType", "the type of '\(name)' cannot be seen here: write it")
    }
    static func noValue(_ what: String) -> Self {
      Self("noValue", "\(what) cannot be an attribute")
    }
    static func noStruct(_ name: String) -> Self {
      Self(
        "noStruct", "'\(name)' is no struct of attributes: its type must be '@Persistable' itself")
    }
    static let dictionary = Self("dictionary", "a dictionary is kept as JSON alone")
    static func transientWithoutValue(_ name: String) -> Self {
      Self(
        "transientWithoutValue",
        "'\(name)' is not read from rows, and so needs an initial value")
    }
  }

  // Options.
  extension ModelMessage {
    static func optionType(_ option: String, _ right: String, _ type: String) -> Self {
      Self("optionType", "'\(option)' is of \(right), not of '\(type)'")
    }
    static let keptDefault = Self("keptDefault", "what the operations keep takes no default")
    static let softDeleteType = Self(
      "softDeleteType", "the timestamp of a soft delete is nil while the row is visible: 'Date?'")
    static let versionType = Self("versionType", "a version is never nil: it begins with 1")
  }

  // Derived attributes.
  extension ModelMessage {
    static func derivedOption(_ option: String, _ why: String) -> Self {
      Self("derivedOption", "'\(option)' cannot stand here: \(why)")
    }
    static let countType = Self("countType", "a count is an 'Int' or 'Int64', 0 over nothing")
    static let optionalSum = Self("optionalSum", "a sum is never nil: it is 0 over nothing")
    static func sumType(_ type: String) -> Self {
      Self(
        "sumType",
        "a sum is an 'Int', 'Int64', 'UInt', 'UInt64', 'Double' or 'Decimal', not '\(type)'")
    }
    static let meanType = Self("meanType", "a mean is a 'Double?', nil over nothing")
    static let extremeType = Self(
      "extremeType", "the least or greatest value is nil over nothing: its type is optional")
    static func noToMany(_ name: String) -> Self {
      Self("noToMany", "there is no to-many '\(name)'")
    }
    static func otherRoot(_ type: String) -> Self {
      Self("otherRoot", "an attribute is derived of a to-many of its own model, '\(type)'")
    }
    static func noRoot(_ path: String) -> Self {
      Self("noRoot", "a mark knows no type that the path could begin with: write '\(path)'")
    }
  }

  // Further parts of the entity.
  extension ModelMessage {
    static func partOfProperty(_ name: String) -> Self {
      Self(
        "partOfProperty",
        "'\(name)' is declared by its property: here stand rules, templates, indexes and unique "
          + "sets")
    }
    static let listOfParts = Self(
      "listOfParts", "parts follow one another in one 'EntityPart', '.rule(…).rule(…)'")
    static let conditionalParts = Self(
      "conditionalParts", "whether these parts are compiled cannot be seen here: move them out")
  }

  // Keys.
  extension ModelMessage {
    static let severalKeys = Self(
      "severalKeys",
      "a model has one primary key: put several attributes into a struct that is a 'CompositeKey'")
    static let keyIsLet = Self(
      "keyIsLet", "the primary key must be a 'var': 'PrimaryKeyed' asks for one that can be set")
    static func otherID(_ key: String) -> Self {
      Self(
        "otherID",
        "'id' stands for the primary key, which is '\(key)': give this property another name")
    }
    static let optionalKey = Self("optionalKey", "a primary key cannot be optional")
    static func generatedKey(_ type: String) -> Self {
      Self("generatedKey", "a generated key must be an 'Int64' or 'Int', not '\(type)'")
    }
    static func uuidKey(_ type: String) -> Self {
      Self("uuidKey", "this key must be a 'UUID', not '\(type)'")
    }
    static let optionOfCompositeKey = Self(
      "optionOfCompositeKey", "a key of several attributes comes from the program, without options")
    static let unmarkedID = Self(
      "unmarkedID",
      "'id' is not the primary key: mark it '@PrimaryKey', or '@Attribute' if it is none",
      .warning)
  }

  // Relationships.
  extension ModelMessage {
    static func optionalLink(_ word: String) -> Self {
      Self(
        "optionalLink",
        word == "ToOne"
          ? "a 'ToOne' is nil by itself where there is no target"
          : "a 'ToMany' is empty, or not loaded, by itself")
    }
    static func clearingDefault(_ value: String, _ word: String) -> Self {
      Self(
        "clearingDefault",
        "the initial value '\(value)' makes a save clear the relationship: '\(word)()' leaves it as "
          + "it is")
    }
    static func noLink(_ name: String) -> Self {
      Self("noLink", "'\(name)' is no relationship: its type must be 'ToOne' or 'ToMany'")
    }
    static func markOfLink(_ name: String) -> Self {
      Self("markOfLink", "a relationship is no attribute: '@\(name)' cannot stand here")
    }
    static let linkIsLet = Self("linkIsLet", "a relationship must be a 'var': loading sets it")
    static func notOfToOne(_ label: String) -> Self {
      Self("notOfToOne", "'\(label)' is of to-many relationships")
    }
    static func notOfToMany(_ label: String) -> Self {
      Self("notOfToMany", "'\(label)' is of to-one relationships")
    }
    static let toManyWithoutKey = Self(
      "toManyWithoutKey",
      "a model with a to-many needs a primary key: mark one property '@PrimaryKey'")
  }

  // Marks.
  extension ModelMessage {
    static func twoMarks(_ first: String, _ second: String) -> Self {
      Self("twoMarks", "'@\(first)' and '@\(second)' exclude each other")
    }
    static func markOfComputed(_ name: String) -> Self {
      Self("markOfComputed", "'@\(name)' is of stored properties; this one is computed")
    }
    static func markOfStatic(_ name: String) -> Self {
      Self("markOfStatic", "'@\(name)' is of the properties of instances; this one is static")
    }
    static func markOfNoProperty(_ name: String) -> Self {
      Self("markOfNoProperty", "'@\(name)' is of stored properties")
    }
    static func markOutsideModel(_ name: String) -> Self {
      Self("markOutsideModel", "'@\(name)' says nothing outside a '@Persistable' type")
    }
  }
#endif
