internal import ORMStorage

/// The dependencies of derived attributes on the rows of one entity.
///
/// All rows of a hierarchy are rows of its root, also where they are written as a subentity. One
/// description, in terms of the root's columns, covers them all.
struct DerivedFeeds: Sendable {
  /// The entity; in a hierarchy its root.
  let entity: StoredEntity
  /// The to-manys that its rows are targets of.
  private(set) var targets: [DerivedTarget] = []
  /// The to-manys that its rows are links of.
  private(set) var links: [DerivedEnds] = []
  /// The to-manys of its own.
  private(set) var own: [DerivedLink] = []
  /// The columns read of a row: the key, then those that links and derived attributes depend on.
  private(set) var columns: [Int]
  /// The column with the timestamp of a soft delete: hidden rows count for nothing.
  let hidden: Int?

  init(_ entity: StoredEntity) {
    self.entity = entity
    columns = entity.key
    hidden = entity.deletedAt
  }

  /// True if others are derived of its rows.
  var feeds: Bool { !targets.isEmpty || !links.isEmpty }

  /// Returns whether writing a column may change derived attributes of other rows.
  func isRead(_ column: Int) -> Bool {
    feeds && !entity.key.contains(column) && columns.contains(column)
  }

  private mutating func read(_ more: [Int]) {
    for column in more + [hidden].compactMap(\.self) where !columns.contains(column) {
      columns.append(column)
    }
  }

  /// Adds a to-many whose owners are among the rows.
  mutating func addOwn(_ link: DerivedLink) { own.append(link) }

  /// Adds a to-many whose targets are among the rows.
  mutating func addTarget(_ link: DerivedLink, _ schema: StoredSchema) {
    func rooted(_ columns: [Int]) -> [Int] { schema.rooted(columns, of: link.target) }
    var target = DerivedTarget(
      link: link, owner: nil,
      sources: link.attributes.map { $0.source.map { rooted([$0])[0] } },
      kinds: DerivedKinds(link.target, in: entity))
    if case .there(let columns, position: _) = link.location { target.owner = rooted(columns) }
    targets.append(target)
    read(target.sources.compactMap(\.self) + (target.owner ?? []) + target.kinds.columns)
  }

  /// Adds a to-many whose links are among the rows.
  mutating func addEnds(_ link: DerivedLink, _ schema: StoredSchema) {
    guard case .between(let join, let here, let there) = link.location else { return }
    let ends = DerivedEnds(
      link: link, here: schema.rooted(here, of: join), there: schema.rooted(there, of: join),
      kinds: DerivedKinds(join, in: entity))
    links.append(ends)
    read(ends.here + ends.there + ends.kinds.columns)
  }
}

extension DerivedFeeds {
  /// Returns whether a put may change derived attributes, or insert owners.
  func isConcerned(by request: PutRequest) -> Bool {
    if request.mode != .update { return true }
    guard let columns = request.columns else { return feeds }
    return columns.contains { isRead($0) }
  }

  /// The images of rows by their keys.
  func images(of keys: [[StoredValue]], in reader: any StoreReader) throws -> [[StoredValue]] {
    try reader.values(of: entity, where: entity.key, in: keys, output: columns)
  }
}

/// A to-many seen from the rows of its targets, by the columns of their root.
struct DerivedTarget: Sendable {
  let link: DerivedLink
  /// The columns that hold the owner's key; nil if join rows hold it.
  fileprivate(set) var owner: [Int]?
  /// The source column of each attribute; nil for a count.
  let sources: [Int?]
  /// The test of the rows that are targets.
  let kinds: DerivedKinds
}

/// A to-many seen from rows between owners and targets, by the columns of their root.
struct DerivedEnds: Sendable {
  let link: DerivedLink
  let here: [Int]
  let there: [Int]
  /// The test of the rows that are links.
  let kinds: DerivedKinds
}

/// A test of whether rows of a root are those of an entity of its hierarchy.
struct DerivedKinds: Sendable {
  /// The root's column with the kind, and the entity's; nil where all rows are its own.
  private let kinds: (column: Int, names: Set<String>)?

  fileprivate init(_ entity: StoredEntity, in root: StoredEntity) {
    kinds =
      entity.parent == nil
      ? nil : root.column(named: root.kindName).map { ($0, Set(root.kinds(of: entity))) }
  }

  fileprivate var columns: [Int] { kinds.map { [$0.column] } ?? [] }

  /// The same with the kind's column at another position.
  func moved(_ newPosition: (Int) -> Int) -> (_ image: [StoredValue]) -> Bool {
    guard let (column, names) = kinds else { return { _ in true } }
    let position = newPosition(column)
    return { image in
      if case .string(let name) = image[position] { names.contains(name) } else { false }
    }
  }
}
