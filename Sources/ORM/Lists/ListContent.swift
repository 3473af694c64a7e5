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
    guard !Model.isClass else { return question }
    question.wantsKeys = true
    question.keep = { store, rows, footprint in
      let columns = try store.plan(of: Model.self).entity.visibleColumns
      guard
        let section = try ownSection(in: store),
        let kept = try KeptRows(
          rows.chunks, KeptDetails(columns: columns, section: section.operand),
          capacity: ListChunk<Model>.capacity(in: store), store, footprint)
      else { return nil }
      return KeptList(kept)
    }
    return question
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

  private func fetch(_ transaction: ReadTransaction) throws -> ListRows<Model> {
    let store = transaction.store
    let plan = try store.plan(of: Model.self)
    try check(plan.entity)
    try query.prefetches.check(for: Model.self)
    let reader = try transaction.live()
    let own = try ownSection(in: store)
    var collector = ListCollector<Model>(plan, own ?? OwnSection(operand: nil))
    if !query.prefetches.isEmpty {
      // What is loaded with a row may have changed where the row has not.
      collector.salt = Int.random(in: .min ... .max)
    }
    do {
      try reader.visit(try query.request(by: plan.lowering), &collector)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
    if own == nil, let operand {
      var values = ValueCollector()
      try reader.visit(
        try query.request(output: .values([operand]), by: plan.lowering), &values)
      collector.sections = values.rows.map { $0[0] }
      guard collector.sections.count == collector.digests.count else {
        throw StoreError(.engine, "two requests for the same rows give other numbers of rows")
      }
    }
    let models = try transaction.prefetching(
      query.prefetches, of: collector.models.rows, reader: reader, deleted: query.deleted,
      areDistinct: true)
    return ListRows(
      models, digests: collector.digests, sections: collector.sections,
      capacity: ListChunk<Model>.capacity(in: store))
  }
}

/// Collects rows as models, with their digests and sections.
private struct ListCollector<Model: PrimaryKeyed>: RowVisitor {
  var models: ModelCollector<Model>
  var digests: [Int] = []
  var sections: [StoredValue] = []
  /// A number that is part of each digest.
  var salt = 0
  private let section: OwnSection
  private let columns: [Int]

  init(_ plan: ModelPlan<Model>, _ section: OwnSection) {
    models = ModelCollector(plan)
    self.section = section
    columns = plan.entity.visibleColumns
  }

  mutating func expect(atMost count: Int) { models.expect(atMost: count) }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var hasher = BitHasher()
    for column in columns { hasher.add(try row.value(at: column)) }
    digests.append(hasher.finalize() ^ salt)
    if let value = try section.value(of: row) { sections.append(value) }
    return try models.visit(row)
  }
}

/// A list that commits change in place.
private final class KeptList<Model: PrimaryKeyed>: MaintainedResult {
  private let rows: KeptRows<Model>

  init(_ rows: KeptRows<Model>) { self.rows = rows }

  var entity: RecordedEntity { rows.entity }
  var value: ListRows<Model> { ListRows(rows.chunks) }
  func rebase() { rows.rebase() }
  var differsFromBase: Bool? { rows.differsFromBase }
  func apply(_ changes: ObservedChanges) throws -> KeptStep { try rows.apply(changes) }
}
