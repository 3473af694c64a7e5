internal import ORM
internal import ORMCore

/// One of the three entities of random shapes: which key it has, and which properties lead to it.
protocol ThingKind: Sendable {
  associatedtype Key: PrimaryKey
  static var number: Int { get }
  /// The names of the key's attributes.
  static var keyNames: [String] { get }
  /// The key of the object with a number; the number 0 is for one that has none yet.
  static func key(_ number: Int) -> Key
  static func number(of key: Key) -> Int
  static func keyPart<S: ShapeTag>(_ shape: S.Type) -> EntityPart<Thing<S, Self>>
  /// The properties of a model that lead to this entity.
  static func one<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToOne<Thing<S, Self>>>
  static func many<S: ShapeTag, K: ThingKind>(
    _ slot: Int, of model: Thing<S, K>.Type
  ) -> WritableAttributePath<Thing<S, K>, ToMany<Thing<S, Self>>>
}

/// An object of a random shape: an entity of its own for each shape and kind.
struct Thing<S: ShapeTag, K: ThingKind>: PrimaryKeyed {
  var id: K.Key
  var label = 0
  var oneAnt = [ToOne<Thing<S, Ant>>](repeating: .notLoaded, count: 2)
  var oneBee = [ToOne<Thing<S, Bee>>](repeating: .notLoaded, count: 2)
  var oneCow = [ToOne<Thing<S, Cow>>](repeating: .notLoaded, count: 2)
  var manyAnt = [ToMany<Thing<S, Ant>>](repeating: .notLoaded, count: 2)
  var manyBee = [ToMany<Thing<S, Bee>>](repeating: .notLoaded, count: 2)
  var manyCow = [ToMany<Thing<S, Cow>>](repeating: .notLoaded, count: 2)

  init(_ id: K.Key, label: Int) {
    self.id = id
    self.label = label
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    let size = K.keyNames.count
    id = try K.Key.read(from: row, at: Array(0..<size))
    label = try row[size]
    for (number, end) in Self.ends.enumerated() where !end.isToMany {
      switch end.target {
      case 0: oneAnt[end.slot] = try row.toOne(number, of: Self.self)
      case 1: oneBee[end.slot] = try row.toOne(number, of: Self.self)
      default: oneCow[end.slot] = try row.toOne(number, of: Self.self)
      }
    }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    let size = K.keyNames.count
    try id.write(to: &row, at: Array(0..<size))
    try row.write(label, at: size)
    for (number, end) in Self.ends.enumerated() where !end.isToMany {
      switch end.target {
      case 0: try row.write(oneAnt[end.slot], toOne: number, of: Self.self)
      case 1: try row.write(oneBee[end.slot], toOne: number, of: Self.self)
      default: try row.write(oneCow[end.slot], toOne: number, of: Self.self)
      }
    }
  }

  /// The relationships, in declared order.
  static var ends: [GraphShape.End] {
    let shape = ShapeTable.shape(S.number)
    return shape.ends[K.number].compactMap { shape.end($0) }
  }

  static var entity: Entity<Thing> { ShapeTable.entity(of: Thing.self) { declared } }

  /// The entity as the shape has it.
  private static var declared: Entity<Thing> {
    let shape = ShapeTable.shape(S.number)
    var part = K.keyPart(S.self).attribute("label", \.label)
    for reference in shape.ends[K.number] {
      let bond = shape.bonds[reference.bond]
      part =
        switch bond.kind(ofSource: !reference.isSource) {
        case 0: adding(reference, of: bond, to: Ant.self, after: part)
        case 1: adding(reference, of: bond, to: Bee.self, after: part)
        default: adding(reference, of: bond, to: Cow.self, after: part)
        }
    }
    return Entity(GraphShape.names[K.number]) { part }
  }

  private static func adding<T: ThingKind>(
    _ reference: GraphShape.Reference, of bond: GraphShape.Bond, to target: T.Type,
    after part: EntityPart<Thing>
  ) -> EntityPart<Thing> {
    guard let end = bond.end(ofSource: reference.isSource) else { return part }
    var inverse: (any PartialKeyPath<Thing<S, T>> & Sendable)?
    if let other = bond.end(ofSource: !reference.isSource),
      bond.naming == 2 || (bond.naming == 0) == reference.isSource
    {
      inverse =
        other.isToMany
        ? K.many(other.slot, of: Thing<S, T>.self) : K.one(other.slot, of: Thing<S, T>.self)
    }
    let rule = bond.back == nil ? bond.targetRule : .nullify
    if end.isToMany {
      return part.relationship(
        end.name, T.many(end.slot, of: Thing.self), inverse: inverse, delete: end.rule,
        targetDeleted: rule, count: end.count, ordered: end.isOrdered, shared: bond.isShared)
    }
    return part.relationship(
      end.name, T.one(end.slot, of: Thing.self), inverse: inverse, delete: end.rule,
      targetDeleted: rule, required: end.isRequired)
  }
}

/// Shapes and entities, each made once.
enum ShapeTable {
  private static let shapes = Lock<[UInt64: GraphShape]>([:])
  private static let entities = Lock<[ObjectIdentifier: any Sendable]>([:])

  static func shape(_ number: UInt64) -> GraphShape {
    if let known = shapes.withLock({ $0[number] }) { return known }
    let shape = GraphShape(number: number)
    shapes.withLock { $0[number] = shape }
    return shape
  }

  static func entity<Model: Persistable>(
    of model: Model.Type, _ make: () -> Entity<Model>
  ) -> Entity<Model> {
    let key = ObjectIdentifier(model)
    if let known = entities.withLock({ $0[key] }) as? Entity<Model> { return known }
    let made = make()
    return entities.withLock { entities in
      if let known = entities[key] as? Entity<Model> { return known }
      entities[key] = made
      return made
    }
  }
}
