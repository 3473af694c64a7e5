#if Macros
  internal import SwiftDiagnostics
  internal import SwiftSyntax

  extension ModelReader {
    /// Checks the options of an attribute against its type, as far as the type's name is known.
    ///
    /// The compiler checks the rest, and reports it inside the expansion.
    mutating func checkOptions(_ mark: Mark, of property: StoredProperty) {
      guard let role = mark.options.first(where: { Self.roles.contains($0.calledMember?.text) })
      else {
        checkTypes(mark, of: property)
        return
      }
      for option in mark.options
      where option.calledMember?.text.hasPrefix("default") == true
        || option.calledMember?.text == "`default`"
      {
        report(option, .managedDefault, [.remove(option, from: mark)])
      }
      checkTypes(mark, of: property)
      guard let type = property.type else { return }
      let wrapped = type.withoutOptional.trimmedDescription
      if role.calledMember?.text == "softDelete", wrapped == "Date", !property.isOptional {
        report(type, .softDeleteType, [.replace(type, with: "Date?")])
      } else if role.calledMember?.text == "version", property.isOptional {
        report(type, .versionType, [.replace(type, with: wrapped)])
      }
    }

    private mutating func checkTypes(_ mark: Mark, of property: StoredProperty) {
      guard let type = property.type?.withoutOptional.trimmedDescription,
        PropertyType.scalars.contains(type)
      else { return }
      for option in mark.options {
        guard let name = option.calledMember?.text, let right = Self.types[name],
          !right.names.contains(type)
        else { continue }
        report(option, .optionType(name, right.words, type))
      }
    }

    private static let roles: Set<String?> = ["createdAt", "updatedAt", "version", "softDelete"]

    /// The scalars that options are of, and all types in words.
    private static let types: [String: (names: Set<String>, words: String)] = [
      "createdAt": (["Date"], "a 'Date'"),
      "updatedAt": (["Date"], "a 'Date'"),
      "softDelete": (["Date"], "a 'Date?'"),
      "version": (["Int", "Int64"], "an 'Int' or 'Int64'"),
      "range": (
        PropertyType.scalars.subtracting(["Bool", "String", "Data", "UUID", "URL"]),
        "a number or a 'Date' (the rule of a text is 'length')"
      ),
      "matches": (["String"], "a 'String'"),
      "normalized": (["String"], "a 'String'"),
      "length": (["String"], "a 'String', an array or a set"),
      "external": (["Data"], "'Data' or '[UInt8]'"),
      "fallback": ([], "an enum with a raw value"),
    ]
  }
#endif
