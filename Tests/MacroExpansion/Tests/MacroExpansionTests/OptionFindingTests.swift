#if Macros
  import Testing

  /// Options at properties of another type, told at the option or the type.
  @Suite struct OptionFindingTests {
    @Test func `M7: rules and forms are of their types`() {
      expectFinding(
        about: "@Attribute(.indexed, .matches(\"a\")) var a: Int",
        ".matches(\"a\")) var a: Int ← 'matches' needs a 'String', not 'Int'")
      expectFinding(
        about: "@Attribute(.length(1...)) var a: Double?",
        ".length(1...)) var a: Double? ← 'length' needs a 'String', an array or a set, not "
          + "'Double'")
      expectFinding(
        about: "@Attribute(.normalized) var a: Data",
        ".normalized) var a: Data ← 'normalized' needs a 'String', not 'Data'")
      expectFinding(
        about: "@Attribute(.external) var a: String",
        ".external) var a: String ← 'external' needs 'Data' or '[UInt8]', not 'String'")
      expectFinding(
        about: "@Attribute(.fallback(Size.small)) var a: String",
        ".fallback(Size.small)) var a: String ← 'fallback' needs an enum with a raw value, not "
          + "'String'")
      for right in [
        "@Attribute(.length(1...)) var a: [Int]", "@Attribute(.external) var a: [UInt8]?",
        "@Attribute(.external(threshold: 9)) var a: Data",
        "@Attribute(.matches(\"a\")) var a = \"\"",
        "@Attribute(.fallback(Size.small)) var a: Size?", "@Attribute(.matches(\"a\")) var a: Name",
      ] {
        #expect(Findings("@Persistable struct Snack {\n\(right)\n}").messages == [])
      }
    }

    @Test func `M8: what the operations keep has its type, and no default`() {
      expectFinding(
        about: "@Attribute(.createdAt) var a: Int",
        ".createdAt) var a: Int ← 'createdAt' needs a 'Date', not 'Int'")
      expectFinding(
        about: "@Attribute(.version) var a: UInt8 = 0",
        ".version) var a: UInt8 = 0 ← 'version' needs an 'Int' or 'Int64', not 'UInt8'")
      expectFinding(
        about: "@Attribute(.version) var a: Int?",
        "Int? ← a version cannot be optional: it begins with 1",
        ["replace it with 'Int'": "@Attribute(.version) var a: Int"])
      expectFinding(
        about: "@Attribute(.softDelete) var a: Date",
        "Date ← the timestamp of a soft delete must be a 'Date?': it is nil while the row is "
          + "visible",
        ["replace it with 'Date?'": "@Attribute(.softDelete) var a: Date?"])
      expectFinding(
        about: "@Attribute(.version, .default(1), .indexed) var a = 0",
        ".default(1), .indexed) var a = 0 ← a managed attribute cannot have a default",
        ["remove it": "@Attribute(.version, .indexed) var a = 0"])
      for right in [
        "@Attribute(.updatedAt) var a: Date?", "@Attribute(.createdAt) var a = Date.now",
        "@Attribute(.version) var a = 0", "@Attribute(.version, .indexed) var a: Int64 = 0",
      ] {
        #expect(Findings("@Persistable struct Snack {\n\(right)\n}").messages == [])
      }
    }
  }
#endif
