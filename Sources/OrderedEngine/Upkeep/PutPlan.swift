internal import ORMStorage

/// The plan of a put for the records of its entity, worked out once.
// No lock: nothing changes after init.
final class PutPlan: @unchecked Sendable {
  let request: PutRequest
  let entity: EntityStorage
  let keyspace: Keyspace
  /// The columns that the source writes.
  let columns: RowColumns
  /// True if the source's row is the whole record: nothing stays of an old one, no default goes
  /// into a new one.
  let isWhole: Bool
  /// True for each column of the file that the source sets.
  let isProvided: [Bool]
  /// The columns that may not be null, but for a generated key.
  let required: [RecordField]
  /// The same as bits of the columns that a view of a record lacks.
  let requiredBits: UInt64
  /// The columns that take a default where a new row does not set them.
  let defaults: [(field: RecordField, value: StoredValue)]
  /// The key column whose 0 stands for a key to be given.
  let generatedKey: RecordField?

  init(_ request: PutRequest, _ entity: EntityStorage) throws {
    guard let keyspace = entity.keyspace else {
      throw StoreError(.readOnly, "the store was opened read-only", entity: request.entity)
    }
    self.request = request
    self.entity = entity
    self.keyspace = keyspace
    columns = entity.columns
    generatedKey = entity.generatedKey
    let layout = entity.layout
    var isProvided = layout.fields.map { _ in false }
    let hidden = entity.declared.keySource == .hidden ? entity.declared.key.first : nil
    for column in request.columns ?? Array(entity.declared.columns.indices) {
      guard entity.fileColumns.indices.contains(column) else {
        throw StoreError(
          .unknownAttribute, "the entity has no column \(column)",
          entity: entity.declared.modelName)
      }
      isProvided[entity.fileColumns[column]] = request.columns != nil || column != hidden
    }
    self.isProvided = isProvided
    let generated = generatedKey.map { Int($0.column) }
    isWhole =
      !request.nilKeeps
      && isProvided.enumerated().allSatisfy { column, isProvided in
        isProvided || column == generated
      }
    required = layout.fields.filter {
      !layout.isOptional[Int($0.column)] && Int($0.column) != generated
    }
    requiredBits = required.reduce(0) { $0 | $1.missingBit }
    // The entity of the file has the program's defaults for the columns that the program declares.
    defaults = layout.fields.compactMap { field in
      let column = Int(field.column)
      guard !isProvided[column] || request.nilKeeps,
        let value = layout.entity.columns[column].defaultValue, !value.isNull
      else { return nil }
      return (field, value)
    }
  }
}
