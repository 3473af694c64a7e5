public import ORMCore

extension WriteTransaction {
  /// Deletes the row with the model's key.
  ///
  /// ```swift
  /// try tx.delete(snack)
  /// ```
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try delete(Model.self, id: model.id)
  }

  /// Deletes the row with this key.
  ///
  /// ```swift
  /// try tx.delete(Snack.self, id: 1)
  /// ```
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    let plan = try plan(of: model)
    let request = try plan.find(try id.keyValues())
    if try isDeletedAlone(plan.entity) { try commitWithNextWrite() }
    return try delete(request, entity: plan.entity) > 0
  }

  /// Deletes the rows with these keys, and gives how many there were.
  ///
  /// ```swift
  /// let count = try tx.delete(Snack.self, ids: [1, 3])
  /// ```
  @discardableResult
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, ids: some Sequence<Model.ID>
  ) throws -> Int {
    let plan = try plan(of: model)
    // Not a set of keys: Swift takes texts for equal that stores keep apart.
    var seen = KeyPositions<Model.ID>(of: model)
    var keys: [[StoredValue]] = []
    for id in ids where seen.insert(id, at: keys.count) == keys.count {
      keys.append(try plan.storedKey(id.keyValues()))
    }
    return try delete(keys: keys, entity: plan.entity)
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// let count = try tx.delete([crisps, chips])
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; then nothing was deleted.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ models: [Model]) throws -> Int {
    try delete(Model.self, ids: Model.keys(of: models))
  }

  /// Deletes every row that the query selects, and counts them.
  ///
  /// ```swift
  /// let count = try tx.delete(Snack.where { $0.price < 3 })
  /// let first = try tx.delete(Snack.all.sorted(by: .ascending(\.price)).limit(1))
  /// ```
  @discardableResult
  public func delete<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    let plan = try plan(of: Model.self)
    return try delete(
      query.deletable(in: plan.entity).request(by: plan.lowering), entity: plan.entity)
  }

  /// Deletes the rows that equal the object in some attributes, and gives how many those were.
  ///
  /// ```swift
  /// let count = try tx.delete(snack, matchingOn: \.name, \.taste)
  /// ```
  ///
  /// Nil equals nil.
  @discardableResult
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Int {
    try delete(Query<Model>().where(Filter.equal(model, on: path, repeat each others)))
  }

  /// Deletes every row of the model, and gives how many there were.
  ///
  /// ```swift
  /// let count = try tx.deleteAll(Snack.self)
  /// ```
  @discardableResult
  public func deleteAll<Model: Persistable>(_ model: Model.Type) throws -> Int {
    let plan = try plan(of: model)
    return try clear(plan.entity)
  }
}
