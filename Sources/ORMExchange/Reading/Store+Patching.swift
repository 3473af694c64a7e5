public import FoundationEssentials
public import ORM

extension WriteTransaction {
  /// Sets the attributes that a JSON object in UTF-8 has, in the row with a key, and keeps the rest.
  ///
  /// ```swift
  /// let body = Data(#"{"price": 3, "taste": null}"#.utf8)
  /// let snack = try tx.patch(Snack.self, 1, from: body)
  /// ```
  ///
  /// Absent members leave the row as it is, and null sets nil, unless a field says otherwise. Rules
  /// and hooks run as in any save.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - id: the key of the row, which the object may repeat and not change.
  ///   - data: the object.
  ///   - mapping: the mapping; the model's own unless given.
  /// - Returns: the object as it is stored now.
  /// - Throws: `notFound`; `invalidImport`, whose `importFault` describes the fault; `invalidMapping`;
  ///   the errors of `save`.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from data: Data, mapping: JSONMapping<Model>? = nil
  ) throws -> Model {
    try patch(id) { try (mapping ?? ImportOptions<Model>().mapping).update(&$0, from: data) }
  }

  /// Sets the attributes that a JSON value has, in the row with a key, and keeps the rest.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from json: JSONValue, mapping: JSONMapping<Model>? = nil
  ) throws -> Model {
    try patch(id) { try (mapping ?? ImportOptions<Model>().mapping).update(&$0, from: json) }
  }

  private func patch<Model: PrimaryKeyed>(
    _ id: Model.ID, _ change: (inout Model) throws -> Void
  ) throws -> Model {
    let description = Model.entity.description
    let key = try id.keyValues()
    guard var object = try find(Model.self, id) else {
      throw StoreError(
        .notFound, "no row has the key", entity: description.name, key: key,
        attributes: description.key)
    }
    try change(&object)
    guard try object.id.keyValues() == key else {
      throw StoreError(
        .invalidImport, "the object has another key than the row", entity: description.name,
        key: key, attributes: description.key, rule: ImportFault.value.rawValue)
    }
    return try save(object)
  }
}

extension Store {
  /// Sets the attributes that a JSON object in UTF-8 has, in the row with a key, in a transaction.
  ///
  /// ```swift
  /// let body = Data(#"{"price": 3, "taste": null}"#.utf8)
  /// let snack = try store.patch(Snack.self, 1, from: body)
  /// ```
  ///
  /// - Throws: as the same function of a transaction.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from data: Data, mapping: JSONMapping<Model>? = nil
  ) throws -> Model {
    try operation { try $0.patch(model, id, from: data, mapping: mapping) }
  }

  /// Sets the attributes that a JSON value has, in the row with a key, in a transaction.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from json: JSONValue, mapping: JSONMapping<Model>? = nil
  ) throws -> Model {
    try operation { try $0.patch(model, id, from: json, mapping: mapping) }
  }

  /// Sets the attributes that a JSON object in UTF-8 has, in the row with a key, off the cooperative
  /// pool.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from data: Data, mapping: JSONMapping<Model>? = nil
  ) async throws -> Model {
    try await writeOperation { try $0.patch(model, id, from: data, mapping: mapping) }
  }

  /// Sets the attributes that a JSON value has, in the row with a key, off the cooperative pool.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, from json: JSONValue, mapping: JSONMapping<Model>? = nil
  ) async throws -> Model {
    try await writeOperation { try $0.patch(model, id, from: json, mapping: mapping) }
  }
}
