internal import FoundationEssentials
internal import ORMStorage
internal import Synchronization

/// The storage layout of a store, as of one generation of the catalog, seen by one program.
final class StoreLayout: Sendable {
  /// The catalog it was made of.
  let catalog: Catalog
  /// The schema that the program declares, with the names of the store.
  let declared: StoredSchema
  /// The declared entities, in the order of the schema.
  let entities: [EntityStorage]
  /// True while another program migrates the store, so that this one only reads.
  let refusesWriters: Bool
  private let positions: [String: Int]
  private let plans = PlanCache()
  private let putPlans = Lock<[PutRequest: PutPlan]>([:])
  /// The key accesses of shapes, cached as long as the layout exists.
  private let keyLookups = Lock<[KeyLookup]>([])
  /// The key access that was found last: a single read mostly has the same shape as the one before.
  private let lastKeyLookup = LastReference<KeyLookup>()
  /// The number of a commit whose catalog is known to be of this generation; 0 before the first.
  let knownCommit = Atomic<UInt64>(0)
  /// The most cached key accesses.
  private static let mostKeyLookups = 64
  /// The most cached plans of puts; past it, all are dropped.
  private static let mostPutPlans = 256

  /// A layout of a catalog, which must hold everything declared unless `isPartial` is true.
  ///
  /// That is where another program has written the catalog since this one compared it. Missing columns
  /// are then read as if they had just been added.
  ///
  /// - Parameter listsKeys: false for the program that migrates the store, whose writes are not listed.
  init(
    _ catalog: Catalog, declared: StoredSchema, overflowKeys: OverflowKeys, isPartial: Bool = false,
    listsKeys: Bool = true
  ) throws {
    self.catalog = catalog
    let declared = declared.following(aliasesOf: catalog.schema)
    self.declared = declared
    refusesWriters = catalog.schema.refusesWriters
    entities = try declared.entities.map { entity in
      guard let position = catalog.schema.index(of: entity.name) else {
        guard isPartial else { throw Catalog.damaged }
        return Self.missing(entity, catalog, overflowKeys)
      }
      return try Self.present(
        entity, at: position, catalog, overflowKeys,
        listingKeys: listsKeys
          ? catalog.schema.index(of: entity.name + MigrationEntity.keyListSuffix) : nil)
    }
    positions = Dictionary(
      declared.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity with this stored name.
  func entity(_ name: String) throws -> EntityStorage {
    guard let position = positions[name] else {
      throw StoreError(.unknownEntity, "the store has no entity \(name)", entity: name)
    }
    return entities[position]
  }

  /// Returns the prepared request of a shape in this layout.
  func prepared(_ shape: FetchShape) throws -> PreparedRequest {
    try plans.prepared(shape) { try PreparedRequest(shape, self) }
  }

  /// Returns the key access of a shape, if it is the one that was found last.
  @inline(__always)
  func keyLookup(of shape: FetchShape) -> Unmanaged<KeyLookup>? {
    lastKeyLookup.object { $0.shape === shape }
  }

  /// Caches the key access of a shape, unless the cache is full.
  func remember(_ access: KeyLookup) {
    let cached = keyLookups.withLock { accesses -> KeyLookup? in
      if let known = accesses.first(where: { $0.shape === access.shape }) { return known }
      if accesses.count >= Self.mostKeyLookups { return nil }
      accesses.append(access)
      return access
    }
    if let cached { lastKeyLookup.set(cached) }
  }

  /// Returns the plan of a put in this layout.
  func plan(of request: PutRequest) throws -> PutPlan {
    if let known = putPlans.withLock({ $0[request] }) { return known }
    let plan = try PutPlan(request, try entity(request.entity))
    putPlans.withLock { plans in
      if plans.count >= Self.mostPutPlans { plans = [:] }
      plans[request] = plan
    }
    return plan
  }

  private static func missing(
    _ entity: StoredEntity, _ catalog: Catalog, _ overflowKeys: OverflowKeys
  ) -> EntityStorage {
    let layout = RecordLayout(
      entity, fillings: entity.columns.map { _ in .null }, hasChecksums: catalog.hasChecksums)
    return EntityStorage(
      declared: entity, layout: layout, keyspace: nil, indexes: [], overflowKeys: overflowKeys)
  }

  private static func present(
    _ entity: StoredEntity, at position: Int, _ catalog: Catalog, _ overflowKeys: OverflowKeys,
    listingKeys keyList: Int? = nil
  ) throws -> EntityStorage {
    var stored = catalog.recordEntity(at: position).naming(attributesAs: entity)
    let keyspaces = catalog.keyspaces[position]
    let indexes = stored.indexes
    stored.indexes.removeLast(indexes.count - keyspaces.indexes.count)
    var fillings = try catalog.fillings(ofEntityAt: position)
    let now = Date()
    for column in entity.columns where stored.column(named: column.name) == nil {
      stored.columns.append(column)
      fillings.append(column.filling(at: now))
    }
    let layout = RecordLayout(stored, fillings: fillings, hasChecksums: catalog.hasChecksums)
    let key = KeyShape(primaryKeyOf: layout)
    func storage(_ index: StoredIndex, in keyspace: Keyspace, _ work: IndexWork?) -> IndexStorage {
      IndexStorage(
        index, in: keyspace, layout: layout, key: key, overflowKeys: overflowKeys, work: work)
    }
    return try EntityStorage(
      declared: entity, layout: layout, keyspace: keyspaces.rows,
      indexes: zip(indexes, keyspaces.indexes).map { storage($0, in: $1, nil) },
      building: zip(indexes.dropFirst(keyspaces.indexes.count), keyspaces.building ?? []).map {
        storage($0, in: $1.entries, IndexWork($1.work, overflowKeys))
      },
      overflowKeys: overflowKeys,
      keyList: keyList.map {
        try present(catalog.schema.entities[$0], at: $0, catalog, overflowKeys)
      })
  }
}
