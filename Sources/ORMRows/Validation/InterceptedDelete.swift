internal import ORMStorage

/// A delete of rows whose model has hooks or checks for it, a list of keys at a time.
///
/// It holds the keys of all rows in memory, and the rows of one list.
struct InterceptedDelete {
  let interceptor: EntityInterceptor
  let typed: any TypedInterceptor
  let writer: any StoreWriter
  let transaction: WriteTransaction
  private var entity: StoredEntity { interceptor.entity }

  /// Deletes the rows that a request selects; gives their number.
  func run(_ request: FetchRequest) throws -> Int {
    var count = 0
    for keys in entity.parts(of: try writer.keys(of: entity, in: request)) {
      let rows = try writer.storedRows(of: entity, keys: keys)
      for row in rows {
        try typed.hooks?.willDelete(row, in: transaction)
        let failures =
          typed.checksDeletes ? try typed.deleteFailures(of: row, in: transaction) : []
        try interceptor.check(row, [], and: failures)
      }
      count += try writer.delete(keys, of: entity)
      if let hooks = typed.hooks {
        for row in rows { try hooks.didDelete(row, in: transaction) }
      }
    }
    return count
  }
}

extension StoredEntity {
  /// The number of whole rows that are held in memory at once; fewer where they may have large
  /// values.
  var partSize: Int { externalColumns.isEmpty ? KeyLists.size : 16 }

  /// Keys in lists whose rows are read together.
  package func parts(of keys: [[StoredValue]]) -> [[[StoredValue]]] {
    stride(from: 0, to: keys.count, by: partSize).map {
      Array(keys[$0..<min($0 + partSize, keys.count)])
    }
  }
}

extension StoreReader {
  /// The keys of the rows that a request selects.
  package func keys(of entity: StoredEntity, in request: FetchRequest) throws -> [[StoredValue]] {
    try rows(of: request.selecting(entity.key, of: entity))
  }

  /// Whole rows in the order of a list of their keys; those that are not there are left out.
  func storedRows(of entity: StoredEntity, keys: [[StoredValue]]) throws -> [[StoredValue]] {
    try rows(of: entity, keys: keys, columns: Array(entity.columns.indices)).compactMap { $0 }
  }
}
