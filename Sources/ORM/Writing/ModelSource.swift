internal import ORMCore

/// Gives models to a put, one after another.
struct ModelSource<Model: Persistable>: RowSource {
  let models: [Model]
  let entity: StoredEntity
  let isNormalizing: Bool
  private var position = 0

  init(_ models: [Model], plan: ModelPlan<Model>) {
    self.models = models
    entity = plan.entity
    isNormalizing = plan.isNormalizing
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < models.count else { return false }
    let model = models[position]
    position += 1
    do {
      if isNormalizing {
        try NormalizingEncoder.encode(model, into: &row, entity: entity)
      } else {
        try model.encode(into: &row)
      }
    } catch let error as StoreError {
      throw error.filling(model, entity: entity)
    }
    return true
  }

  mutating func rewind() { position = 0 }
}

/// Gives rows of values to a put; the columns are those of the request, in its order.
struct ValueSource: RowSource {
  let rows: [[StoredValue]]
  let columns: [Int]
  let entity: StoredEntity
  private var position = 0

  init(_ rows: [[StoredValue]], columns: [Int], entity: StoredEntity) {
    self.rows = rows
    self.columns = columns
    self.entity = entity
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < rows.count else { return false }
    let values = rows[position]
    position += 1
    for (index, column) in columns.enumerated() {
      try row.set(value: values[index], at: column, type: entity.columns[column].type)
    }
    return true
  }

  mutating func rewind() { position = 0 }
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

extension StoredValue {
  /// A text in the form its column keeps.
  func normalized(for column: StoredColumn) -> StoredValue {
    guard column.isNormalized, case .string(let text) = self else { return self }
    return .string(TextFolding.normalizeNFC(text))
  }
}

extension StoreError {
  /// The error with the entity, the key and the attribute it was met at while a model was written.
  ///
  /// The attribute is the one after the last that the model could set.
  func filling<Model: Persistable>(_ model: Model, entity: StoredEntity) -> StoreError {
    var probe = RowBuilder(columnCount: entity.columns.count)
    probe.lastSet = -1
    _ = try? model.encode(into: &probe)
    var filled = filling(
      entity: entity.modelName, key: entity.key.map { probe.values[$0] })
    let failed = probe.lastSet + 1
    if filled.attributes.isEmpty, code == .invalidValue, failed < entity.columns.count {
      filled.attributes = [entity.columns[failed].attribute]
    }
    return filled
  }
}
