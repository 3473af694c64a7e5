internal import ORMCore
internal import Synchronization

/// The stored entity and the constant requests of one model in one store, computed once.
@usableFromInline
package final class ModelPlan<Model: Persistable>: Sendable {
  package let entity: StoredEntity
  package let lowering: RequestLowering
  /// Whole rows by primary key, those that are visible; the bindings are the key's values.
  let findShape: FetchShape
  /// The same whether they are visible or not.
  let storedShape: FetchShape
  /// The output that requests only the keys of rows.
  let keyOutput: FetchShape.Output
  /// Puts of whole models.
  @usableFromInline let insert: PutRequest
  @usableFromInline let update: PutRequest
  @usableFromInline let save: PutRequest
  /// The same with outcomes reported.
  let insertCounted: PutRequest
  let updateCounted: PutRequest
  let saveCounted: PutRequest
  /// True if texts must be brought into NFC before they are stored.
  package let isNormalizing: Bool
  let keySource: StoredEntity.KeySource
  /// True if the model is a class.
  let isClass: Bool
  /// True if models take notice of being read.
  package let hasLoadHook: Bool
  /// True if the key is one integer with a sign.
  private let hasIntegerKey: Bool
  /// True if finds by key need no layer of the store.
  @usableFromInline let findsInEngine: Bool
  /// True if a value of the key is brought into NFC.
  private let normalizesKey: Bool
  /// True if the model has relationships, so that its saves go through graphs.
  let hasLinks: Bool
  /// True if to-ones are part of the primary key.
  let hasLinkedKey: Bool
  /// True if a model is ready as it was decoded.
  let isPlain: Bool
  /// True if the stored values may differ from those that a save was given: by hooks or managed
  /// attributes.
  package let isChangedByWrites: Bool
  /// True if a save that names no merge policy replaces stored rows.
  let replacesByDefault: Bool
  /// True if nothing that may fail follows the put of models.
  let endsWithPut: Bool
  /// True if a put writes models as they are given: no links, no keys or values made for them.
  private let writesAsGiven: Bool
  /// True if one model was seen to write the columns that its entity declares.
  private let isProven = Atomic(false)

  init(store: any Store) throws {
    let name = Model.entity.description.name
    guard let entity = store.schema.entity(named: name) else {
      throw StoreError(
        .unknownEntity,
        "the store was opened without this entity; add its model to the schema", entity: name)
    }
    try Self.check(Model.entity.description, against: entity)
    self.entity = entity
    lowering = RequestLowering(
      entity: entity, schema: store.schema, options: store.runtime.options, remembers: true)
    findShape = Self.findShape(of: entity, seeing: .hidden)
    storedShape =
      entity.deletedAt == nil ? findShape : Self.findShape(of: entity, seeing: .included)
    keyOutput = .values(entity.keyAttributes.map { .attribute($0) })
    func put(_ mode: PutRequest.Mode, counted: Bool) -> PutRequest {
      var request = PutRequest(entity: entity.name, mode: mode, reports: counted ? .outcomes : [])
      request.columns = entity.modelColumns
      return request
    }
    insert = put(.insert, counted: false)
    update = put(.update, counted: false)
    save = put(.upsert, counted: false)
    insertCounted = put(.insert, counted: true)
    updateCounted = put(.update, counted: true)
    saveCounted = put(.upsert, counted: true)
    isNormalizing = entity.columns.contains(where: \.isNormalized)
    keySource = entity.keySource
    isClass = Model.isClass
    hasLoadHook = Model.hasLoadHook
    hasIntegerKey = entity.key.count == 1 && entity.columns[entity.key[0]].type.kind == .int
    normalizesKey = entity.key.contains { entity.columns[$0].isNormalized }
    hasLinks = !Model.entity.relationships.isEmpty
    hasLinkedKey = Model.entity.hasLinkedKey
    isPlain = !hasLinks && !hasLoadHook
    findsInEngine = try store.layers()?.leavesFinds(of: entity.name) ?? true
    replacesByDefault = store.runtime.options.merge == .replace
    isChangedByWrites = try store.interceptors()[entity.name]?.changesRows ?? false
    let isPutPlainly = !hasLinks && !isNormalizing && !isChangedByWrites
    writesAsGiven = isPutPlainly && keySource == .program
    let getsKeys =
      switch keySource {
      case .uuidV4, .uuidV7: !isClass
      case .generated: !isClass && Self.takesAnyKey
      case .program, .hidden: false
      }
    endsWithPut = isPutPlainly && (keySource == .program || getsKeys)
  }

  /// True if a put of one model writes it as it is given, and a model was proven before.
  @usableFromInline
  var putsPlainly: Bool { writesAsGiven && isProven.load(ordering: .relaxed) }

  /// Returns whether keys are integers, and every one of 64 bits is a key to the model.
  private static var takesAnyKey: Bool {
    func takesAny<Keyed: PrimaryKeyed>(_ model: Keyed.Type) -> Bool {
      Keyed.ID.self == Int64.self || Keyed.ID.self == Int.self && Int.bitWidth == 64
    }
    guard let keyed = Model.self as? any PrimaryKeyed.Type else { return false }
    return takesAny(keyed)
  }

  /// True if UUIDs are made for models that have none.
  var givesUUIDs: Bool { keySource == .uuidV4 || keySource == .uuidV7 }
  /// True if models without a key are given one.
  var givesKeys: Bool { keySource == .generated || givesUUIDs }

  /// Checks, once, that a model writes values of the kinds that its entity declares: a mapping
  /// written by hand can set the wrong column.
  ///
  /// - Throws: as ``Mapper/values(of:)``.
  func prove(by model: Model) throws {
    if isProven.load(ordering: .relaxed) { return }
    _ = try Mapper.values(of: model)
    isProven.store(true, ordering: .relaxed)
  }

  /// The attributes of the Swift type must be those the store was opened with, in their order.
  private static func check(
    _ description: EntityDescription, against entity: StoredEntity
  ) throws {
    let declared = description.lowered()
    func isSame(_ a: StoredColumn, _ b: StoredColumn) -> Bool {
      a.attribute == b.attribute && a.type == b.type && a.isOptional == b.isOptional
        && a.isNormalized == b.isNormalized
    }
    let seen = entity.columns.prefix(entity.modelColumnCount)
    guard declared.columns.count == seen.count, declared.key == entity.key,
      declared.keySource == entity.keySource, zip(declared.columns, seen).allSatisfy(isSame)
    else {
      throw StoreError(
        .schemaMismatch, "the store was opened with a different declaration of this model",
        entity: description.name)
    }
  }

  private static func findShape(
    of entity: StoredEntity, seeing deleted: DeletedRows
  ) -> FetchShape {
    var parts = entity.key.enumerated().map { slot, position in
      let column = entity.columns[position]
      return Condition.compare(
        .attribute(column.attribute), .equal, .parameter(slot, column.type.kind), [])
    }
    if let seen = entity.condition(seeing: deleted) { parts.append(seen) }
    return FetchShape(
      entity: entity.name, condition: parts.count == 1 ? parts[0] : .all(parts),
      sort: SortTerm.total([], entity: entity))
  }

  /// The shape of a find by one integer, whether the model is ready as it was decoded, and whether
  /// the engine finds it without the store's layers; nil where the key is something else.
  @usableFromInline
  func integerFind(
    seesDeleted: Bool
  ) -> (shape: Unmanaged<FetchShape>, isPlain: Bool, isInEngine: Bool)? {
    guard hasIntegerKey else { return nil }
    return (.passUnretained(seesDeleted ? storedShape : findShape), isPlain, findsInEngine)
  }

  /// The error of a record that could not become a model.
  @inline(never) @usableFromInline
  func unmapped(_ error: any Error, _ record: RecordReader) -> StoreError {
    entity.unmapped(error, Model.self, record)
  }

  /// The request for one row; for a visible one unless said otherwise.
  @usableFromInline
  func find(_ key: [StoredValue], seesDeleted: Bool = false) throws -> FetchRequest {
    FetchRequest(seesDeleted ? storedShape : findShape, bindings: try storedKey(key))
  }

  /// The values of a key in the form that the store keeps.
  package func storedKey(_ key: [StoredValue]) throws -> [StoredValue] {
    guard key.count == entity.key.count else {
      throw StoreError(
        .invalidValue, "the key has \(key.count) values where the entity has \(entity.key.count)",
        entity: entity.modelName)
    }
    return normalizesKey
      ? zip(key, entity.key).map { $0.normalized(for: entity.columns[$1]) } : key
  }
}

extension StoredEntity {
  /// The columns that a put of whole models sets; nil for all of them.
  var modelColumns: [Int]? {
    modelColumnCount < columns.count ? Array(0..<modelColumnCount) : nil
  }
}

extension Store {
  /// The plan of a model in this store.
  package func plan<Model: Persistable>(of model: Model.Type) throws -> ModelPlan<Model> {
    try runtime.plan(ofModel: model) { try ModelPlan<Model>(store: self) }
  }
}
