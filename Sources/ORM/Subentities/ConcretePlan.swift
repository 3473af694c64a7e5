internal import ORMCore

/// A plan to read the rows of an entity, each as the model of its kind.
final class ConcretePlan: Sendable {
  /// Every column of the root, as the entity is asked for them.
  let output: FetchShape.Output
  private let kindColumn: Int?
  /// The readers by the kind of the row; rows of the entity itself and of unknown kinds are read by
  /// `own`.
  private let readers: [String: Reader]
  private let own: Reader

  /// The model, entity and columns with which rows of one kind are read.
  struct Reader: Sendable {
    let model: any Persistable.Type
    let entity: StoredEntity
    /// The column of the row for each of the entity's columns.
    let columns: [Int]

    /// A reader of a model whose entity is the root, or one of its subentities.
    init(_ model: any Persistable.Type, _ entity: StoredEntity, in root: StoredEntity) {
      self.model = model
      self.entity = entity
      columns = entity.columns.compactMap { root.column(named: $0.name) }
    }
  }

  /// A plan for the rows of an entity that stores `model`.
  init(_ model: any Persistable.Type, _ entity: StoredEntity, in store: some Store) {
    let schema = store.schema
    let root = schema.root(of: entity)
    output = .values(root.columns.map { .attribute($0.attribute) })
    kindColumn = root.column(named: root.kindName)
    own = Reader(model, entity, in: root)
    let below = Set(root.kinds(of: entity))
    var readers: [String: Reader] = [:]
    // Each follows its parent, whose model is used where its own is not known.
    for kind in root.subentities {
      let isBelow = entity.parent == nil || below.contains(kind.name)
      guard isBelow, kind.name != entity.name else { continue }
      let parent = root.subentities.first { $0.modelName == kind.parent }
      readers[kind.name] =
        store.runtime.model(of: kind).map { Reader($0, kind, in: root) }
        ?? parent.flatMap { readers[$0.name] } ?? own
    }
    self.readers = readers
  }

  /// The object that a row is.
  func object<R: RowReader & ~Copyable>(
    from row: borrowing R
  ) throws -> any Persistable {
    var reader = own
    if let kindColumn, try !row.isNull(at: kindColumn) {
      reader = readers[try row.string(at: kindColumn)] ?? own
    }
    return try withUnsafePointer(to: row) { row in
      try Self.object(
        of: reader.model, from: TranslatedRow(row, columns: reader.columns), reader.entity)
    }
  }

  private static func object<Model: Persistable, R: RowReader>(
    of type: Model.Type, from row: R, _ entity: StoredEntity
  ) throws -> any Persistable {
    var model: Model = try entity.model(from: row, isHooked: Model.hasLoadHook)
    var links = DecodedLinks<Model>(of: entity)
    if links.isNeeded { try links.repair(&model) }
    return model
  }
}

/// A visitor that collects each row as its own model.
struct ConcreteCollector: RowVisitor {
  let plan: ConcretePlan
  var objects: [any Persistable] = []

  init(_ plan: ConcretePlan) { self.plan = plan }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    objects.append(try plan.object(from: row))
    return .next
  }
}

extension Store {
  /// Returns the plan to read the rows of a model, each as the model of its kind.
  func concretePlan<Model: Persistable>(of plan: ModelPlan<Model>) throws -> ConcretePlan {
    try runtime.plan(for: ConcreteKey<Model>.self) {
      ConcretePlan(Model.self, plan.entity, in: self)
    }
  }
}

/// Stands for a model's ``ConcretePlan`` among the plans of a store.
private enum ConcreteKey<Model> {}
