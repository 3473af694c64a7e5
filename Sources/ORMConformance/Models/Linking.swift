internal import ORM

/// The declaration of a relationship between the entities `Left` and `Right`: its end in either, and the
/// columns or the entity that hold its links.
struct LinkForm: Sendable, CustomStringConvertible {
  enum End: String, CaseIterable, Sendable { case one, many, ordered }

  /// The storage of the links of a to-many.
  ///
  /// It is a row of either end or of a plain join entity, as the ends say; a join entity of targets that
  /// are shared; or a model.
  enum Storage: String, CaseIterable, Sendable { case plain, shared, through }

  let left: End?
  let right: End?
  let storage: Storage

  /// Every form that a schema accepts.
  static let all: [LinkForm] = {
    let ends = [nil] + End.allCases.map(Optional.some)
    return Storage.allCases.flatMap { storage in
      ends.flatMap { left in ends.map { LinkForm(left: left, right: $0, storage: storage) } }
    }.filter(\.isAccepted)
  }()

  private var isAccepted: Bool {
    let ends = [left, right].compactMap { $0 }
    switch storage {
    case .plain: return !ends.isEmpty
    // Sharing replaces the missing inverse.
    case .shared: return ends.count == 1 && ends[0] != .one
    // The rows of a model have an order by its attributes.
    case .through: return !ends.isEmpty && ends.allSatisfy { $0 == .many }
    }
  }

  var description: String {
    "r \(left?.rawValue ?? "none"), l \(right?.rawValue ?? "none"), \(storage)"
  }

  /// The location of the links, by the rule of `RelationshipDescription`: forms with a location in
  /// common find each other's links.
  var location: String {
    if storage == .through { return "Bond" }
    if storage == .shared { return left == nil ? "Right_l" : "Left_r" }
    if left == .one { return "Left.r_id" }
    if right == .one { return "Right.l_id" }
    if right == nil { return "Right._Left_r_id" }
    return left == nil ? "Left._Right_l_id" : "Left_r"
  }

  /// True if a `Left` has at most one `Right`.
  var takesOneRight: Bool { left == .one || location == "Left._Right_l_id" }
  /// True if a `Right` has at most one `Left`.
  var takesOneLeft: Bool { right == .one || location == "Right._Left_r_id" }

  /// The relationships that both forms have.
  func common(with other: LinkForm) -> Set<String> {
    var common: Set<String> = []
    if left != nil, other.left != nil { common.insert("Left.r") }
    if right != nil, other.right != nil { common.insert("Right.l") }
    return common
  }

  /// The relationships whose links a store that was written with this form does not find with
  /// another.
  func lost(in other: LinkForm) -> Set<String> {
    location == other.location ? [] : common(with: other)
  }

  /// True if the relationship of `Left` names the columns or the entity of its links, or their order.
  var isNamedByLeft: Bool {
    storage != .through && left != nil && !(left == .many && right == .one)
  }

  /// True if the relationship of `Right` does.
  var isNamedByRight: Bool {
    storage != .through
      && (right == .ordered || (right != nil && left == nil) || (right == .one && left != .one))
  }

  /// The models of the form.
  var models: any LinkModels { models(.plain) }

  /// The models of the form with other names.
  func models(_ spelling: LinkSpelling) -> any LinkModels {
    let form = LinkForm.all.firstIndex { $0.description == description } ?? 0
    return LinkForm.models(1 + form + LinkForm.all.count * spelling.rawValue)
  }

  /// The form with this number, from 1.
  static subscript(_ number: UInt64) -> LinkForm { all[(Int(number) - 1) % all.count] }

  /// The models of a form, by its number.
  static func models(_ number: Int) -> any LinkModels {
    func make<S: ShapeTag>(_ tag: S.Type) -> any LinkModels { ModelsOfForm<S>() }
    return make(GraphShape.tag(UInt64(number)))
  }
}

/// The names of the relationships of a form.
enum LinkSpelling: Int, CaseIterable, Sendable {
  /// `r` and `l`, and names in the store that follow from these.
  case plain
  /// `r` and `l`, stored as `rs` and `ls`.
  case stored
  /// `x` and `y`, and names in the store that follow from these.
  case renamed
  /// `x` and `y`, stored as `r` and `l`.
  case unchanged

  /// The spelling of the models with this number.
  static subscript(_ number: UInt64) -> LinkSpelling {
    LinkSpelling(rawValue: (Int(number) - 1) / LinkForm.all.count) ?? .plain
  }

  /// The name of the relationship of `Left`.
  var left: String { self == .plain || self == .stored ? "r" : "x" }
  /// The name of the relationship of `Right`.
  var right: String { self == .plain || self == .stored ? "l" : "y" }

  /// The stored name of a relationship, by its plain name; nil where it follows from its name.
  func storedName(_ name: String) -> String? {
    switch self {
    case .plain, .renamed: nil
    case .stored: name + "s"
    case .unchanged: name
    }
  }
}

/// The models of one form.
protocol LinkModels: Sendable {
  /// The schema, with the entities in the store named alike for all forms.
  func schema() throws -> Schema
  /// Stores the rows of both ends, and the links.
  func fill(_ store: any Store, _ links: NaiveLinks) throws
  /// The keys that the relationship of each `Left` leads to; nil where the form has none.
  func targets(_ store: any Store) throws -> [Int64: [Int64]]?
  /// The keys that the relationship of each `Right` leads to.
  func owners(_ store: any Store) throws -> [Int64: [Int64]]?
}

private struct ModelsOfForm<S: ShapeTag>: LinkModels {
  private var form: LinkForm { LinkForm[S.number] }

  func schema() throws -> Schema {
    try form.storage == .through
      ? Schema(Left<S>.self, Right<S>.self, Bond<S>.self)
      : Schema(Left<S>.self, Right<S>.self)
  }

  func fill(_ store: any Store, _ links: NaiveLinks) throws {
    let (lefts, rights) = (links.targets, links.owners)
    try store.write { tx in
      try tx.save(lefts.keys.sorted().map { Left<S>(id: $0) })
      try tx.save(rights.keys.sorted().map { Right<S>(id: $0) })
      if form.storage == .through {
        let pairs = lefts.sorted { $0.key < $1.key }.flatMap { left, targets in
          targets.map { (left, $0) }
        }
        try tx.save(
          pairs.enumerated().map { number, pair in
            Bond<S>(id: Int64(number) + 1, left: .key(pair.0), right: .key(pair.1))
          })
        return
      }
      if let end = form.left {
        for (id, targets) in lefts.sorted(by: { $0.key < $1.key }) where !targets.isEmpty {
          var left = Left<S>(id: id)
          if end == .one { left.one = .key(targets[0]) } else { left.many = .keys(targets) }
          try tx.save(left)
        }
      }
      if let end = form.right, form.left == nil || end == .ordered {
        for (id, owners) in rights.sorted(by: { $0.key < $1.key }) where !owners.isEmpty {
          var right = Right<S>(id: id)
          if end == .one { right.one = .key(owners[0]) } else { right.many = .keys(owners) }
          try tx.save(right)
        }
      }
    }
  }

  func targets(_ store: any Store) throws -> [Int64: [Int64]]? {
    guard let end = form.left else { return nil }
    let found =
      try end == .one
      ? store.fetch(Left<S>.all.prefetch(\.one)).map { ($0.id, [$0.one.id].compactMap { $0 }) }
      : store.fetch(Left<S>.all.prefetch(\.many)).map { ($0.id, $0.many.ids ?? []) }
    return Dictionary(uniqueKeysWithValues: found)
  }

  func owners(_ store: any Store) throws -> [Int64: [Int64]]? {
    guard let end = form.right else { return nil }
    let found =
      try end == .one
      ? store.fetch(Right<S>.all.prefetch(\.one)).map { ($0.id, [$0.one.id].compactMap { $0 }) }
      : store.fetch(Right<S>.all.prefetch(\.many)).map { ($0.id, $0.many.ids ?? []) }
    return Dictionary(uniqueKeysWithValues: found)
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
      let (form, names) = (LinkForm[S.number], LinkSpelling[S.number])
      let storedName = form.isNamedByLeft ? names.storedName("r") : nil
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
        case .one:
          key.relationship(names.left, \.one, inverse: inverse, storedName: storedName)
        default:
          key.relationship(
            names.left, \.many, inverse: inverse, ordered: form.left == .ordered,
            shared: form.storage == .shared, through: form.storage == .through ? Bond<S>.self : nil,
            storedName: storedName)
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
      let (form, names) = (LinkForm[S.number], LinkSpelling[S.number])
      let storedName = form.isNamedByRight ? names.storedName("l") : nil
      let key = EntityPart<Right>.key("id", \.id)
      let part: EntityPart<Right> =
        switch form.right {
        case nil: key
        case .one: key.relationship(names.right, \.one, storedName: storedName)
        default:
          key.relationship(
            names.right, \.many, ordered: form.right == .ordered, shared: form.storage == .shared,
            through: form.storage == .through ? Bond<S>.self : nil, storedName: storedName)
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
      let isStored = LinkSpelling[S.number] == .stored
      return Entity("Bond") {
        EntityPart.key("id", \.id)
          .relationship("left", \.left, storedName: isStored ? "lefts" : nil)
          .relationship("right", \.right, storedName: isStored ? "rights" : nil)
      }
    }
  }
}
