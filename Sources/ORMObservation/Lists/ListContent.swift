internal import ORM
internal import ORMCore

/// The sections of a list: the operand whose values they are, and the values' type.
struct ListSectioning<Section: Sendable>: Sendable {
  /// The operand by whose values rows are sectioned; nil for a list without sections.
  let operand: Operand?
  /// The value of the only section of a list without sections.
  let whole: Section?
  let decode: @Sendable (StoredValue) throws -> Section

  /// The only section of a list.
  static func none(_ value: Section) -> Self {
    Self(operand: nil, whole: value) { _ in value }
  }

  /// The sections by the values of a projection.
  init<Model: Persistable>(_ projection: Projection<Model, Section>) {
    let source = projection.source
    if case .values(let operands) = source.output {
      operand = operands.first
    } else {
      operand = nil
    }
    whole = nil
    decode = { value in try source.decoder.decode(BufferedRow([value]), [0]) }
  }

  private init(
    operand: Operand?, whole: Section?, decode: @escaping @Sendable (StoredValue) throws -> Section
  ) {
    self.operand = operand
    self.whole = whole
    self.decode = decode
  }
}

/// The section of a row that the row itself decides.
private struct OwnSection {
  let operand: BoundOperand?

  func value<R: RowReader & ~Copyable>(of row: borrowing R) throws -> StoredValue? {
    try operand?.evaluate(row)
  }
}

/// A query whose rows are a list, and the operand of its sections.
struct ListQuestion<Model: PrimaryKeyed>: Sendable {
  let query: Query<Model>
  let operand: Operand?

  /// The question of the observation.
  var observed: ObservedQuestion<ListRows<Model>> {
    var question = ObservedQuestion(fetch: fetch)
    // Related objects are no part of a row's digest.
    guard query.prefetches.isEmpty else { return question }
    question.areEqual = ListRows.areIdentical
    // Objects of a class are shared with the consumer.
    if !Model.isClass { keep(&question) { plan in { try plan.model(of: $0) } } }
    return question
  }

  /// The question of the observation of a list that holds keys instead of rows.
  var observedKeys: ObservedQuestion<ListRows<Model.ID>> {
    var question = ObservedQuestion(fetch: fetchKeys)
    question.areEqual = ListRows.areIdentical
    question.repeats = true
    keep(&question) { plan in { try plan.entity.key(of: Model.self, in: $0) } }
    return question
  }

  /// Lets commits update the list, if each row by itself decides its position.
  ///
  /// - Parameter make: makes the function from a row of the model's entity to an element.
  private func keep<Element>(
    _ question: inout ObservedQuestion<ListRows<Element>>,
    _ make: @escaping @Sendable (ModelPlan<Model>) -> (BufferedRow) throws -> Element
  ) {
    question.wantsKeys = true
    question.keep = { store, rows, footprint in
      let plan = try store.plan(of: Model.self)
      guard
        let section = try ownSection(in: store),
        let rows = try MaintainedRows(
          rows.chunks,
          ListDetails(columns: plan.entity.visibleColumns, section: section.operand),
          capacity: ListChunk<Element>.capacity(in: store), plan.entity, make(plan), store,
          footprint)
      else { return nil }
      return MaintainedList(rows)
    }
  }

  /// Throws unless the order begins with the sections.
  private func check(_ entity: StoredEntity) throws {
    guard let operand else { return }
    let first = SortTerm.total(query.terms, entity: entity).first
    guard first.map({ $0.operand.folded($0.options) == operand }) ?? false else {
      throw StoreError(
        .invalidCondition,
        "a list has sections by \(operand), and its order does not begin with that"
          + (first.map { ", but with \($0)" } ?? ""), entity: entity.modelName)
    }
  }

  /// The sections, if a row itself decides its own; nil if other rows are read for them.
  private func ownSection(in store: any Store) throws -> OwnSection? {
    guard let operand else { return OwnSection(operand: nil) }
    let plan = try store.plan(of: Model.self)
    let request = try query.request(output: .values([operand]), by: plan.lowering)
    guard case .values(let operands) = request.shape.output, let operand = operands.first else {
      return nil
    }
    let compiled = try CompiledOperand(operand, entity: plan.entity, schema: store.schema)
    guard compiled.relatedShapes.isEmpty else { return nil }
    return OwnSection(operand: try compiled.bound(to: request.bindings))
  }

  // MARK: - Fetching

  private func fetch(_ transaction: ReadTransaction) throws -> ListRows<Model> {
    let plan = try transaction.store.plan(of: Model.self)
    try query.prefetches.check(for: Model.self)
    var collector = ListCollector(
      ModelCollector(plan), plan.entity, try ownSection(in: transaction.store))
    if !query.prefetches.isEmpty {
      // Objects loaded with a row may have changed where the row has not.
      collector.salt = Int.random(in: .min ... .max)
    }
    try collect(&collector, plan, transaction)
    let models = try transaction.prefetching(
      query.prefetches, of: collector.base.rows, reader: try transaction.live(),
      deleted: query.deleted, areDistinct: true)
    return list(of: models, collector, in: transaction.store)
  }

  private func fetchKeys(_ transaction: ReadTransaction) throws -> ListRows<Model.ID> {
    let plan = try transaction.store.plan(of: Model.self)
    guard query.prefetches.isEmpty else {
      throw StoreError(
        .invalidCondition, "a list of keys cannot prefetch relationships",
        entity: plan.entity.modelName)
    }
    var collector = ListCollector(
      RowKeyCollector<Model>(plan.entity), plan.entity, try ownSection(in: transaction.store))
    try collect(&collector, plan, transaction)
    return list(of: collector.base.rows, collector, in: transaction.store)
  }

  private func list<Element, Base>(
    of rows: [Element], _ collector: ListCollector<Base>, in store: any Store
  ) -> ListRows<Element> {
    ListRows(
      rows, digests: collector.digests, sections: collector.sections,
      capacity: ListChunk<Element>.capacity(in: store))
  }

  /// Collects the rows of the query in its order.
  private func collect<Base>(
    _ collector: inout ListCollector<Base>, _ plan: ModelPlan<Model>,
    _ transaction: ReadTransaction
  ) throws {
    try check(plan.entity)
    let reader = try transaction.live()
    do {
      try reader.visit(try query.request(by: plan.lowering), &collector)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
    guard !collector.hasOwnSections, let operand else { return }
    let found = try reader.rows(of: query.request(output: .values([operand]), by: plan.lowering))
    collector.sections = found.map { $0[0] }
    guard collector.sections.count == collector.digests.count else {
      throw StoreError(.engine, "two requests for the same rows give other numbers of rows")
    }
  }

  /// Fetches the rows with some keys, each with the digest that a list has of it.
  func rows(
    with keys: [Model.ID], _ transaction: ReadTransaction
  ) throws -> WindowRows<Model> {
    let plan = try transaction.store.plan(of: Model.self)
    var collector = ListCollector(
      ModelCollector(plan), plan.entity, OwnSection(operand: nil))
    try transaction.collect(
      try keys.map { try plan.storedKey($0.keyValues()) }, plan, try transaction.live(),
      &collector, seeing: query.deleted)
    var found = WindowRows<Model>()
    for (model, digest) in zip(collector.base.rows, collector.digests) {
      found.add(WindowRow(model: model, digest: digest))
    }
    return found
  }
}

/// Collects rows by another collector, with their digests and sections.
private struct ListCollector<Base: BatchCollector>: RowVisitor {
  var base: Base
  var digests: [Int] = []
  var sections: [StoredValue] = []
  /// A number that is part of each digest.
  var salt = 0
  /// True if the rows themselves decide their sections, or if there are none.
  let hasOwnSections: Bool
  private let section: OwnSection
  private let columns: [Int]

  /// - Parameter section: the section of a row; nil if other rows are read for it.
  init(_ base: Base, _ entity: StoredEntity, _ section: OwnSection?) {
    self.base = base
    self.section = section ?? OwnSection(operand: nil)
    hasOwnSections = section != nil
    columns = entity.visibleColumns
  }

  mutating func expect(atMost count: Int) { base.expect(atMost: count) }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var hasher = BitHasher()
    for column in columns { hasher.add(try row.value(at: column)) }
    digests.append(hasher.finalize() ^ salt)
    if let value = try section.value(of: row) { sections.append(value) }
    return try base.visit(row)
  }
}

/// Collects the keys of rows.
private struct RowKeyCollector<Model: PrimaryKeyed>: BatchCollector {
  private let entity: StoredEntity
  var rows: [Model.ID] = []
  var batch = Int.max

  init(_ entity: StoredEntity) { self.entity = entity }

  mutating func expect(atMost count: Int) {
    // The count of a damaged file must not make it request more memory than there is.
    rows.reserveCapacity(min(count, 1 << 20))
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try entity.key(of: Model.self, in: row))
    return .next
  }
}

extension StoredEntity {
  /// Returns the primary key of a row as the model has it.
  fileprivate func key<Model: PrimaryKeyed, R: RowReader & ~Copyable>(
    of model: Model.Type, in row: borrowing R
  ) throws -> Model.ID {
    var values: [StoredValue] = []
    for column in key { values.append(try row.value(at: column)) }
    return try Model.ID(keyValues: values)
  }
}

/// A list that commits update.
private final class MaintainedList<Element: Sendable>: MaintainedResult {
  private let rows: MaintainedRows<Element>

  init(_ rows: MaintainedRows<Element>) { self.rows = rows }

  var entity: RecordedEntity { rows.entity }
  var value: ListRows<Element> { ListRows(rows.chunks) }
  func rebase() { rows.rebase() }
  var differsFromBase: Bool? { rows.differsFromBase }
  func apply(_ changes: ObservedChanges) throws -> MaintainedStep { try rows.apply(changes) }
}
