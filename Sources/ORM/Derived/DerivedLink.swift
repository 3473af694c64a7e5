internal import ORMCore

/// One to-many that attributes of its owner are derived of.
final class DerivedLink: Sendable {
  /// The entity that declares it.
  let owner: StoredEntity
  /// The entity of the targets.
  let target: StoredEntity
  /// Where the links are, seen from the owner; never in the owner itself.
  let place: LinkPlace
  /// What is derived of it.
  let attributes: [DerivedAttribute]
  /// Adds to every attribute by parameters, those after the key's, where all of them are integers
  /// that a difference says everything of; nil elsewhere.
  let addition: (shape: FetchShape, assignments: [StoreChange.Assignment])?

  init(
    owner: StoredEntity, target: StoredEntity, place: LinkPlace, attributes: [DerivedAttribute]
  ) {
    self.owner = owner
    self.target = target
    self.place = place
    self.attributes = attributes
    guard attributes.allSatisfy(\.isAddedUp) else {
      addition = nil
      return
    }
    let parts = owner.key.enumerated().map { slot, position in
      let column = owner.columns[position]
      return Condition.compare(
        .attribute(column.attribute), .equal, .parameter(slot, column.type.kind), [])
    }
    addition = (
      FetchShape(
        entity: owner.name, condition: parts.count == 1 ? parts[0] : .all(parts),
        sort: RequestLowering.total([], entity: owner)),
      attributes.enumerated().map { index, attribute in
        StoreChange.Assignment(
          column: attribute.column,
          value: .arithmetic(
            .add, .attribute(owner.columns[attribute.column].attribute),
            .parameter(owner.key.count + index, .int)))
      }
    )
  }

  /// Columns of the owner that are derived of it.
  var columns: [Int] { attributes.map(\.column) }
}

/// One derived attribute.
struct DerivedAttribute: Sendable {
  /// Its column in the owner.
  let column: Int
  /// Its type.
  let type: AttributeType
  /// What it is kept to be.
  let value: DerivedValue
  /// The column of the targets that it is derived of; nil for a count.
  let source: Int?
  /// The same as a request for owners asks for it.
  let operand: Operand

  /// Whether a difference of integers says everything of a change, in 64 bits.
  var isAddedUp: Bool {
    value.aggregate == .count || value.aggregate == .sum && type == .int64
  }

  /// What it is over nothing.
  var empty: StoredValue { value.empty(type) }
}

/// What the rows of one entity mean for derived attributes.
struct DerivedFeeds: Sendable {
  /// The entity.
  let entity: StoredEntity
  /// The to-manys that its rows are targets of.
  fileprivate(set) var targets: [DerivedLink] = []
  /// The to-manys that its rows are links of.
  fileprivate(set) var links: [DerivedLink] = []
  /// The to-manys of its own.
  fileprivate(set) var own: [DerivedLink] = []
  /// What is looked at of a row: its key, then what links and derived attributes are made of.
  fileprivate(set) var columns: [Int]
  /// The column with the moment of a soft delete: what is hidden counts for nothing.
  let hidden: Int?

  fileprivate init(_ entity: StoredEntity) {
    self.entity = entity
    columns = entity.key
    hidden = entity.columns.firstIndex { $0.role == .deletedAt }
  }

  /// Whether others are derived of its rows.
  var feeds: Bool { !targets.isEmpty || !links.isEmpty }

  /// Whether writing a column changes what others are derived of.
  func isRead(_ column: Int) -> Bool {
    feeds && !entity.key.contains(column) && columns.contains(column)
  }

  fileprivate mutating func read(_ more: [Int]) {
    for column in more where !columns.contains(column) { columns.append(column) }
  }

  /// The values of columns in an image, which holds those of `columns`.
  func values(_ wanted: [Int], of image: [StoredValue]) -> [StoredValue] {
    wanted.map { column in columns.firstIndex(of: column).map { image[$0] } ?? .null }
  }
}

/// The derived attributes of a schema, worked out once a store.
final class StoreDerivations: Sendable {
  /// By the stored name of the entity; only those that derived attributes concern.
  private let feeds: [String: DerivedFeeds]
  /// Every link, those first whose results others are derived of.
  let links: [DerivedLink]

  init(_ schema: StoredSchema) throws {
    var links: [DerivedLink] = []
    for entity in schema.entities {
      for relationship in entity.relationships where relationship.isToMany {
        if let link = try Self.link(relationship, of: entity, schema) { links.append(link) }
      }
    }
    var feeds: [String: DerivedFeeds] = [:]
    func change(_ entity: StoredEntity, _ body: (inout DerivedFeeds) -> Void) {
      body(&feeds[entity.name, default: DerivedFeeds(entity)])
    }
    for link in links {
      change(link.owner) { $0.own.append(link) }
      change(link.target) { feeds in
        feeds.targets.append(link)
        feeds.read(link.attributes.compactMap(\.source))
        feeds.read(feeds.hidden.map { [$0] } ?? [])
        if case .there(let columns, position: _) = link.place { feeds.read(columns) }
      }
      if case .between(let join, let here, let there) = link.place {
        change(join) { feeds in
          feeds.links.append(link)
          feeds.read(here + there + (feeds.hidden.map { [$0] } ?? []))
        }
      }
    }
    self.feeds = feeds
    self.links = Self.ordered(links)
  }

  /// Whether nothing is derived.
  var isEmpty: Bool { links.isEmpty }

  /// What the rows of an entity, by its stored name, mean; nil where that is nothing.
  subscript(entity: String) -> DerivedFeeds? { feeds[entity] }

  private static func link(
    _ relationship: RelationshipDescription, of entity: StoredEntity, _ schema: StoredSchema
  ) throws -> DerivedLink? {
    let columns = entity.columns.indices.filter {
      entity.columns[$0].derived?.relationship == relationship.name
    }
    guard !columns.isEmpty, let target = schema.entity(named: relationship.target),
      let place = schema.place(of: relationship, in: entity)
    else { return nil }
    let attributes = try columns.compactMap { column -> DerivedAttribute? in
      let stored = entity.columns[column]
      guard let derived = stored.derived else { return nil }
      return DerivedAttribute(
        column: column, type: stored.type, value: derived,
        source: derived.attribute.flatMap { target.column(ofAttribute: $0) },
        operand: try derived.operand(in: entity, schema))
    }
    return DerivedLink(owner: entity, target: target, place: place, attributes: attributes)
  }

  /// Links in an order in which each comes after those that it is derived of.
  private static func ordered(_ links: [DerivedLink]) -> [DerivedLink] {
    var ordered: [DerivedLink] = []
    var rest = links
    while !rest.isEmpty {
      let ready = rest.filter { link in
        !rest.contains { other in
          other !== link && other.owner.name == link.target.name
            && link.attributes.contains { attribute in
              attribute.source.map { other.columns.contains($0) } ?? false
            }
        }
      }
      // Two to-manys of one pair of entities may wait for each other's attributes: then rebuilding
      // takes another round.
      let next = ready.isEmpty ? rest : ready
      ordered += next
      rest.removeAll { link in next.contains { $0 === link } }
    }
    return ordered
  }
}

extension Store {
  /// The derived attributes of this store.
  func derivations() throws -> StoreDerivations {
    try runtime.plan(for: StoreDerivations.self) { try StoreDerivations(schema) }
  }
}
