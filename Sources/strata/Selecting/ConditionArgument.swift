#if Command
  import ORM

  /// A condition as an argument: a predicate format, or `-` for one in standard input.
  enum ConditionArgument {
    /// Reads a condition, and warns on standard error of parts that are probably mistakes.
    ///
    /// - Throws: `invalidCondition`, `unknownAttribute`, `tooComplex`.
    static func condition(
      _ argument: String, for entity: FormatEntity, _ values: [ExactText: FormatVariable] = [:]
    ) throws -> Condition {
      var text = argument
      if StandardStreams.isNamed(by: argument) { text = try StandardStreams.text(of: argument) }
      var parser = try FormatParser(text, for: entity, values: values)
      let condition = try parser.condition()
      noteWildcards(of: condition)
      return condition
    }

    /// A query for the rows that an argument describes; for all rows without one.
    static func query(
      _ argument: String?, of name: String, in schema: StoredSchema
    ) throws -> DynamicQuery {
      guard let argument, let entity = schema.entity(named: name) else {
        return try DynamicQuery(name, in: schema)
      }
      return DynamicQuery(name, where: try condition(argument, for: .stored(entity, schema)))
    }

    /// Notes patterns of LIKE that were written for SQL, and so have no wildcard here.
    static func noteWildcards(of condition: Condition) {
      for pattern in condition.patternsOfSQL {
        let meant = String(pattern.map { $0 == "%" ? "*" : $0 == "_" ? "?" : $0 })
        StandardStreams.note(
          "note: LIKE '\(pattern)' has no wildcard: % and _ are plain characters here. * is any "
            + "text and ? one character, so perhaps LIKE '\(meant)'.")
      }
    }
  }

  extension Condition {
    /// The patterns of LIKE with `%` or `_` that have neither `*` nor `?`.
    fileprivate var patternsOfSQL: [String] {
      var patterns: [String] = []
      forEachCondition { condition in
        if case .text(_, .like, .value(.string(let pattern)), _) = condition,
          Self.isOfSQL(pattern)
        {
          patterns.append(pattern)
        }
      }
      return patterns
    }

    /// Returns whether a pattern has wildcards of SQL without a backslash before them, and no others.
    private static func isOfSQL(_ pattern: String) -> Bool {
      var isOfSQL = false
      var isEscaped = false
      for scalar in pattern.unicodeScalars {
        if isEscaped {
          isEscaped = false
        } else {
          if scalar == "*" || scalar == "?" { return false }
          isEscaped = scalar == "\\"
          isOfSQL = isOfSQL || scalar == "%" || scalar == "_"
        }
      }
      return isOfSQL
    }
  }
#endif
