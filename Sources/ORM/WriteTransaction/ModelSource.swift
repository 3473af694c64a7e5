internal import ORMCore

/// Gives models to a put, one after another.
struct ModelSource<Model: Persistable>: RowSource {
  let models: [Model]
  private let plan: ModelPlan<Model>
  let isNormalizing: Bool
  private var position = 0

  init(_ models: [Model], plan: ModelPlan<Model>) throws {
    if let first = models.first { try plan.prove(by: first) }
    self.models = models
    self.plan = plan
    isNormalizing = plan.isNormalizing
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < models.count else { return false }
    let model = models[position]
    position += 1
    do {
      if isNormalizing {
        try NormalizingEncoder.encode(model, into: &row, entity: plan.entity)
      } else {
        try model.encode(into: &row)
      }
    } catch {
      throw StoreError.mapping(error, of: model)
    }
    return true
  }

  mutating func rewind() { position = 0 }
}

/// Gives one model to a put, from where it lies.
///
/// The model stays there for as long as the put runs; no array is made for it.
@usableFromInline
struct OneModel<Model: Persistable>: RowSource {
  private let pointer: UnsafePointer<Model>
  private var isTaken = false

  @usableFromInline
  init(_ pointer: UnsafePointer<Model>) { self.pointer = pointer }

  @usableFromInline
  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    if isTaken { return false }
    isTaken = true
    do {
      try pointer.pointee.encode(into: &row)
    } catch {
      throw StoreError.mapping(error, of: pointer.pointee)
    }
    return true
  }

  @usableFromInline
  mutating func rewind() { isTaken = false }
}

/// Encodes models of entities with normalized attributes: their texts are brought into NFC.
enum NormalizingEncoder {
  static func encode<Model: Persistable, W: RowWriter & ~Copyable>(
    _ model: Model, into row: inout W, entity: StoredEntity
  ) throws {
    let values = try BufferedRow(encoding: model).values
    for (position, value) in values.enumerated() {
      let column = entity.columns[position]
      try row.set(value: value.normalized(for: column), at: position, type: column.type)
    }
  }
}
