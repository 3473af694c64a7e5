// Where a mapping failed: entity, key and attribute, found once something went wrong, so that the
// mapping itself carries none of it along.

package import ORMStorage

extension StoreError {
  /// The error of a model that could not be written: with entity, key and attribute.
  ///
  /// An error of another type is `invalidValue`. The attribute is the one after the last that the
  /// model could set, unless the error names it.
  package static func mapping<Model: Persistable>(
    _ error: any Error, of model: Model
  ) -> StoreError {
    let entity = Model.entity.description
    var probe = RowBuilder(columnCount: entity.attributes.count)
    _ = try? model.encode(into: &probe)
    let error = error as? StoreError ?? StoreError(.invalidValue, "\(error)")
    let failed = probe.lastSet + 1
    return error.filling(
      entity: entity.name, key: key(of: model, values: probe.values),
      attributes: error.code == .invalidValue && entity.attributes.indices.contains(failed)
        ? [entity.attributes[failed].name] : [])
  }

  /// The error of a row that could not become a model: with entity, key and attribute.
  ///
  /// An error of another type is `decoding`. The attribute is the last that the model read, unless
  /// the error names it.
  package static func mapping<Model: Persistable, R: RowReader & ~Copyable>(
    _ error: any Error, of model: Model.Type, row: borrowing R, entity: String, key: [Int],
    attributes: [String]
  ) -> StoreError {
    let error = error as? StoreError ?? StoreError(.decoding, "\(error)")
    let probe = ProbedRow(row)
    if error.attributes.isEmpty { _ = try? Model(row: probe) }
    let keys = key.compactMap { position -> StoredValue? in
      position < probe.columnCount ? try? probe.values[position].get() : nil
    }
    let name = probe.lastRead.flatMap { attributes.indices.contains($0) ? attributes[$0] : nil }
    return error.filling(
      entity: entity, key: keys,
      attributes: error.code == .decoding ? name.map { [$0] } ?? [] : [])
  }

  /// The key of a model, as far as it is known.
  static func key<Model: Persistable>(of model: Model, values: [StoredValue]) -> [StoredValue] {
    if let keyed = model as? any PrimaryKeyed { return keyed.knownKey }
    let entity = Model.entity.description
    return entity.key.compactMap { entity.position(of: $0) }.map { values[$0] }
  }
}

extension PrimaryKeyed {
  fileprivate var knownKey: [StoredValue] { (try? id.keyValues()) ?? [] }
}
