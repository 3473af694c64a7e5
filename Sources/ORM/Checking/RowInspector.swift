internal import ORMCore

/// A visitor that reads every value of every row, and records the faults.
struct RowInspector: RowVisitor {
  let entity: StoredEntity
  var count = 0
  var faults: [StoreError] = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count += 1
    for (position, column) in entity.columns.enumerated() {
      do {
        let value = try row.value(at: position)
        guard let fault = column.type.fault(of: value, isOptional: column.isOptional) else {
          continue
        }
        throw StoreError(.decoding, "the stored value \(fault)")
      } catch let error as StoreError {
        faults.append(
          error.filling(
            entity: entity.modelName, key: entity.key(of: row), attributes: [column.attribute]))
      }
    }
    return .next
  }
}

/// A visitor that decodes every row into a model, and records the faults.
struct ModelInspector<Model: Persistable>: RowVisitor {
  let entity: StoredEntity
  var faults: [StoreError] = []

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    do {
      let _: Model = try entity.unhookedModel(from: row)
    } catch let error as StoreError {
      faults.append(error)
    }
    return .next
  }
}
