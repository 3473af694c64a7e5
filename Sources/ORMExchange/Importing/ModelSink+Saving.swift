internal import ORM

extension ModelSink {
  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    let counts = try saved(transaction)
    drop()
    return counts
  }

  private func saved(_ transaction: WriteTransaction) throws -> SaveCounts {
    guard matchesKey else { return try saveMatching(transaction) }
    guard let model = Model.self as? any PrimaryKeyed.Type else {
      return try transaction.insert(models)
    }
    return try save(as: model, transaction)
  }

  private func save<Keyed: PrimaryKeyed>(
    as model: Keyed.Type, _ transaction: WriteTransaction
  ) throws -> SaveCounts {
    guard var keyed = models as? [Keyed] else { return SaveCounts() }
    var ignored = 0
    if options.onMissing != .insert {
      let found = try transaction.find(model, each: keyed.map(\.id))
      let stored = zip(keyed, found).filter { $0.1 != nil }.map(\.0)
      ignored = keyed.count - stored.count
      if ignored > 0, options.onMissing == .throw {
        throw StoreError(.notFound, "a record has no row", entity: entity)
      }
      keyed = stored
    }
    let result = try transaction.save(keyed, merge: Self.policy(options.merge, as: model))
    if prunes { for key in result.keys { seen.insert(try key.keyValues()) } }
    var counts = result.counts
    counts.ignored = ignored
    return counts
  }

  private static func policy<Keyed>(
    _ merge: ImportMerge, as model: Keyed.Type
  ) -> MergePolicy<Keyed> {
    switch merge {
    case .present, .replace: .replace
    case .skippingNil: .skippingNil
    case .insertOnly: .insertOnly
    }
  }

  /// Saves by match, the records of each shape together: those that have the same attributes.
  private func saveMatching(_ transaction: WriteTransaction) throws -> SaveCounts {
    let match = BatchMatch(contain: options.match.paths)
    guard options.merge == .present else {
      return try transaction.save(
        models, matching: match, onMissing: options.onMissing,
        merge: Self.policy(options.merge, as: Model.self))
    }
    var shapes: [[String]: [Model]] = [:]
    for (model, names) in zip(models, given) { shapes[names, default: []].append(model) }
    // A block inside of a block is a savepoint: all shapes are saved, or none.
    return try transaction.store.write { transaction in
      var counts = SaveCounts()
      for (names, models) in shapes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        // New rows have all that the models have, their defaults included.
        let part = try transaction.save(
          models, matching: match, onMissing: .ignore, merge: .only(names: names))
        counts.updated += part.updated
        counts.unchanged += part.unchanged
        if part.ignored == 0 { continue }
        let new = try transaction.save(
          models, matching: match, onMissing: options.onMissing, merge: .insertOnly)
        counts.inserted += new.inserted
        counts.ignored += new.ignored
      }
      return counts
    }
  }

  // MARK: - Links

  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String> {
    var names: Set<String> = []
    for end in Model.entity.relationships where !end.declaration.isRequired {
      if try leaveOutMissing(end, transaction) { names.insert(end.declaration.name) }
    }
    return names
  }

  private func leaveOutMissing<End: RelationshipEnd<Model>>(
    _ end: End, _ transaction: WriteTransaction
  ) throws -> Bool {
    func keys(_ model: Model) -> [End.Target.ID] {
      (end.change(of: model) ?? []).compactMap { if case .key(let id) = $0 { id } else { nil } }
    }
    var positions = KeyPositions<End.Target.ID>(of: End.Target.self)
    var ids: [End.Target.ID] = []
    for model in models {
      for id in keys(model) where positions.insert(id, at: ids.count) == ids.count {
        ids.append(id)
      }
    }
    if ids.isEmpty { return false }
    let found = try transaction.find(End.Target.self, each: ids)
    var missing = IdentitySet()
    for (id, target) in zip(ids, found) where target == nil { missing.insert(try id.keyValues()) }
    if End.Target.self == Model.self {
      for model in models { if let key = Self.key(of: model) { missing.remove(key) } }
    }
    var isLeftOut = false
    for index in models.indices where Self.key(of: models[index]) != nil || !matchesKey {
      let leadsAway = try keys(models[index]).contains { missing.contains(try $0.keyValues()) }
      guard leadsAway else { continue }
      end.forget(in: &models[index])
      if !matchesKey { given[index].removeAll { $0 == end.declaration.name } }
      isLeftOut = true
    }
    return isLeftOut
  }

  func settle(
    _ record: RawRecord, links: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool {
    drop()
    guard try read(record, transaction) == .kept, let model = models.first else { return false }
    defer { drop() }
    let names = reader.modelLinks.filter { $0.isGiven && links.contains($0.name) }.map(\.name)
    if names.isEmpty { return false }
    if !matchesKey {
      let counts = try transaction.save(
        [model], matching: BatchMatch(contain: options.match.paths), onMissing: .ignore,
        merge: .only(names: names))
      return counts.updated > 0
    }
    guard let keyed = model as? any PrimaryKeyed else { return false }
    return try settle(keyed, names, transaction)
  }

  private func settle<Keyed: PrimaryKeyed>(
    _ model: Keyed, _ names: [String], _ transaction: WriteTransaction
  ) throws -> Bool {
    guard try transaction.find(Keyed.self, model.id) != nil else { return false }
    return try transaction.save([model], merge: .only(names: names)).counts.updated > 0
  }

  // MARK: - Pruning

  func note(_ record: RawRecord) throws {
    let key: [StoredValue]?
    if matchesKey {
      var scanner = JSONScanner(record.bytes)
      scanner.skipSpace()
      key = reader.keyValues(scanner, name: record.name)
    } else {
      reader.reading.stored = nil
      key = try model(of: record).flatMap { try identity(of: $0) }
    }
    guard let key else {
      throw StoreError(
        .pruneRefused,
        "the import goes on in the middle of a source whose records have no keys; import all of it "
          + "in one transaction to prune", entity: entity)
    }
    seen.insert(key)
  }

  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int {
    guard case .missing(let query) = options.prune, let model = Model.self as? any PrimaryKeyed.Type
    else { return 0 }
    return try prune(query, as: model, limit, transaction)
  }

  private func prune<Keyed: PrimaryKeyed>(
    _ query: Query<Model>, as model: Keyed.Type, _ limit: Double, _ transaction: WriteTransaction
  ) throws -> Int {
    var ids: [Keyed.ID] = []
    var count = 0
    try transaction.chunks(query, size: 1_000) { models in
      count += models.count
      for model in models {
        guard let key = try identity(of: model), !seen.contains(key),
          let keyed = model as? Keyed
        else { continue }
        ids.append(keyed.id)
      }
    }
    if Double(ids.count) > Double(count) * limit {
      throw StoreError.pruneRefused(ids.count, of: count, limit: limit, entity: entity)
    }
    return try transaction.delete(model, ids: ids)
  }
}
