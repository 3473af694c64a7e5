public import ORMCore

extension WriteTransaction {
  /// Inserts the model, or updates the row with its key, and gives it back as stored: with its key
  /// where the store or Strata gives keys, its normalized texts in their form.
  ///
  /// ```swift
  /// let saved = try tx.save(Snack(name: "Chips", price: 2.5))
  /// ```
  ///
  /// A row that is stored already, equal to the last bit, is not written. Objects that the program set as
  /// targets of relationships are saved too, and so on from there, as one operation: a link that was set
  /// replaces the stored one, one that was not loaded or was fetched is left alone.
  ///
  /// In the object that is returned no link counts as set; they are as if they had been fetched:
  /// - A link that was set to objects is loaded, and so are the links that were set in those; a
  ///   to-many that was set is loaded.
  /// - A to-one that was set by its key has the key without the object, one that was not set has the
  ///   key that is stored; a to-many that was not set is not loaded. That holds for links that were
  ///   prefetched too: keep the object that was fetched if you go on with them.
  /// - The other side of a loaded link follows. A to-one back leads here. A to-many back has the keys of
  ///   all its targets, as they are stored now, in `ids`; it is `loaded` where all of them are among the
  ///   objects loaded.
  ///
  /// The written objects are not read again, unless hooks, managed or derived attributes, normalized
  /// texts, a merge policy or subentities may have changed them: that costs one request for each
  /// relationship of a level. A to-many back of an object that was stored before costs one request, which
  /// reads as many keys as it has. Into a very long one, link by key, or by `attach` and `insert`.
  ///
  /// An object of a class model is given its key and not changed otherwise (<doc:ClassModels>).
  ///
  /// - Throws: `invalidValue`, `missingValue`, `tooLarge`, `duplicate` for a broken unique rule,
  ///   `keysExhausted`; of links `missingTarget`, `conflictingLinks`, `requiredCycle`,
  ///   `validationFailed`.
  @inlinable
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault
  ) throws -> Model {
    let plan = try plan(of: Model.self)
    guard replacesPlainly(merge, plan) else { return try saveWhole(model, merge: merge) }
    try putPlainly(model, plan.save, plan)
    return model
  }

  /// Saves a model with everything that may have to be done for it.
  @usableFromInline
  func saveWhole<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model>
  ) throws -> Model {
    let plan = try plan(of: Model.self)
    let merge = merge.resolved(in: store)
    if plan.hasLinks { return try saveGraph(model, demand: .none, merge: merge) }
    guard case .replace = merge.kind else {
      let id = try put([model], request(for: merge, plan: plan), plan: plan).keys[0]
      return try stored(Model.self, id) ?? model
    }
    return try put(
      model, hasChanged(plan.entity) ? plan.save : plan.saveCounted, counted: plan.saveCounted,
      plan: plan)
  }

  // Compiled where the model is known: looking generic types up was two thirds of an insert.
  /// Inserts the model.
  ///
  /// ```swift
  /// let chips = try tx.insert(Snack(name: "Chips"))
  /// ```
  ///
  /// - Throws: as `save`, and `duplicate` when the key exists.
  @inlinable
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try plan(of: Model.self)
    guard plan.putsPlainly else {
      return try insertWhole(model)
    }
    try commitWithNextWrite()
    try putPlainly(model, plan.insert, plan)
    return model
  }

  /// Inserts a model with everything that may have to be done for it.
  @usableFromInline
  func insertWhole<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try plan(of: Model.self)
    if plan.hasLinks { return try saveGraph(model, demand: .new) }
    return try put(model, plan.insert, counted: plan.insertCounted, plan: plan)
  }

  /// Puts a model as it is given.
  ///
  /// No savepoint is needed: a put of one row that throws has changed nothing.
  @inlinable @inline(__always)
  func putPlainly<Model: PrimaryKeyed>(
    _ model: Model, _ request: PutRequest, _ plan: ModelPlan<Model>
  ) throws {
    try checkRunning()
    do {
      try withUnsafePointer(to: model) { pointer in
        var source = OneModel(pointer)
        var visitor = IgnoringVisitor()
        try writer.put(request, from: &source, to: &visitor)
      }
    } catch {
      throw refusal(error, plan)
    }
    didPut(plan)
  }

  /// Returns whether models that replace stored rows are put as they are given, without finding out
  /// whether they change anything.
  @usableFromInline
  func replacesPlainly<Model: PrimaryKeyed>(
    _ merge: MergePolicy<Model>, _ plan: ModelPlan<Model>
  ) -> Bool {
    guard hasPut(plan) else { return false }
    switch merge.kind {
    case .replace: break
    case .storeDefault:
      guard plan.replacesByDefault else { return false }
    default: return false
    }
    return plan.putsPlainly
  }

  /// The error of a put of one model.
  @usableFromInline
  func refusal<Model: Persistable>(
    _ error: any Error, _ plan: ModelPlan<Model>
  ) -> any Error {
    namingHidden(error, entity: plan.entity)
  }

  /// Updates the row with the model's key.
  ///
  /// ```swift
  /// let updated = try tx.update(snack)
  /// ```
  ///
  /// - Throws: as `save`, and `notFound` when there is no such row.
  @inlinable
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try plan(of: Model.self)
    guard replacesPlainly(.replace, plan) else { return try updateWhole(model) }
    try putPlainly(model, plan.update, plan)
    return model
  }

  /// Updates a row with everything that may have to be done for it.
  @usableFromInline
  func updateWhole<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    let plan = try plan(of: Model.self)
    if plan.hasLinks { return try saveGraph(model, demand: .stored) }
    return try put(
      model, hasChanged(plan.entity) ? plan.update : plan.updateCounted,
      counted: plan.updateCounted, plan: plan)
  }

  /// Inserts a model without a key of its own.
  ///
  /// ```swift
  /// try tx.insert(LogLine(text: "Started", time: .now))
  /// ```
  public func insert<Model: Persistable>(_ model: Model) throws {
    try insert([model])
  }

  /// Puts one model, which needs no savepoint: a put of one row that throws has changed nothing.
  ///
  /// Outcomes are asked for only if they have information: a key, or that nothing was changed.
  private func put<Model: PrimaryKeyed>(
    _ model: Model, _ request: PutRequest, counted: PutRequest, plan: ModelPlan<Model>
  ) throws -> Model {
    do {
      return try putOne(model, request, counted: counted, plan: plan)
    } catch {
      throw namingHidden(error, entity: plan.entity)
    }
  }

  private func putOne<Model: PrimaryKeyed>(
    _ given: Model, _ request: PutRequest, counted: PutRequest, plan: ModelPlan<Model>
  ) throws -> Model {
    let writer = try writing()
    var model = given
    if plan.givesUUIDs { try assignUUID(to: &model, plan: plan) }
    var source = try ModelSource([model], plan: plan)
    if plan.endsWithPut { try commitWithNextWrite() }
    if plan.keySource == .generated || request.reports.contains(.outcomes) {
      var visitor = OutcomeCounter(collectsKeys: plan.keySource == .generated)
      try writer.put(counted, from: &source, to: &visitor)
      if !visitor.changesNothing { didPut(plan) }
      if let key = visitor.keys.first, !plan.isClass {
        model.id = try Model.ID(keyValues: [.int(key)])
      } else if let key = visitor.keys.first {
        try give([Model.ID(keyValues: [.int(key)])], to: [given], plan: plan)
      }
    } else {
      var visitor = IgnoringVisitor()
      try writer.put(request, from: &source, to: &visitor)
      didPut(plan)
    }
    if plan.givesUUIDs, plan.isClass {
      try give([model.id], to: [given], plan: plan)
      model = given
    }
    if plan.isChangedByWrites { return try stored(Model.self, model.id) ?? model }
    return plan.isNormalizing ? try model.asStored() : model
  }

  /// Gives a model whose UUID is unassigned a new one; of a class model, to an object of its own.
  ///
  /// - Returns: true if the model was given one.
  @discardableResult
  func assignUUID<Model: PrimaryKeyed>(
    to model: inout Model, plan: ModelPlan<Model>
  ) throws -> Bool {
    guard try plan.hasNoKey(model),
      let uuid = UUIDGenerator.key(for: plan.keySource, by: store.runtime.options.uuids)
    else { return false }
    if plan.isClass { model = try model.duplicate() }
    model.id = try Model.ID(keyValues: [.uuid(uuid)])
    return true
  }
}

extension Persistable {
  /// The model as it reads back, its normalized texts in their form; the model itself where they
  /// are in it already.
  package func asStored() throws -> Self {
    let stored = try Mapper.attributeValues(of: self)
    let given = try BufferedRow(encoding: self).values
    return stored == given ? self : try Mapper.model(from: stored)
  }
}
