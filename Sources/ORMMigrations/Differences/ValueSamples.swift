internal import ORMRows
internal import ORMStorage

/// The values of attributes in the first rows of two stores.
struct ValueSamples {
  private let old: any Store
  private let new: any Store
  /// The schema of the old store after steps that were decided.
  private let draft: SchemaDraft
  private var known: [Location: Set<GroupKey>] = [:]
  /// The most rows of an entity that are read.
  private static var rows: Int { 1_000 }

  private struct Location: Hashable {
    var isOld: Bool
    var entity: String
    var attribute: String
  }

  init(_ old: any Store, _ new: any Store, _ draft: SchemaDraft) {
    self.old = old
    self.new = new
    self.draft = draft
  }

  /// Returns the part of the values of the attribute with fewer that the other has too; nil if either
  /// has none.
  mutating func likeness(
    of name: String, in entity: String, _ other: String
  ) throws -> Double? {
    guard let origin = try draft.origin(of: name, in: entity) else { return nil }
    let before = try values(
      Location(isOld: true, entity: origin.entity, attribute: origin.attribute))
    let after = try values(Location(isOld: false, entity: entity, attribute: other))
    if before.isEmpty || after.isEmpty { return nil }
    return Double(before.intersection(after).count) / Double(min(before.count, after.count))
  }

  private mutating func values(_ location: Location) throws -> Set<GroupKey> {
    if let known = known[location] { return known }
    var query = DynamicQuery(location.entity)
    query.limit = Self.rows
    let rows = try (location.isOld ? old : new).read { try $0.fetch(query) }
    let values = rows.map { $0[location.attribute] }.filter { !$0.isNull }
    let set = Set(values.map { GroupKey([$0]) })
    known[location] = set
    return set
  }
}

extension SchemaDraft {
  /// The entity and the attribute before the changes of an attribute, by names in the program; nil for
  /// one that was added.
  func origin(of attribute: String, in entity: String) throws -> (
    entity: String, attribute: String
  )? {
    let location = try location(attribute, of: entity)
    guard let origin = origin(of: location) else { return nil }
    let family = [origin.root] + origin.root.subentities
    for member in family {
      if let column = member.column(named: origin.column).map({ member.columns[$0] }),
        !column.isInternal
      {
        return (member.modelName, column.attribute)
      }
    }
    return nil
  }
}

extension StoredSchema {
  /// The schema as a program declares it: without migrations, and the entities that the library keeps
  /// for itself.
  package var declaredPart: StoredSchema {
    var schema = withoutMigration
    schema.entities.removeAll(where: \.holdsHistory)
    schema.migrations = nil
    schema.aliases = nil
    return schema
  }
}
