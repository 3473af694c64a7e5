#if Macros
  import Testing

  /// Diagnostics of a type as a whole, at the right token.
  @Suite struct TypeFindingTests {
    @Test func `structs and final classes alone are models`() {
      expectFinding(
        "@Persistable enum Snack { case a }",
        "enum Snack { case a } ← '@Persistable' can be applied only to structs and final classes")
      expectFinding(
        "@Persistable actor Snack { var name = 1 }",
        "actor Snack { var name = 1 } ← '@Persistable' can be applied only to structs and final "
          + "classes")
      expectFinding(
        "@Persistable public class Snack { var name = 1 }",
        "class Snack { var name = 1 } ← a class that is a model must be final",
        ["add 'final'": "@Persistable public final class Snack { var name = 1 }"])
    }

    @Test func `generic types are refused, and what is inside them`() {
      expectFinding(
        "@Persistable struct Snack<T> { var name = 1 }",
        "<T> { var name = 1 } ← a generic type cannot have a stored static property 'entity': "
          + "write the conformance by hand, with a computed one")
      expectFinding(
        "struct Shop<T> { @Persistable struct Snack { var name = 1 } }",
        "Snack { var name = 1 } } ← a type inside the generic 'Shop' cannot have a stored static "
          + "property 'entity': move it outside")
    }

    @Test func `a private type inside another cannot be extended`() {
      expectFinding(
        "enum Shop { @Persistable private struct Snack { var name = 1 } }",
        "private struct Snack { var name = 1 } } ← '@Persistable' cannot extend a private type "
          + "inside another: make it 'fileprivate', or move it outside",
        [
          "make it 'fileprivate'":
            "enum Shop { @Persistable fileprivate struct Snack { var name = 1 } }"
        ])
    }

    @Test func `what the macro makes cannot be there already`() {
      func message(_ name: String) -> String {
        "'\(name)' is made by '@Persistable': remove it, or write the whole conformance by hand"
      }
      expectFinding(
        about: "static let entity = 1", "entity = 1 ← \(message("entity"))")
      expectFinding(
        about: "init<R: RowReader & ~Copyable>(row: borrowing R) throws {}",
        "init<R: RowReader & ~Copyable>(row: borrowing R) throws {} ← \(message("init(row:)"))")
      expectFinding(
        about: "func encode<W: RowWriter & ~Copyable>(into row: inout W) {}",
        "encode<W: RowWriter & ~Copyable>(into row: inout W) {} ← \(message("encode(into:)"))")
    }

    @Test func `a model has a property, and its indexes name attributes`() {
      expectFinding(
        "@Persistable struct Snack { var a: Int { 1 } }",
        "Snack { var a: Int { 1 } } ← a model needs at least one stored property")
      expectFinding(
        "@Persistable(indexes: [[\"a\", .descending(\"b\")]])\nstruct Snack { var a: Int }",
        "\"b\")]]) ← the model has no attribute 'b'")
      expectFinding(
        "@Persistable(indexes: lists)\nstruct Snack { var a: Int }",
        "lists) ← the lists must be array literals, such as [[\"name\", .descending(\"price\")]]")
      #expect(
        Findings(
          "@Persistable(indexes: [[\"c_id\"]]) struct Snack { var a: Int; var c: ToOne<Cup> }"
        ).messages == [])
    }

    @Test func `properties inside #if cannot be seen`() {
      expectFinding(
        about: "#if DEBUG\n  var trace = 1\n  #endif",
        "#if DEBUG ← a macro cannot see which branch of '#if' is compiled: "
          + "mark these properties '@Transient', or move them out of '#if'"
      )
      #expect(
        Findings(
          "@Persistable struct Snack {\nvar a: Int\n#if DEBUG\n@Transient var b = 1\nvar c: Int "
            + "{ 1 }\n#endif\n}"
        ).messages == [])
    }

    @Test func `marks say nothing elsewhere`() {
      expectFinding(
        "struct Snack { @Attribute var a: Int }",
        "@Attribute var a: Int } ← '@Attribute' has no effect outside a '@Persistable' type")
      expectFinding(
        "@Persistable struct Snack { var a: Int; @Transient func b() {} }",
        "@Transient func b() {} } ← '@Transient' can be applied only to stored properties")
    }
  }
#endif
