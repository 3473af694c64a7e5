#if Macros
  import Testing

  /// Mistakes that the text of a model shows, each in one sentence at its token.
  @Suite struct MisuseFindingTests {
    @Test func `a store keeps one nil, and none in an array`() {
      for type in ["String??", "Optional<String?>", "String?!"] {
        expectFinding(
          about: "var a: \(type)",
          "\(type) ← a store keeps one nil, and '\(type)' has several: remove a '?'",
          ["replace it with 'String?'": "var a: String?"])
      }
      expectFinding(
        about: "@Attribute(.json) var a: Int??",
        "Int?? ← a store keeps one nil, and 'Int??' has several: remove a '?'",
        ["replace it with 'Int?'": "@Attribute(.json) var a: Int?"])
      let words =
        "an array that contains nil cannot be stored: remove '?', or keep the property as JSON"
      expectFinding(
        about: "var a: [Int?]", "Int?] ← \(words)",
        [
          "replace it with 'Int'": "var a: [Int]",
          "mark it '@Attribute(.json)'": "@Attribute(.json) var a: [Int?]",
        ])
      expectFinding(
        about: "var a: Set<Optional<Int>>? = nil", "Optional<Int>>? = nil ← \(words)",
        [
          "replace it with 'Int'": "var a: Set<Int>? = nil",
          "mark it '@Attribute(.json)'": "@Attribute(.json) var a: Set<Optional<Int>>? = nil",
        ])
      for right in ["var a: [Int]?", "@Attribute(.json) var a: [Int?]", "@Transient var a: Int??"] {
        #expect(Findings("@Persistable struct Snack {\nvar b: Int\n\(right)\n}").messages == [])
      }
    }

    @Test func `a default is of the attribute's type and keeps its rule`() {
      expectFinding(
        about: "@Attribute(.default(\"x\")) var a: Int?",
        "\"x\")) var a: Int? ← the default must be of the attribute's type 'Int'")
      expectFinding(
        about: "@Attribute(.indexed, .default(-1.5)) var a: UInt8",
        "-1.5)) var a: UInt8 ← the default must be of the attribute's type 'UInt8'")
      expectFinding(
        about: "@Attribute(.default(0)) var a: Date",
        "0)) var a: Date ← the default must be of the attribute's type 'Date'")
      func outside(_ value: String, _ rule: String) -> String {
        "the initial value '\(value)' is the default in the store, and breaks the attribute's own "
          + "rule '\(rule)'"
      }
      expectFinding(
        about: "@Attribute(.range(1...5)) var a: Int = 0", "0 ← \(outside("0", "range(1...5)"))")
      expectFinding(
        about: "@Attribute(.range(0..<1)) var a = 1.0", "1.0 ← \(outside("1.0", "range(0..<1)"))")
      expectFinding(
        about: "@Attribute(.range((-2)...)) var a = -3; var b = 1",
        "-3; var b = 1 ← \(outside("-3", "range((-2)...)"))")
      expectFinding(
        about: "@Attribute(.range(...2), .default(3)) var a: Int",
        "3)) var a: Int ← \(outside("3", "range(...2)"))")
      expectFinding(
        about: "@Attribute(.length(2...), .default(\"é\")) var a: String",
        "\"é\")) var a: String ← \(outside("\"é\"", "length(2...)"))")
      for right in [
        "@Attribute(.range(1...5)) var a: Int = 5", "@Attribute(.range(1..<5)) var a: Int",
        "@Attribute(.range(least...5)) var a: Int = 0", "@Attribute(.length(1...)) var a = \"\"",
        "@Attribute(.range(1...), .default(2)) var a: Int = 0",
        "@Attribute(.default(1)) var a: Decimal",
      ] {
        #expect(Findings("@Persistable struct Snack {\n\(right)\n}").messages == [])
      }
    }

    @Test func `a rule of numbers is for numbers`() {
      for type in ["String", "Bool", "UUID"] {
        expectFinding(
          about: "@Attribute(.range(1...3)) var a: \(type)",
          ".range(1...3)) var a: \(type) ← 'range' needs a number or a 'Date' (the rule of a text is "
            + "'length'), not '\(type)'")
      }
      #expect(
        Findings("@Persistable struct Snack {\n@Attribute(.range(a...b)) var a: Date\n}").messages
          == [])
    }

    @Test func `some names are taken, or cannot be read`() {
      expectFinding(
        about: "var entity: String",
        "entity: String ← 'entity' is made by '@Persistable': give this property another name")
      expectFinding(
        about: "@Transient var entity = 1",
        "entity = 1 ← 'entity' is made by '@Persistable': give this property another name")
      for name in ["self", "init", "Type", "Protocol"] {
        expectFinding(
          about: "var `\(name)`: String",
          "`\(name)`: String ← code cannot read a property that is called '\(name)': give it another "
            + "name")
      }
    }

    @Test func `a model is on no actor, and made once`() {
      expectFinding(
        "@MainActor\n@Persistable struct Snack { var a: Int }",
        "@MainActor ← a model cannot be on an actor, since stores read and write it on any thread: "
          + "remove '@MainActor'",
        ["remove '@MainActor'": "@Persistable struct Snack { var a: Int }"])
      expectFinding(
        "@Persistable @Persistable(\"B\") struct Snack { var a: Int }",
        "@Persistable(\"B\") struct Snack { var a: Int } ← '@Persistable' is there already: remove this "
          + "one",
        ["remove '@Persistable(\"B\")'": "@Persistable struct Snack { var a: Int }"])
    }

    @Test func `a key is a value, and no relationship leads back to itself`() {
      for type in ["[Int]", "Set<String>"] {
        expectFinding(
          "@Persistable struct Snack { @PrimaryKey var id: \(type)\n}",
          "\(type) ← a primary key cannot be of the type '\(type)': use a single value, or a struct that "
            + "is a 'CompositeKey'")
      }
      expectFinding(
        "@Persistable struct Snack { @PrimaryKey var id: ToMany<Cup>\n}",
        "@PrimaryKey var id: ToMany<Cup> ← a to-many cannot be part of the primary key: its links are "
          + "rows of their own")
      expectFinding(
        about: "@Relationship(inverse: \\Snack.a) var a: ToMany<Snack>",
        "\\Snack.a) var a: ToMany<Snack> ← a relationship cannot be its own inverse: name another one "
          + "that leads back, or remove 'inverse'")
    }

    @Test func `what the compiler alone can tell is reported at the type`() {
      // The name of the part is in the column of the type.
      #expect(
        expansionText("@Persistable struct Snack {\n  var a: Int\n  var size: Size\n}").contains(
          "#sourceLocation(file: \"Test.swift\", line: 3)\n           .attribute(\"size\", \\.size)\n"
            + "        #sourceLocation()\n"))
      // Only the compiler knows whether two names are of one type, or whether one is of a class.
      let inverse = expansionText(
        "@Persistable struct Snack {\n@PrimaryKey var id: Int\n@Relationship(inverse: \\Cup.a) var a: "
          + "ToOne<Mug>\n}")
      #expect(inverse.contains("#sourceLocation(file: \"Test.swift\", line: 3)"))
      let inherited = expansionText(
        "@Persistable final class Snack: Food, Sendable {\nlet a: Int\n}")
      #expect(
        inherited.contains("let _: (any Food & ORM.ModelsInheritFromNoClass).Type? = nil"))
      for plain in [
        "var a: Int?", "var a: [String] = []", "var a = Date()", "@Attribute(.json) var a: Size",
        "@Relationship(inverse: \\Cup.a) var a: ToOne<Cup>",
      ] {
        let text = expansionText(
          "@Persistable struct Snack {\n@PrimaryKey var id: Int\n\(plain)\n}")
        #expect(!text.contains("#sourceLocation"))
      }
    }
  }
#endif
