internal import ORMCore

/// Collects every row as a model.
struct ModelCollector<Model: Persistable>: RowVisitor {
  let entity: StoredEntity
  var models: [Model] = []
  /// After how many models to pause.
  var batch = Int.max

  init(entity: StoredEntity) { self.entity = entity }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    do {
      models.append(try Model(row: row))
    } catch let error as StoreError {
      throw error.filling(row, of: entity)
    }
    return models.count < batch ? .next : .pause
  }
}

/// Takes the first row as a model, and notes whether there was another.
struct FirstModel<Model: Persistable>: RowVisitor {
  let entity: StoredEntity
  let stopsAfter: Int
  var model: Model?
  var count = 0

  init(entity: StoredEntity, stopsAfter: Int = 1) {
    self.entity = entity
    self.stopsAfter = stopsAfter
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count += 1
    if count == 1 {
      do {
        model = try Model(row: row)
      } catch let error as StoreError {
        throw error.filling(row, of: entity)
      }
    }
    return count < stopsAfter ? .next : .stop
  }
}

/// Collects rows as values.
struct ValueCollector: RowVisitor {
  var rows: [[StoredValue]] = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    rows.append(try BufferedRow(copying: row).values)
    return .next
  }
}

extension StoreError {
  /// The error with the entity and the key of the row it was met in.
  func filling<R: RowReader & ~Copyable>(_ row: borrowing R, of entity: StoredEntity) -> StoreError
  {
    var key: [StoredValue] = []
    for position in entity.key where position < row.columnCount {
      if let value = try? row.value(at: position) { key.append(value) }
    }
    return filling(entity: entity.modelName, key: key)
  }
}
