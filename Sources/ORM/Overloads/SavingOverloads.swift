// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Inserts, updates and saves on the calling thread, each in a transaction of its own.
extension Store {
  /// Inserts the model or updates the row with its key; the result is the model as stored.
  ///
  /// ```swift
  /// let saved = try store.save(Snack(name: "Chips", price: 2.5))
  /// ```
  ///
  /// - Throws: `invalidValue`, `missingValue`, `tooLarge`, `keysExhausted`; `duplicate` for a
  ///   broken unique rule; of links `missingTarget`, `conflictingLinks`, `requiredCycle`,
  ///   `validationFailed`; the errors of `write`.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault
  ) throws -> Model {
    try singleOperation { try $0.save(model, merge: merge) }
  }

  /// Saves the model, and reports if its row was inserted, updated or left unchanged.
  ///
  /// ```swift
  /// let saved = try store.save(snack, as: ReportedSave.self)
  /// ```
  ///
  /// - Throws: the errors of `save`; the errors of `write`.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault, as report: ReportedSave<Model>.Type
  ) throws -> ReportedSave<Model> {
    try singleOperation { try $0.save(model, merge: merge, as: report) }
  }

  /// Inserts the model; the result is the model as stored.
  ///
  /// ```swift
  /// let chips = try store.insert(Snack(name: "Chips"))
  /// ```
  ///
  /// - Throws: the errors of `save`; `duplicate` if the key exists; the errors of `write`.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    try singleOperation { try $0.insert(model) }
  }

  /// Updates the row with the model's key; the result is the model as stored.
  ///
  /// ```swift
  /// let updated = try store.update(snack)
  /// ```
  ///
  /// - Throws: the errors of `save`; `notFound` if there is no such row; the errors of `write`.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    try singleOperation { try $0.update(model) }
  }

  /// Inserts a model without a key of its own.
  ///
  /// ```swift
  /// try store.insert(LogLine(text: "Started", time: .now))
  /// ```
  ///
  /// - Throws: the errors of `save`; the errors of `write`.
  public func insert<Model: Persistable>(_ model: Model) throws {
    try singleOperation { try $0.insert(model) }
  }

  /// Saves a batch of any size as one operation.
  ///
  /// ```swift
  /// let result = try store.save(snacks)
  /// ```
  ///
  /// - Throws: the errors of `save`; `invalidBatch` for two objects with one key if `duplicates`
  ///   asks for it; the errors of `write`.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .storeDefault,
    duplicates: DuplicatePolicy = .last
  ) throws -> SaveResult<Model> {
    try singleOperation { try $0.save(models, merge: merge, duplicates: duplicates) }
  }

  /// Inserts a batch as one operation.
  ///
  /// ```swift
  /// let result = try store.insert(snacks)
  /// ```
  ///
  /// - Throws: the errors of `insert`; the errors of `write`.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    try singleOperation { try $0.insert(models) }
  }

  /// Updates a batch as one operation.
  ///
  /// ```swift
  /// let result = try store.update(snacks)
  /// ```
  ///
  /// - Throws: the errors of `update`; the errors of `write`.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    try singleOperation { try $0.update(models) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// ```swift
  /// let counts = try store.insert(lines)
  /// ```
  ///
  /// - Throws: the errors of `save`; the errors of `write`.
  @discardableResult
  public func insert<Model: Persistable>(_ models: [Model]) throws -> SaveCounts {
    try singleOperation { try $0.insert(models) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// ```swift
  /// let counts = try store.save(snack, matching: \.name == "Chips")
  /// ```
  ///
  /// - Throws: the errors of `save`; `notFound` and `ambiguous` as `onMissing` and `matches` ask;
  ///   `duplicate` if another row has the key of an inserted object; the errors of `write`.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    try singleOperation {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// ```swift
  /// let counts = try store.save(snack, matchingOn: \.name, \.taste)
  /// ```
  ///
  /// - Throws: the errors of `save(_:matching:)`; the errors of `write`.
  @discardableResult
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    let filter = try Filter.equal(model, on: path, repeat each others)
    return try singleOperation {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// ```swift
  /// let counts = try store.save(snacks, matching: BatchMatch(contain: [\.name]))
  /// ```
  ///
  /// - Throws: the errors of `save`; `invalidBatch` if the list of equal attributes has several
  ///   values or the list of contained ones is empty; the errors of `write`.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault
  ) throws -> SaveCounts {
    try singleOperation {
      try $0.save(models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// let count = try store.update(Snack.where { $0.price > 9 }) { $0[\.price] -= 1 }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try singleOperation { try $0.update(query, changes) }
  }

  /// Changes the attributes that the closure names of the row with this key, and counts the rows.
  ///
  /// ```swift
  /// try store.patch(Snack.self, 1) { $0.taste = "hot" }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  ///   asks; the errors of `write`.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try singleOperation { try $0.patch(model, id, onMissing: onMissing, changes) }
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// let count = try store.patch(Snack.where { $0.taste == nil }) { $0.taste = "mild" }
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  ///   asks; the errors of `write`.
  @discardableResult
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try singleOperation { try $0.patch(query, onMissing: onMissing, changes) }
  }

  /// Computes every derived attribute anew, and counts the objects that were wrong.
  ///
  /// ```swift
  /// let wrong = try store.rebuildDerived()
  /// ```
  ///
  /// See ``WriteTransaction/rebuildDerived(_:)``.
  ///
  /// - Throws: the errors of `write`.
  @discardableResult
  public func rebuildDerived(_ models: [any Persistable.Type] = []) throws -> Int {
    try singleOperation { try $0.rebuildDerived(models) }
  }
}

/// Inserts, updates and saves on the calling thread, through the default store.
extension Persistable {
  /// Inserts a model without a key of its own.
  ///
  /// ```swift
  /// try LogLine(text: "Started", time: .now).insert()
  /// ```
  ///
  /// - Throws: the errors of `save`; the errors of `write`; `notConfigured` without a default
  ///   store.
  public func insert() throws {
    try Persistence.store.insert(self)
  }
}

/// Inserts, updates and saves on the calling thread, through the default store.
extension PrimaryKeyed {
  /// Inserts the model or updates the row with its key; the result is the model as stored.
  ///
  /// ```swift
  /// let saved = try Snack(name: "Chips", price: 2.5).save()
  /// ```
  ///
  /// - Throws: `invalidValue`, `missingValue`, `tooLarge`, `keysExhausted`; `duplicate` for a
  ///   broken unique rule; of links `missingTarget`, `conflictingLinks`, `requiredCycle`,
  ///   `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public func save(merge: MergePolicy<Self> = .storeDefault) throws -> Self {
    try Persistence.store.save(self, merge: merge)
  }

  /// Inserts the model; the result is the model as stored.
  ///
  /// ```swift
  /// let chips = try Snack(name: "Chips").insert()
  /// ```
  ///
  /// - Throws: the errors of `save`; `duplicate` if the key exists; the errors of `write`;
  ///   `notConfigured` without a default store.
  @discardableResult
  public func insert() throws -> Self {
    try Persistence.store.insert(self)
  }

  /// Updates the row with the model's key; the result is the model as stored.
  ///
  /// ```swift
  /// let updated = try snack.update()
  /// ```
  ///
  /// - Throws: the errors of `save`; `notFound` if there is no such row; the errors of `write`;
  ///   `notConfigured` without a default store.
  @discardableResult
  public func update() throws -> Self {
    try Persistence.store.update(self)
  }

  /// Changes the attributes that the closure names of the row with this key, and counts the rows.
  ///
  /// ```swift
  /// try Snack.patch(1) { $0.taste = "hot" }
  /// ```
  ///
  /// - Throws: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  ///   asks; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public static func patch(
    _ id: Self.ID, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void
  ) throws -> Int {
    try Persistence.store.patch(Self.self, id, onMissing: onMissing, changes)
  }
}
