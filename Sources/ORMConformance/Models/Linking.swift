internal import ORM

/// The declaration of a relationship between the entities `Left` and `Right`: its end in either, and
/// what holds its links.
struct LinkForm: Sendable {
  enum End: Sendable { case one, many, ordered }

  let name: String
  let left: End?
  let right: End?
  var isShared = false
  var isThrough = false
  /// The place of the links, by the rule of `RelationshipDescription`: forms with a place in common
  /// find each other's links.
  let place: String

  /// Every place, in every form that has it, and with and without an order.
  static let all = [
    LinkForm(name: "one-way to-one", left: .one, right: nil, place: "Left.r_id"),
    LinkForm(name: "one-to-one", left: .one, right: .one, place: "Left.r_id"),
    LinkForm(name: "many-to-one", left: .one, right: .many, place: "Left.r_id"),
    LinkForm(name: "one-to-many", left: .many, right: .one, place: "Right.l_id"),
    LinkForm(name: "ordered one-to-many", left: .ordered, right: .one, place: "Right.l_id"),
    LinkForm(name: "one-way to-one back", left: nil, right: .one, place: "Right.l_id"),
    LinkForm(name: "one-way to-many", left: .many, right: nil, place: "Right._Left_r_id"),
    LinkForm(name: "ordered one-way", left: .ordered, right: nil, place: "Right._Left_r_id"),
    LinkForm(name: "one-way to-many back", left: nil, right: .many, place: "Left._Right_l_id"),
    LinkForm(name: "shared", left: .many, right: nil, isShared: true, place: "Left_r"),
    LinkForm(name: "many-to-many", left: .many, right: .many, place: "Left_r"),
    LinkForm(name: "ordered many-to-many", left: .ordered, right: .many, place: "Left_r"),
    LinkForm(name: "shared back", left: nil, right: .many, isShared: true, place: "Right_l"),
    LinkForm(name: "through a model", left: .many, right: .many, isThrough: true, place: "Bond"),
  ]

  /// The relationships whose links a store that was written with this form does not find with
  /// another.
  func lost(in other: LinkForm) -> Set<String> {
    if place == other.place { return [] }
    var lost: Set<String> = []
    if left != nil, other.left != nil { lost.insert("Left.r") }
    if right != nil, other.right != nil { lost.insert("Right.l") }
    return lost
  }

  /// The form with this number, from 1.
  static subscript(_ number: UInt64) -> LinkForm { all[Int(number) - 1] }

  /// The models of a form, told apart by its number.
  static func models(_ number: Int) -> any LinkModels {
    func make<S: ShapeTag>(_ tag: S.Type) -> any LinkModels { ModelsOfForm<S>() }
    return make(GraphShape.tag(UInt64(number)))
  }
}

/// The models of one form.
protocol LinkModels: Sendable {
  /// The schema, with the entities in the store named alike for all forms.
  func schema() throws -> Schema
  /// Stores `Left` 1 with a link to `Right` 1.
  func fill(_ store: any Store) throws
  /// The keys that the relationship of `Left` leads to; nil where the form has none.
  func targets(_ store: any Store) throws -> [Int64]?
  /// The keys that the relationship of `Right` leads to.
  func owners(_ store: any Store) throws -> [Int64]?
}

private struct ModelsOfForm<S: ShapeTag>: LinkModels {
  private var form: LinkForm { LinkForm[S.number] }

  func schema() throws -> Schema {
    try form.isThrough
      ? Schema(Left<S>.self, Right<S>.self, Bond<S>.self)
      : Schema(Left<S>.self, Right<S>.self)
  }

  func fill(_ store: any Store) throws {
    var left = Left<S>(id: 1)
    var right = Right<S>(id: 1)
    if form.isThrough {
      try store.save(left)
      try store.save(right)
      try store.save(Bond<S>(id: 1, left: .key(1), right: .key(1)))
      return
    }
    if let end = form.left {
      if case .one = end { left.one = .key(1) } else { left.many = .keys([1]) }
      try store.save(right)
      try store.save(left)
    } else {
      if case .one? = form.right { right.one = .key(1) } else { right.many = .keys([1]) }
      try store.save(left)
      try store.save(right)
    }
  }

  func targets(_ store: any Store) throws -> [Int64]? {
    guard let end = form.left else { return nil }
    if case .one = end {
      let found = try store.fetch(Left<S>.all.prefetch(\.one)).first
      return found.map { [$0.one.id].compactMap { $0 } }
    }
    return try store.fetch(Left<S>.all.prefetch(\.many)).first?.many.ids
  }

  func owners(_ store: any Store) throws -> [Int64]? {
    guard let end = form.right else { return nil }
    if case .one = end {
      let found = try store.fetch(Right<S>.all.prefetch(\.one)).first
      return found.map { [$0.one.id].compactMap { $0 } }
    }
    return try store.fetch(Right<S>.all.prefetch(\.many)).first?.many.ids
  }
}

private struct Left<S: ShapeTag>: PrimaryKeyed {
  var id: Int64
  var one: ToOne<Right<S>> = .notLoaded
  var many: ToMany<Right<S>> = .notLoaded

  init(id: Int64) { self.id = id }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    if case .one? = LinkForm[S.number].left { one = try row.toOne(0, of: Left.self) }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    if case .one? = LinkForm[S.number].left { try row.write(one, toOne: 0, of: Left.self) }
  }

  static var entity: Entity<Left> {
    ShapeTable.entity(of: Left.self) {
      let form = LinkForm[S.number]
      let key = EntityPart<Left>.key("id", \.id)
      let inverse: (any PartialKeyPath<Right<S>> & Sendable)? =
        switch form.right {
        case nil: nil
        case .one: \Right<S>.one
        default: \Right<S>.many
        }
      let part: EntityPart<Left> =
        switch form.left {
        case nil: key
        case .one: key.relationship("r", \.one, inverse: inverse)
        default:
          key.relationship(
            "r", \.many, inverse: inverse, ordered: form.left == .ordered,
            shared: form.isShared, through: form.isThrough ? Bond<S>.self : nil)
        }
      return Entity("Left") { part }
    }
  }
}

private struct Right<S: ShapeTag>: PrimaryKeyed {
  var id: Int64
  var one: ToOne<Left<S>> = .notLoaded
  var many: ToMany<Left<S>> = .notLoaded

  init(id: Int64) { self.id = id }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    if case .one? = LinkForm[S.number].right { one = try row.toOne(0, of: Right.self) }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    if case .one? = LinkForm[S.number].right { try row.write(one, toOne: 0, of: Right.self) }
  }

  static var entity: Entity<Right> {
    ShapeTable.entity(of: Right.self) {
      let form = LinkForm[S.number]
      let key = EntityPart<Right>.key("id", \.id)
      let part: EntityPart<Right> =
        switch form.right {
        case nil: key
        case .one: key.relationship("l", \.one)
        default:
          key.relationship(
            "l", \.many, shared: form.isShared, through: form.isThrough ? Bond<S>.self : nil)
        }
      return Entity("Right") { part }
    }
  }
}

private struct Bond<S: ShapeTag>: PrimaryKeyed {
  var id: Int64
  var left: ToOne<Left<S>>
  var right: ToOne<Right<S>>

  init(id: Int64, left: ToOne<Left<S>>, right: ToOne<Right<S>>) {
    self.id = id
    self.left = left
    self.right = right
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    left = try row.toOne(0, of: Bond.self)
    right = try row.toOne(1, of: Bond.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(left, toOne: 0, of: Bond.self)
    try row.write(right, toOne: 1, of: Bond.self)
  }

  static var entity: Entity<Bond> {
    ShapeTable.entity(of: Bond.self) {
      Entity("Bond") {
        EntityPart.key("id", \.id)
          .relationship("left", \.left)
          .relationship("right", \.right)
      }
    }
  }
}
