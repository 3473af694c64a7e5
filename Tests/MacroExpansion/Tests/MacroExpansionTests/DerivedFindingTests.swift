#if Macros
  import Testing

  /// Diagnostics of derived attributes and of parts, at the right token.
  @Suite struct DerivedFindingTests {
    /// Expects one finding about a derived attribute of a team.
    private func expectDerived(
      _ property: String, _ message: String, _ fixes: KeyValuePairs<String, String> = [:],
      sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      let head = "@Persistable struct Team { @PrimaryKey var id: Int; var name: String\n"
      let tail = "\nvar coach: ToOne<Coach>; var players: ToMany<Player> = ToMany() }"
      expectFinding(
        head + property + tail, message,
        fixes.first.map { [$0.key: head + $0.value + tail] } ?? [:],
        sourceLocation: sourceLocation)
    }

    @Test func `M10: a derived attribute has the type of its derivation`() {
      let count = "a count must be an 'Int' or 'Int64', not optional"
      expectDerived(
        #"@Derived(.count("players")) var n: Int?"#, "Int? ← \(count)",
        ["replace it with 'Int'": #"@Derived(.count("players")) var n: Int"#])
      expectDerived(
        #"@Derived(.count(of: \Team.players)) var n: Int64? = nil"#, "Int64? = nil ← \(count)",
        ["replace it with 'Int64'": #"@Derived(.count(of: \Team.players)) var n: Int64 = nil"#])
      expectDerived(
        #"@Derived(.count("players")) var n: UInt8 = 0"#, "UInt8 = 0 ← \(count)",
        ["replace it with 'Int'": #"@Derived(.count("players")) var n: Int = 0"#])
      expectDerived(
        #"@Derived(.sum("players", "score")) var n: Double?"#,
        "Double? ← a sum cannot be optional: it is 0 without targets",
        ["replace it with 'Double'": #"@Derived(.sum("players", "score")) var n: Double"#])
      expectDerived(
        #"@Derived(.sum("players", "score")) var n: Int32"#,
        "Int32 ← a sum must be an 'Int', 'Int64', 'UInt', 'UInt64', 'Double' or 'Decimal', not "
          + "'Int32'")
      expectDerived(
        #"@Derived(.average("players", "score")) var n: Int?"#,
        "Int? ← an average must be a 'Double?': it is nil without targets",
        ["replace it with 'Double?'": #"@Derived(.average("players", "score")) var n: Double?"#])
      expectDerived(
        #"@Derived(.maximum(of: \Team.players, \Player.name)) var n: String"#,
        "String ← a minimum or maximum must be optional: it is nil without targets",
        [
          "replace it with 'String?'":
            #"@Derived(.maximum(of: \Team.players, \Player.name)) var n: String?"#
        ])
      for right in [
        #"@Derived(.count("players")) var n = 0"#, #"@Derived(.count("players")) let n: Int64"#,
        #"@Derived(.sum("players", "fee")) var n: Decimal = 0"#,
        #"@Derived(.minimum("players", "size")) var n: Optional<Size>"#,
        #"@Derived(.minimum("players", "size")) var n: SizeOrNil"#,
      ] {
        let source =
          "@Persistable struct Team { @PrimaryKey var id: Int\n\(right)\n"
          + "var players: ToMany<Player> = ToMany() }"
        #expect(Findings(source).messages == [])
      }
    }

    @Test func `M10: it is derived of a to-many of its own model`() {
      expectDerived(
        #"@Derived(.count("plaiers")) var n = 0"#,
        #""plaiers")) var n = 0 ← the model has no to-many 'plaiers'"#)
      expectDerived(
        #"@Derived(.count("name")) var n = 0"#,
        #""name")) var n = 0 ← the model has no to-many 'name'"#)
      expectDerived(
        #"@Derived(.count(of: \Team.coach)) var n = 0"#,
        #"\Team.coach)) var n = 0 ← the model has no to-many 'coach'"#)
      expectDerived(
        #"@Derived(.count(of: \League.players)) var n = 0"#,
        "League.players)) var n = 0 ← a derived attribute needs a to-many of its own model, 'Team'"
      )
      expectDerived(
        #"@Derived(.count(of: \.players)) var n = 0"#,
        #"\.players)) var n = 0 ← the key path needs its root type: write '\Team.players'"#,
        ["insert 'Team'": #"@Derived(.count(of: \Team.players)) var n = 0"#])
    }

    @Test func `M10: what only a save could keep cannot stand at it`() {
      expectDerived(
        #"@Derived(.count("players"), .default(3), .indexed) var n = 0"#,
        ".default(3), .indexed) var n = 0 ← 'default' cannot be used here: a derived attribute "
          + "has a fixed initial value",
        ["remove it": #"@Derived(.count("players"), .indexed) var n = 0"#])
      expectDerived(
        #"@Derived(.count("players"), .unique) var n = 0"#,
        ".unique) var n = 0 ← 'unique' cannot be used here: a derived attribute cannot be unique",
        ["remove it": #"@Derived(.count("players")) var n = 0"#])
      expectDerived(
        #"@Derived(.count("players"), .range(0...9), name: "m") var n = 0"#,
        #".range(0...9), name: "m") var n = 0 ← 'range' cannot be used here: "#
          + "a validation rule cannot use a derived attribute, which changes without a save",
        ["remove it": #"@Derived(.count("players"), name: "m") var n = 0"#])
      expectDerived(
        #"@Derived(.count("players"), .version) var n = 0"#,
        ".version) var n = 0 ← 'version' cannot be used here: a derived attribute cannot also be "
          + "a managed attribute",
        ["remove it": #"@Derived(.count("players")) var n = 0"#])
      expectDerived(
        #"@Derived(.count("players")) var n: Int { 1 }"#,
        #"@Derived(.count("players")) var n: Int { 1 } ← "#
          + "'@Derived' can be applied only to stored properties; this one is computed")
    }

    @Test func `M7: parts of the entity are of no property, one after the other, and seen`() {
      expectFinding(
        about: "static let more: EntityPart<Snack> = .index(\"a\").attribute(\"a\", \\.a).unique()",
        "attribute(\"a\", \\.a).unique() ← 'attribute' is declared at its property; this list "
          + "is for rules, templates, indexes and unique sets")
      expectFinding(
        about: "static var more: EntityPart<Self> { .joined(.key(\"a\", \\.a)) }",
        "key(\"a\", \\.a)) } ← 'key' is declared at its property; this list is for rules, "
          + "templates, indexes and unique sets")
      expectFinding(
        about: "static let more: [EntityPart<Snack>] = []",
        "[EntityPart<Snack>] = [] ← chain the parts in one 'EntityPart', as in '.rule(…).rule(…)'")
      expectFinding(
        about: "#if DEBUG\n  static let more: EntityPart<Snack> = .index(\"a\")\n  #endif",
        "more: EntityPart<Snack> = .index(\"a\") ← a macro cannot see which branch of '#if' is "
          + "compiled: move these parts out of '#if'")
    }
  }
#endif
