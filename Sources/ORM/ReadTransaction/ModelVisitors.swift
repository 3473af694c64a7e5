@_spi(Records) internal import ORMCore
@_spi(Records) internal import ORMStorage

/// Collects every row as a model.
package struct ModelCollector<Model: Persistable>: BatchCollector {
  private let plan: ModelPlan<Model>
  package var rows: [Model] = []
  /// After how many models to pause.
  package var batch = Int.max
  private var links: DecodedLinks<Model>
  /// True if a model is ready as it was decoded.
  private let isPlain: Bool

  package init(_ plan: ModelPlan<Model>) {
    self.plan = plan
    links = DecodedLinks(of: plan.entity)
    isPlain = !plan.hasLoadHook && !links.isNeeded
  }

  package mutating func expect(atMost count: Int) {
    // The count of a damaged file must not make it request more memory than there is.
    rows.reserveCapacity(min(count, batch, 1 << 20))
  }

  package mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    do {
      try Model.append(row: row, to: &rows)
    } catch {
      throw plan.entity.unmapped(error, Model.self, row)
    }
    return try stepAfterModel()
  }

  package mutating func visit(block: inout RecordBlock) throws -> VisitStep {
    guard isPlain else {
      while let record = block.next() {
        if case .pause = try visit(record: record) { return .pause }
      }
      return .next
    }
    // Not more than the batch still takes: the cursor keeps the rest of the block.
    var part = block.take(atMost: batch - rows.count)
    do {
      try Model.append(block: &part, to: &rows)
    } catch {
      guard let record = part.last else { throw error }
      throw plan.entity.unmapped(error, Model.self, record)
    }
    return rows.count < batch ? .next : .pause
  }

  package mutating func visit(record: RecordReader) throws -> VisitStep {
    do {
      try Model.append(record: record, to: &rows)
    } catch {
      throw plan.entity.unmapped(error, Model.self, record)
    }
    return try stepAfterModel()
  }

  /// Completes the model that was added last.
  @inline(__always)
  private mutating func stepAfterModel() throws -> VisitStep {
    // How many rows there are is a call here, where their type is not known.
    if isPlain, batch == .max { return .next }
    if plan.hasLoadHook { try StoredEntity.callLoadHook(&rows[rows.count - 1]) }
    if links.isNeeded { try links.repair(&rows[rows.count - 1]) }
    return rows.count < batch ? .next : .pause
  }
}

/// Takes the first row as a model, and counts the rows.
///
/// The model is made in memory that its caller reserved: generic code can put it there without a
/// look-up of the optional's type for every row.
@usableFromInline
struct FirstModel<Model: Persistable>: RowVisitor {
  /// The plan, which the store keeps.
  private let plan: Unmanaged<ModelPlan<Model>>
  private let isPlain: Bool
  private let stopsAfter: Int
  private let pointer: UnsafeMutablePointer<Model>
  @usableFromInline private(set) var count = 0

  @usableFromInline
  init(
    _ plan: Unmanaged<ModelPlan<Model>>, stopsAfter: Int, _ pointer: UnsafeMutablePointer<Model>
  ) {
    self.plan = plan
    self.stopsAfter = stopsAfter
    self.pointer = pointer
    isPlain = plan._withUnsafeGuaranteedRef { $0.isPlain }
  }

  /// The first of the rows that `visit` hands to the visitor, which takes up to `stopsAfter`.
  @inlinable
  static func taking(
    _ plan: Unmanaged<ModelPlan<Model>>, stopsAfter: Int = 1,
    _ visit: (inout FirstModel) throws -> Void
  ) throws -> Model? {
    try withUnsafeTemporaryAllocation(of: Model.self, capacity: 1) { buffer in
      guard let pointer = buffer.baseAddress else { return nil }
      var visitor = FirstModel(plan, stopsAfter: stopsAfter, pointer)
      do {
        try visit(&visitor)
      } catch {
        if visitor.count > 0 { pointer.deinitialize(count: 1) }
        throw error
      }
      return visitor.count > 0 ? pointer.move() : nil
    }
  }

  @usableFromInline
  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    if count == 0 {
      do {
        try Model.initialize(pointer, row: row)
      } catch {
        throw plan._withUnsafeGuaranteedRef { $0.entity.unmapped(error, Model.self, row) }
      }
      count = 1
      if !isPlain { try complete() }
    } else {
      count += 1
    }
    return count < stopsAfter ? .next : .stop
  }

  @usableFromInline
  mutating func visit(record: RecordReader) throws -> VisitStep {
    if !isPlain { return try visit(record) }
    if count == 0 {
      do {
        try Model.initialize(pointer, record: record)
      } catch {
        throw plan._withUnsafeGuaranteedRef { $0.entity.unmapped(error, Model.self, record) }
      }
    }
    count += 1
    return count < stopsAfter ? .next : .stop
  }

  /// Calls the load hook of the model, and completes its relationships.
  @inline(never)
  private func complete() throws {
    if plan._withUnsafeGuaranteedRef({ $0.hasLoadHook }) {
      try StoredEntity.callLoadHook(&pointer.pointee)
    }
    guard plan._withUnsafeGuaranteedRef({ $0.hasLinks }) else { return }
    var links = DecodedLinks<Model>(of: plan._withUnsafeGuaranteedRef { $0.entity })
    try links.repair(&pointer.pointee)
  }
}

extension StoredEntity {
  /// The model of a row that an operation returns, after its load hook ran.
  ///
  /// - Parameter isHooked: whether the model has a load hook, as ``Persistable/hasLoadHook`` says;
  ///   callers look it up once, since that is a dynamic cast.
  @inline(__always)
  func model<Model: Persistable, R: RowReader & ~Copyable>(
    from row: borrowing R, isHooked: Bool
  ) throws -> Model {
    var model: Model = try unhookedModel(from: row)
    if isHooked { try Self.callLoadHook(&model) }
    return model
  }

  @inline(never)
  fileprivate static func callLoadHook<Model: Persistable>(_ model: inout Model) throws {
    guard var hooked = model as? any LoadHook else { return }
    try hooked.didLoad()
    if let changed = hooked as? Model { model = changed }
  }

  /// The model of a row, before its load hook runs; errors name entity, key and attribute.
  @inline(__always)
  func unhookedModel<Model: Persistable, R: RowReader & ~Copyable>(
    from row: borrowing R
  ) throws -> Model {
    do {
      return try Model(row: row)
    } catch {
      throw unmapped(error, Model.self, row)
    }
  }

  /// The error of a row that could not become a model.
  @inline(never)
  func unmapped<Model: Persistable, R: RowReader & ~Copyable>(
    _ error: any Error, _ model: Model.Type, _ row: borrowing R
  ) -> StoreError {
    StoreError.mapping(
      error, of: model, row: row, entity: modelName, key: key, attributes: columns.map(\.attribute))
  }
}

extension Persistable {
  /// True if objects are notified when they are read.
  static var hasLoadHook: Bool { Self.self is any LoadHook.Type }
}

extension StoreRuntime {
  /// The Swift type of an entity's objects, where the program that opened the store gave it.
  package func model(of entity: StoredEntity) -> (any Persistable.Type)? {
    models[entity.modelName]?.type as? any Persistable.Type
  }
}
