import ORMCore
import Testing

/// A struct to be embedded, written by hand.
private struct Size: Persistable, Equatable {
  var widthInches: Int
  var unit: String?

  static let entity = Entity<Size>("Size") {
    .attribute("widthInches", \.widthInches, .default(1), .indexed)
      .attribute("unit", \.unit, .named("u"))
  }
  init(_ widthInches: Int, _ unit: String? = nil) {
    self.widthInches = widthInches
    self.unit = unit
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    widthInches = try row[0]
    unit = try row[1]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(widthInches, at: 0)
    try row.write(unit, at: 1)
  }
}

/// A struct in a struct, by Codable.
private struct Frame: Persistable, Codable, Equatable {
  var colour: String
  static let entity = Entity<Frame>("Frame") { .attribute("colour", \.colour, .named("c_o_l")) }
}

private struct Picture: PrimaryKeyed, Equatable {
  var id: Int64
  var outerSize: Size
  var innerSize: Size?
  var frame: Frame?

  static let entity = Entity<Picture>("Picture") {
    .key("id", \.id)
      .embedded("outerSize", \.outerSize)
      .embedded("innerSize", \.innerSize, storedName: "in")
      .embedded("frame", \.frame)
  }
  init(_ id: Int64, outer: Size, inner: Size? = nil, frame: Frame? = nil) {
    self.id = id
    outerSize = outer
    innerSize = inner
    self.frame = frame
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    outerSize = try row.embedded(at: 1)
    innerSize = try row.embedded(at: 3)
    frame = try row.embedded(at: 6)
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(embedded: outerSize, at: 1)
    try row.write(embedded: innerSize, at: 3)
    try row.write(embedded: frame, at: 6)
  }
}

@Suite("Embedded structs")
struct EmbeddedTests {
  @Test("attributes are named by the path; columns by the naming strategy")
  func names() throws {
    let schema = try Schema(Picture.self, naming: .snakeCase)
    let columns = schema.stored.entities[0].columns
    #expect(
      columns.map(\.attribute) == [
        "id", "outerSize.widthInches", "outerSize.unit", "innerSize", "innerSize.widthInches",
        "innerSize.unit", "frame", "frame.colour",
      ])
    #expect(
      columns.map(\.name) == [
        "id", "outer_size_width_inches", "outer_size_u", "in", "in_width_inches", "in_u", "frame",
        "frame_c_o_l",
      ])
    #expect(
      columns.map(\.isOptional) == [false, false, true, true, true, true, true, true])
    #expect(
      columns.map(\.type.kind) == [.int, .int, .string, .bool, .int, .string, .bool, .string])
    // A default of a struct that may be nil would be one where there is no struct.
    #expect(columns[1].defaultValue == .int(1))
    #expect(columns[4].defaultValue == nil)
    #expect(
      schema.stored.entities[0].indexes.map { $0.terms.map(\.column) } == [[1], [4]])
    let again = try Schema(schema.stored)
    #expect(again.stored.entities[0].columns == columns)
  }

  @Test("diagrams and descriptions show what is inside")
  func diagrams() throws {
    let stored = try Schema(Picture.self).stored
    #expect(stored.description.contains("  outerSize.widthInches: int64 as outerSize_widthInches"))
    #expect(stored.mermaid.contains("string frame_colour \"frame.colour\""))
    #expect(stored.dot.contains("innerSize: bool?"))
  }

  @Test("values go to the columns from the first on, and come back")
  func mapping() throws {
    let full = Picture(1, outer: Size(2, "cm"), inner: Size(3), frame: Frame(colour: "red"))
    #expect(
      try Mapper.values(of: full) == [
        .int(1), .int(2), .string("cm"), .bool(true), .int(3), .null, .bool(true), .string("red"),
      ])
    let bare = Picture(1, outer: Size(2))
    #expect(
      try Mapper.values(of: bare)
        == [.int(1), .int(2), .null, .null, .null, .null, .null, .null])
    for picture in [full, bare] {
      #expect(try Mapper<Picture>.model(from: try Mapper.values(of: picture)) == picture)
    }
    #expect(Size.columnCount == 2)
    #expect(Size?.columnCount == 3)
  }

  @Test("what cannot be read is named by its path")
  func decodingErrors() throws {
    var values: [StoredValue] = [
      .int(1), .int(2), .null, .bool(true), .int(3), .null, .bool(true), .string("red"),
    ]
    func attribute(_ change: (inout [StoredValue]) -> Void) -> [String] {
      var changed = values
      change(&changed)
      do {
        _ = try Mapper<Picture>.model(from: changed)
        return []
      } catch {
        let error = error as? StoreError
        return (error?.code == .decoding ? [] : ["?"]) + (error?.attributes ?? [])
      }
    }
    #expect(attribute { $0[1] = .string("x") } == ["outerSize.widthInches"])
    #expect(attribute { $0[4] = .null } == ["innerSize.widthInches"])
    #expect(attribute { $0[5] = .int(1) } == ["innerSize.unit"])
    #expect(attribute { $0[7] = .null } == ["frame.colour"])
    #expect(attribute { $0[3] = .bool(false) } == ["innerSize"])
    values[3] = .null
    #expect(attribute { $0[4] = .string("never read") } == [])
  }

  @Test("key paths through structs are attributes")
  func keyPaths() {
    let entity = Picture.entity
    #expect(entity.name(of: \Picture.outerSize.unit) == "outerSize.unit")
    #expect(entity.name(of: \Picture.innerSize!.widthInches) == "innerSize.widthInches")
    #expect(entity.name(of: \Picture.frame) == "frame")
    #expect(entity.name(of: \Picture.outerSize) == nil)
  }

  /// A type that cannot be embedded.
  private struct Keyed: PrimaryKeyed, Codable {
    var id: Int64
    static let entity = Entity<Keyed>("Keyed") { .key("id", \.id) }
  }
  private struct Linked: Persistable, Codable {
    var name: String
    var keyed: ToOne<Keyed>
    static let entity = Entity<Linked>("Linked") {
      .attribute("name", \.name)
        .relationship("keyed", \.keyed)
    }
  }
  private struct Counted: Persistable, Codable {
    var name: String
    static let columnCount = 2
    static let entity = Entity<Counted>("Counted") { .attribute("name", \.name) }
  }
  private struct Holder: PrimaryKeyed, Codable {
    var id: Int64
    var keyed: Keyed
    var linked: Linked
    static let entity = Entity<Holder>("Holder") {
      .key("id", \.id)
        .embedded("keyed", \.keyed)
        .embedded("linked", \.linked)
    }
  }

  private func failures(_ body: () throws -> Schema) -> [String] {
    do {
      _ = try body()
      return []
    } catch {
      return (error as? StoreError)?.failures.map(\.description) ?? ["\(error)"]
    }
  }

  @Test("types with keys or relationships are not embedded; a wrong number of columns is reported")
  func refusedTypes() {
    let found = failures { try Schema(Holder.self, Counted.self) }
    #expect(
      found == [
        "invalidSchema in Holder.keyed: Keyed has a primary key, and cannot be embedded",
        "invalidSchema in Holder.linked: Linked has relationships, and cannot be embedded",
        "invalidSchema in Counted: the type says that it has 2 columns, and declares 1 attributes",
      ])
  }

  @Test("clashes of names are named")
  func clashes() {
    func described(_ attributes: AttributeDescription...) -> [String] {
      failures {
        try Schema(entities: [
          EntityDescription(
            name: "E", attributes: [AttributeDescription("id", .int64)] + attributes, key: ["id"])
        ])
      }
    }
    #expect(described(AttributeDescription("a.b", .int64)).isEmpty)
    #expect(
      described(AttributeDescription("a.b", .int64), AttributeDescription("a_b", .int64))
        == [
          "invalidSchema in E.a_b: has the same name in the store as a.b, apart from case"
        ])
    #expect(
      described(AttributeDescription("a", .string), AttributeDescription("a.b", .int64))
        == [
          "invalidSchema in E.a.b: another attribute has the name of the struct that contains "
            + "this one"
        ])
    let mark = AttributeDescription("a", .bool, isOptional: true)
    #expect(
      described(mark, AttributeDescription("a.b", .int64)) == [
        "invalidSchema in E.a.b: belongs to an optional struct, so it must be optional and have "
          + "no default"
      ])
    #expect(described(mark, AttributeDescription("a.b", .int64, isOptional: true)).isEmpty)
    #expect(described(AttributeDescription("a..b", .int64)).count == 1)
  }
}
