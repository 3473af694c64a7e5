internal import FoundationEssentials
internal import ORMStorage

/// The rules, hooks and managed attributes that apply whenever rows of one entity are written.
package final class EntityInterceptor: Sendable {
  let entity: StoredEntity
  /// The rules that are conditions.
  let rules: [CompiledRule]
  /// The hooks and checks of the Swift type; nil if it has none or is not available.
  let typed: (any TypedInterceptor)?
  /// The columns of the timestamps of insert and change, and of the version.
  let created: Int?
  let updated: Int?
  let version: Int?
  /// The columns of derived attributes, which are managed by the layer beneath.
  let derived: [Int]
  /// The columns that a model writes.
  let modelColumns: [Int]

  /// The interceptor of an entity; nil where nothing is to be managed.
  init?(
    _ entity: StoredEntity, _ typed: (any TypedInterceptor)?, schema: StoredSchema,
    clock: (@Sendable () -> Date)?
  ) throws {
    func column(_ role: ManagedRole) -> Int? { entity.columns.firstIndex { $0.role == role } }
    self.entity = entity
    rules = try entity.rules.map {
      try CompiledRule($0, entity: entity, schema: schema, clock: clock)
    }
    self.typed = typed
    created = column(.createdAt)
    updated = column(.updatedAt)
    version = column(.version)
    derived = entity.columns.indices.filter { entity.columns[$0].derived != nil }
    modelColumns = Array(0..<entity.modelColumnCount).filter {
      !(entity.keySource == .hidden && entity.key.contains($0))
    }
    if isIdle, derived.isEmpty { return nil }
  }

  /// The hooks of the Swift type; nil if there are none.
  var hooks: (any RowHooks)? { typed?.hooks }

  /// Returns the failures that code of the Swift type finds in a row, which is new if there is no old one.
  func failures(
    of row: [StoredValue], old: [StoredValue]?, in transaction: WriteTransaction
  ) throws -> [StoreError] {
    guard let typed, typed.hasChecks else { return [] }
    return try typed.failures(of: row, old: old, in: transaction)
  }

  /// The columns that the operations keep.
  var managed: [Int] { [created, updated, version].compactMap { $0 } }

  /// True if there is nothing to be managed but derived attributes.
  var isIdle: Bool { rules.isEmpty && typed == nil && managed.isEmpty }

  /// A request without derived attributes, which no caller may set; nil if it names none.
  func stripped(_ request: PutRequest) -> PutRequest? {
    guard !derived.isEmpty else { return nil }
    if let columns = request.columns, !columns.contains(where: derived.contains) { return nil }
    let isHidden = entity.keySource == .hidden
    let columns =
      request.columns
      ?? entity.columns.indices.filter { !(isHidden && entity.key.contains($0)) }
    var request = request
    request.columns = columns.filter { !derived.contains($0) }
    return request
  }

  /// True if writes may store something else than they were given.
  package var changesRows: Bool { hooks != nil || !managed.isEmpty || !derived.isEmpty }

  /// Returns whether a put of these columns is of its concern: columns that no model sees are not.
  func concerns(_ columns: [Int]?) -> Bool {
    guard let columns else { return true }
    return columns.contains { !entity.columns[$0].isInternal && !entity.key.contains($0) }
      || columns.count >= modelColumns.count
  }

  /// Returns whether rows can be checked as they pass, without reading the stored rows.
  func checksInPassing(_ request: PutRequest) -> Bool {
    guard typed == nil, managed.isEmpty, request.mode != .insertMissing else { return false }
    guard let columns = request.columns else { return !request.nilKeeps }
    let written = Set(columns)
    return rules.allSatisfy { rule in
      rule.columns.isDisjoint(with: written)
        || rule.columns.isSubset(of: written) && (!request.nilKeeps || rule.columns.count == 1)
    }
  }

  /// The rules that look at one of some columns, made ready.
  func boundRules(on columns: Set<Int>?) throws -> [BoundRule] {
    try rules.filter { rule in columns.map { !rule.columns.isDisjoint(with: $0) } ?? true }
      .map { try $0.bound() }
  }

  /// Throws an error if a row breaks a rule.
  ///
  /// - Parameter more: further failures of the row; called only if there is one already.
  func check(
    _ row: [StoredValue], _ rules: [BoundRule], and others: [StoreError] = [],
    more: () throws -> [StoreError] = { [] }
  ) throws {
    let row = BufferedRow(row)
    var failures = try rules.compactMap { try $0.failure(of: row, entity: entity) } + others
    if !failures.isEmpty { failures += try more() }
    if let error = StoreError.broken(failures, entity: entity, key: entity.givenKey(of: row)) {
      throw error
    }
  }
}

/// The interceptors of a store's entities, worked out once.
package final class StoreInterceptors: Sendable {
  private let interceptors: [String: EntityInterceptor]
  /// True if code of the program runs with writes, which must not run twice.
  package let hasHooks: Bool

  package init(_ store: some Store) throws {
    let schema = store.schema
    var interceptors: [String: EntityInterceptor] = [:]
    for entity in schema.everyEntity {
      interceptors[entity.name] = try EntityInterceptor(
        entity, store.runtime.models[entity.modelName]?.interceptor as? any TypedInterceptor,
        schema: schema, clock: store.runtime.options.now)
    }
    self.interceptors = interceptors
    hasHooks = interceptors.values.contains { $0.hooks != nil }
  }

  /// True if no entity has an interceptor.
  package var isEmpty: Bool { interceptors.isEmpty }

  /// The interceptor of an entity, by its stored name.
  package subscript(name: String) -> EntityInterceptor? { interceptors[name] }
}

extension Store {
  /// The interceptors of this store's entities.
  package func interceptors() throws -> StoreInterceptors {
    try runtime.plan(for: StoreInterceptors.self) { try StoreInterceptors(self) }
  }
}
