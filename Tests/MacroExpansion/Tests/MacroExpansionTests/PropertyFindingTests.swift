#if Macros
  import Testing

  /// Diagnostics of a property, at the right token, with their fix-its.
  @Suite struct PropertyFindingTests {
    @Test func `what is not stored as a value is refused`() {
      expectFinding(
        about: "lazy var a = 1", "lazy var a = 1 ← a lazy property cannot be an attribute",
        ["mark it '@Transient'": "@Transient lazy var a = 1"])
      expectFinding(
        about: "public unowned var a: Cup",
        "unowned var a: Cup ← an unowned property cannot be an attribute",
        ["mark it '@Transient'": "@Transient public unowned var a: Cup"])
      expectFinding(
        about: "var a: () -> Int", "() -> Int ← a function cannot be an attribute",
        ["mark it '@Transient'": "@Transient var a: () -> Int"])
      expectFinding(
        about: "var a: (Int, Int)?", "(Int, Int)? ← a tuple cannot be an attribute",
        ["mark it '@Transient'": "@Transient var a: (Int, Int)?"])
      expectFinding(
        about: "var a: any Cup", "any Cup ← a value of any type cannot be an attribute",
        ["mark it '@Transient'": "@Transient var a: any Cup"])
      expectFinding(
        about: "var (a, b) = (1, 2)", "(a, b) = (1, 2) ← declare each property by itself")
      expectFinding(
        about: "var a: [String: Int] = [:]",
        "[String: Int] = [:] ← a dictionary can be stored only as JSON: add the option '.json'",
        ["mark it '@Attribute(.json)'": "@Attribute(.json) var a: [String: Int] = [:]"])
    }

    @Test func `constants with a value and transient properties without one are refused`() {
      expectFinding(
        about: "let a = 1",
        "let a = 1 ← 'a' is a 'let' with a value, which a stored row cannot replace: make it 'var'",
        ["replace 'let' with 'var'": "var a = 1", "mark it '@Transient'": "@Transient let a = 1"])
      expectFinding(
        about: "@Transient var a: Int",
        "a: Int ← 'a' is not stored, so it needs an initial value",
        ["add an initial value": "@Transient var a: Int = <#value#>"])
      expectFinding(
        about: "@Transient let a: Int?",
        "a: Int? ← 'a' is not stored, so it needs an initial value",
        ["add an initial value": "@Transient let a: Int? = <#value#>"])
    }

    @Test func `a type that cannot be seen must be written`() {
      expectFinding(
        about: "var a = make()", "a = make() ← a macro cannot see the type of 'a': declare it",
        ["add a type": "var a: <#Type#> = make()"])
      expectFinding(
        about: "var a = []", "a = [] ← a macro cannot see the type of 'a': declare it",
        ["add a type": "var a: <#Type#> = []"])
      for seen in ["0", "-1.5", "true", "\"x\"", "[1]", "Date()", "Size.small", "[Int]()"] {
        #expect(Findings("@Persistable struct Snack { var a = \(seen) }").messages == [])
      }
    }

    @Test func `marks exclude each other, and stand at stored properties of instances`() {
      expectFinding(
        about: "@Attribute(.indexed) @Relationship var a: ToOne<Cup>",
        "@Relationship var a: ToOne<Cup> ← '@Attribute' and '@Relationship' cannot be combined")
      expectFinding(
        about: "@Attribute(.indexed) var a: Int { 1 }",
        "@Attribute(.indexed) var a: Int { 1 } ← '@Attribute' can be applied only to stored "
          + "properties; this one is "
          + "computed")
      expectFinding(
        about: "@Attribute static var a = 1",
        "@Attribute static var a = 1 ← '@Attribute' can be applied only to instance properties; "
          + "this one is static")
    }

    @Test func `a relationship is a ToOne or ToMany, and has what is of its kind`() {
      expectFinding(
        about: "@Relationship var a: Cup?",
        "@Relationship var a: Cup? ← 'a' is not a relationship: its type must be 'ToOne' or "
          + "'ToMany'")
      expectFinding(
        about: "@Attribute(.indexed) var a: ToOne<Cup>",
        "@Attribute(.indexed) var a: ToOne<Cup> ← '@Attribute' is for attributes, and this is a "
          + "relationship",
        ["replace it with '@Relationship'": "@Relationship var a: ToOne<Cup>"])
      expectFinding(
        about: "var a: ToOne<Cup>? = nil",
        "ToOne<Cup>? = nil ← a 'ToOne' cannot be optional: it is nil itself without a target",
        ["remove '?'": "var a: ToOne<Cup> = ToOne()"])
      expectFinding(
        about: "var a: ToMany<Cup>?",
        "ToMany<Cup>? ← a 'ToMany' cannot be optional: it is empty itself, or not loaded",
        ["remove '?'": "var a: ToMany<Cup>"])
      expectFinding(
        about: "let a: ToMany<Cup>",
        "let a: ToMany<Cup> ← a relationship must be a 'var', so that loading can set it",
        ["replace 'let' with 'var'": "var a: ToMany<Cup>"])
      expectFinding(
        about: "@Relationship(count: 0...3) var a: ToOne<Cup>",
        "count: 0...3) var a: ToOne<Cup> ← 'count' can be used only with to-many relationships")
      expectFinding(
        about: "@Relationship(required: true) var a: ToMany<Cup> = ToMany()",
        "required: true) var a: ToMany<Cup> = ToMany() ← 'required' can be used only with to-one "
          + "relationships")
      expectFinding(
        "@Persistable struct Snack { var a: Int; var b: ToMany<Cup> = ToMany() }",
        "b: ToMany<Cup> = ToMany() } ← a model with a to-many needs a primary key: mark one "
          + "property "
          + "'@PrimaryKey'")
    }

    @Test func `an initial value that clears a relationship is refused`() {
      let tail = "makes a save clear the relationship:"
      expectFinding(
        about: "var a: ToMany<Cup> = []",
        "[] ← the initial value '[]' \(tail) 'ToMany()' leaves it as it is",
        ["replace it with 'ToMany()'": "var a: ToMany<Cup> = ToMany()"])
      expectFinding(
        about: "@Relationship(delete: .deny) var a: ORM.ToOne<Cup> = nil // one",
        "nil // one ← the initial value 'nil' \(tail) 'ToOne()' leaves it as it is",
        [
          "replace it with 'ToOne()'":
            "@Relationship(delete: .deny) var a: ORM.ToOne<Cup> = ToOne() // one"
        ])
      for value in ["ToMany()", ".notLoaded", "ToMany<Cup>()", ".keys([1])"] {
        let source = "@Persistable struct Snack { @PrimaryKey var id: Int; var a: ToMany<Cup> = "
        #expect(Findings("\(source)\(value) }").messages == [])
      }
    }

    @Test func `a primary key is one variable, of the type that its source asks for`() {
      expectFinding(
        about: "@PrimaryKey var other: Int",
        "@PrimaryKey var other: Int ← a model has one primary key: put several attributes into a "
          + "struct that is a 'CompositeKey'")
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey let id: Int }",
        "let id: Int } ← the primary key must be a 'var': 'PrimaryKeyed' requires a settable 'id'",
        ["replace 'let' with 'var'": "@Persistable struct Snack { @PrimaryKey var id: Int }"])
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey var code = 0 }",
        "code = 0 } ← a macro cannot see the type of 'code': declare it",
        ["add a type": "@Persistable struct Snack { @PrimaryKey var code: <#Type#> = 0 }"])
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey var code: UUID; var id: Int }",
        "id: Int } ← 'id' stands for the primary key, which is 'code': give this property another "
          + "name")
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey var id: Int? }",
        "? } ← a primary key cannot be optional",
        ["remove '?'": "@Persistable struct Snack { @PrimaryKey var id: Int }"])
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey(.generated) var id: String }",
        ".generated) var id: String } ← a generated key must be an 'Int64' or 'Int', not 'String'")
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey(.uuidV7) var id: Int64 = 0 }",
        ".uuidV7) var id: Int64 = 0 } ← this key must be a 'UUID', not 'Int64'")
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey(.generated) var id: ID\n"
          + "struct ID: CompositeKey { var a: Int } }",
        ".generated) var id: ID ← a key of several attributes takes no options: the program sets "
          + "its values")
    }

    @Test func `an id without a mark is warned of`() {
      expectFinding(
        "@Persistable struct Snack { var id: Int }",
        "id: Int } ← warning: 'id' is not marked as the primary key: mark it '@PrimaryKey', or "
          + "'@Attribute' if it is not the key",
        [
          "mark it '@PrimaryKey'": "@Persistable struct Snack { @PrimaryKey var id: Int }",
          "mark it '@Attribute'": "@Persistable struct Snack { @Attribute var id: Int }",
        ])
      #expect(Findings("@Persistable struct Snack { @Attribute var id: Int }").messages == [])
    }
  }
#endif
