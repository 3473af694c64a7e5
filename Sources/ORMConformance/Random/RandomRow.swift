internal import ORM
internal import ORMCore

/// The entity that the typed models below stand for, on the thread that runs a trial.
///
/// A model's entity is static; random models are many. All operations of a trial run on one thread.
struct RandomEntity: Sendable {
  let description: EntityDescription
  let keyed: Entity<KeyedRow>
  let hidden: Entity<HiddenRow>

  init(_ description: EntityDescription) {
    self.description = description
    keyed = Self.entity(description) { \KeyedRow[position: $0] }
    hidden = Self.entity(description) { \HiddenRow[position: $0] }
  }

  @TaskLocal static var current = RandomEntity(EntityDescription(name: "Row"))

  private static func entity<Model>(
    _ description: EntityDescription,
    _ path: (Int) -> any PartialKeyPath<Model> & Sendable
  ) -> Entity<Model> {
    var items = description.attributes.enumerated().map { position, attribute in
      EntityPart<Model>.Item.attribute(attribute, path(position))
    }
    items += description.key.map { .key($0, description.keySource) }
    items += description.indexes.map { .index($0) }
    return Entity(description.name) { EntityPart(items: items) }
  }
}

/// A typed model of a random entity: its values in the order of the attributes.
protocol RandomRow: Persistable {
  var values: [StoredValue] { get set }
  init(values: [StoredValue])
}

extension RandomRow {
  subscript(position position: Int) -> StoredValue { values[position] }

  init(_ row: NaiveRow) {
    self.init(values: RandomEntity.current.description.attributes.map { row[$0.name] ?? .null })
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(values: try BufferedRow(copying: row).values)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    for (position, attribute) in RandomEntity.current.description.attributes.enumerated() {
      try row.set(value: values[position], at: position, type: attribute.type)
    }
  }

  static func path(of name: String) -> any KeyPath<Self, StoredValue> & Sendable {
    let position = RandomEntity.current.description.position(of: name) ?? 0
    return \Self[position: position]
  }
}

/// A row of an entity with a key of its own.
struct KeyedRow: RandomRow, PrimaryKeyed {
  var values: [StoredValue]

  static var entity: Entity<KeyedRow> { RandomEntity.current.keyed }

  var id: RandomKey {
    get { RandomKey(keyValues: positions.map { values[$0] }) }
    set { for (position, value) in zip(positions, newValue.values) { values[position] = value } }
  }

  private var positions: [Int] {
    let entity = RandomEntity.current.description
    return entity.key.compactMap { entity.position(of: $0) }
  }
}

/// A row of an entity with a hidden key.
struct HiddenRow: RandomRow {
  var values: [StoredValue]

  static var entity: Entity<HiddenRow> { RandomEntity.current.hidden }

  init(values: [StoredValue]) {
    // A row that is read has its hidden key behind the attributes.
    self.values = Array(values.prefix(RandomEntity.current.description.attributes.count))
  }
}

/// A key of any shape.
struct RandomKey: PrimaryKey {
  let values: [StoredValue]
  init(keyValues: [StoredValue]) { values = keyValues }
  func keyValues() -> [StoredValue] { values }
}
