internal import ORMStorage

/// The location of the links of every relationship of a store, by columns; computed once per store.
package final class LinkLayout: Sendable {
  package let entities: [StoredEntity]
  /// The links that are keys in columns of one of their ends.
  package let slots: [KeySlot]
  /// The links that are rows of an entity of their own.
  package let joins: [JoinSlot]
  /// The slots in the columns of each entity.
  let held: [[Int]]
  private let numbers: [String: Int]
  private let ends: [[String: LinkEnd]]

  package init(_ schema: StoredSchema) {
    entities = schema.everyEntity
    var builder = Builder(schema: schema, entities: entities)
    for number in entities.indices {
      for relationship in entities[number].relationships { builder.add(relationship, of: number) }
    }
    slots = builder.slots
    joins = builder.joins
    ends = builder.ends
    numbers = builder.numbers
    held = entities.indices.map { entity in
      builder.slots.indices.filter { builder.slots[$0].referrer == entity }
    }
  }

  /// The number of an entity by its name in the program.
  ///
  /// - Throws: `unknownEntity`.
  package func number(of entity: String) throws -> Int {
    guard let number = numbers[entity] else {
      throw StoreError(
        .unknownEntity,
        "the store was opened without this entity; add its model to the schema", entity: entity)
    }
    return number
  }

  /// Returns the location of a relationship's links, seen from its entity.
  ///
  /// - Throws: `schemaMismatch` when the store was opened without it.
  package func end(_ relationship: String, of entity: Int) throws -> LinkEnd {
    guard let end = ends[entity][relationship] else {
      throw StoreError(
        .schemaMismatch, "the store was opened with a schema that lacks this relationship",
        entity: entities[entity].modelName, attributes: [relationship])
    }
    return end
  }
}

/// One end of a relationship.
package enum LinkEnd {
  /// A to-one whose key is in the entity's own columns.
  case referrer(Int)
  /// The other end of it: a to-many, or a to-one.
  case owner(Int)
  /// An end of links that are rows; the first end, or the second.
  case join(Int, isFirst: Bool)
}

/// Links that are keys: columns of the referrer's rows hold the owner's key.
package struct KeySlot: Sendable {
  /// The entity with the columns.
  package let referrer: Int
  package let columns: [Int]
  /// The column with the referrer's ordering key.
  package var position: Int?
  /// The entity whose key they hold.
  package let owner: Int
  /// True if an owner has one referrer at most.
  package var isOne = false
  package var isRequired = false
  /// True if the columns are part of the referrer's primary key, so that the owner is the same for
  /// as long as the row exists.
  var isKey = false
  /// The referrer's to-one; nil where only the owner knows.
  var referrerName: String?
  /// The owner's relationship; nil where only the referrer knows.
  var ownerName: String?

  /// The columns with the owner's key, and that with the ordering key.
  var linkColumns: [Int] { columns + (position.map { [$0] } ?? []) }

  /// The name for errors.
  package var name: String { referrerName ?? ownerName ?? "" }
}

/// Links that are rows of an entity between two others.
package struct JoinSlot: Sendable {
  /// The entity of the rows.
  let entity: Int
  var first: Side
  var second: Side
  /// True if the rows are objects of a model.
  package let isThrough: Bool

  /// One end.
  package struct Side: Sendable {
    /// The entity linked.
    let entity: Int
    /// The columns that hold its key.
    package let columns: [Int]
    /// The relationship; nil where the other end alone knows.
    var name: String?
    /// The column with the other's ordering key.
    package var position: Int?
  }

  /// An end.
  package func side(isFirst: Bool) -> Side { isFirst ? first : second }
}

/// Collects the ends of relationships, each slot found by either of its ends.
private struct Builder {
  let schema: StoredSchema
  let entities: [StoredEntity]
  let numbers: [String: Int]
  var slots: [KeySlot] = []
  var joins: [JoinSlot] = []
  var ends: [[String: LinkEnd]]

  init(schema: StoredSchema, entities: [StoredEntity]) {
    self.schema = schema
    self.entities = entities
    numbers = Dictionary(
      entities.enumerated().map { ($1.modelName, $0) }, uniquingKeysWith: { first, _ in first })
    ends = Array(repeating: [:], count: entities.count)
  }

  mutating func add(_ relationship: RelationshipDescription, of entity: Int) {
    guard let target = numbers[relationship.target],
      let location = schema.location(of: relationship, in: entities[entity])
    else { return }
    switch location {
    case .here(let columns, let position):
      let slot = slot(referrer: entity, columns, position, owner: target)
      slots[slot].referrerName = relationship.name
      slots[slot].isRequired = relationship.isRequired
      ends[entity][relationship.name] = .referrer(slot)
    case .there(let columns, let position):
      let slot = slot(referrer: target, columns, position, owner: entity)
      slots[slot].ownerName = relationship.name
      if !relationship.isToMany { slots[slot].isOne = true }
      ends[entity][relationship.name] = .owner(slot)
    case .between(let join, let here, let there):
      guard let number = numbers[join.modelName],
        case .join(_, _, _, let position)? = relationship.storage
      else { return }
      addJoin(
        relationship, entity: number,
        own: .init(
          entity: entity, columns: here, name: relationship.name,
          position: position.flatMap { join.column(ofAttribute: $0) }),
        other: .init(entity: target, columns: there), of: entity)
    }
  }

  /// The number of the slot of columns, which is made where there is none yet.
  private mutating func slot(
    referrer: Int, _ columns: [Int], _ position: Int?, owner: Int
  ) -> Int {
    let number =
      slots.firstIndex { $0.referrer == referrer && $0.columns == columns } ?? slots.count
    if number == slots.count {
      slots.append(KeySlot(referrer: referrer, columns: columns, owner: owner))
      slots[number].isKey = columns.allSatisfy(entities[referrer].key.contains)
    }
    if let position { slots[number].position = position }
    return number
  }

  private mutating func addJoin(
    _ relationship: RelationshipDescription, entity: Int, own: JoinSlot.Side,
    other: JoinSlot.Side, of owner: Int
  ) {
    for (number, join) in joins.enumerated() where join.entity == entity {
      if join.second.columns == own.columns, join.first.columns == other.columns {
        joins[number].second = own
        ends[owner][relationship.name] = .join(number, isFirst: false)
        return
      }
    }
    joins.append(
      JoinSlot(
        entity: entity, first: own, second: other, isThrough: relationship.through != nil))
    ends[owner][relationship.name] = .join(joins.count - 1, isFirst: true)
  }
}

extension Store {
  /// Returns the location of the links of this store's relationships.
  package func linkLayout() throws -> LinkLayout {
    try runtime.plan(for: LinkLayout.self) { LinkLayout(schema) }
  }
}
