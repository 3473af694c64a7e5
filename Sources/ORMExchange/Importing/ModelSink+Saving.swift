internal import ORM

extension ModelSink {
  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    settled = try options.merge == .insertOnly ? newPositions(transaction) : nil
    if let settled { pendingLinkKeys = pendingLinkKeys.filter { settled.contains($0.key) } }
    // A block inside of a block is a savepoint: rows and pending keys are saved, or nothing.
    (deleted, savedKeys) = ([:], [])
    let unlisted = reader.reading.unlisted
    let nested = reader.reading.nestedKinds
    let isPlain =
      pendingLinkKeys.isEmpty && unlisted?.isEmpty != false && nested?.isEmpty != false
      && inherited.isEmpty
    return try isPlain
      ? saved(transaction)
      : transaction.store.write { transaction in
        deleted = try deleteUnlisted(transaction)
        try nested?.save(transaction)
        return try inherited.isEmpty ? saved(transaction) : savedWithInherited(transaction)
      }
  }

  func didSave() throws {
    if prunes {
      try waiting.forEach { try seen.insert($0) }
      if givesKeys { for key in savedKeys { try seen.insert(key) } }
    }
    drop()
  }

  /// Deletes the members that lists of the only record lack, and returns their numbers by entity.
  private func deleteUnlisted(_ transaction: WriteTransaction) throws -> [String: Int] {
    guard let unlisted = reader.reading.unlisted, !unlisted.isEmpty, let model = models.first
    else { return [:] }
    // A record that is left out deletes nothing.
    if options.onMissing != .insert, try !hasRow(model, transaction) { return [:] }
    let names = setLinks(of: model) + inherited.flatMap { $0.setLinks(at: 0) }
    return try unlisted.delete { names.contains($0) }
  }

  func hasRow(_ model: Model, _ transaction: WriteTransaction) throws -> Bool {
    func isStored<Keyed: PrimaryKeyed>(_ model: Keyed) throws -> Bool {
      try transaction.find(Keyed.self, model.id) != nil
    }
    if !matchesKey { return try storedKey(of: model, transaction) != nil }
    return try (model as? any PrimaryKeyed).map { try isStored($0) } ?? false
  }

  /// The positions of records whose links were left out and which have no row yet.
  private func newPositions(_ transaction: WriteTransaction) throws -> [Int] {
    try opened.union(pendingLinkKeys.keys).sorted().filter { try isNew($0, transaction) }
  }

  /// Returns whether a record that waits has no row yet.
  func isNew(_ position: Int, _ transaction: WriteTransaction) throws -> Bool {
    if matchesKey, key(of: models[position]) == nil { return true }
    return try !hasRow(models[position], transaction)
  }

  func saved(_ transaction: WriteTransaction) throws -> SaveCounts {
    guard matchesKey else {
      let counts = try saveMatching(transaction)
      if !pendingLinkKeys.isEmpty { try keepKeys(transaction) }
      return counts
    }
    guard let model = keyedModel else {
      return try transaction.insert(models)
    }
    return try save(as: model, transaction)
  }

  private func save<Keyed: PrimaryKeyed>(
    as model: Keyed.Type, _ transaction: WriteTransaction
  ) throws -> SaveCounts {
    // Arrays are cast element by element, but an array in an `Any` as a whole.
    let all: Any = models
    guard var keyed = all as? [Keyed] else { return SaveCounts() }
    var ignored = 0
    if options.onMissing != .insert {
      let found = try transaction.find(model, each: keyed.map(\.id))
      let stored = zip(keyed, found).filter { $0.1 != nil }.map(\.0)
      ignored = keyed.count - stored.count
      if ignored > 0, options.onMissing == .throw {
        let missing = zip(keyed, found).first { $0.1 == nil }?.0
        throw StoreError(
          .notFound, "no row has the key of a record", entity: entity,
          key: (try? missing?.id.keyValues()) ?? [], attributes: Keyed.entity.description.key)
      }
      keyed = stored
    }
    let result = try transaction.save(keyed, merge: Self.policy(options.merge, as: model))
    // Keys that the store gave are known here alone.
    if givesKeys, prunes || !inherited.isEmpty {
      savedKeys = try result.keys.map { try $0.keyValues() }
    }
    if !pendingLinkKeys.isEmpty {
      try keepKeys(transaction) { position in
        // Keys that the store gave are known here alone.
        try ignored == 0 ? result.keys[position].keyValues() : nil
      }
    }
    var counts = result.counts
    counts.ignored = ignored
    return counts
  }

  static func policy<Keyed>(
    _ merge: ImportMerge, as model: Keyed.Type
  ) -> MergePolicy<Keyed> {
    switch merge {
    case .present, .replace: .replace
    case .skippingNil: .skippingNil
    case .insertOnly: .insertOnly
    }
  }

  /// Writes the keys of missing targets into the rows of records that wait.
  func keepKeys(
    _ transaction: WriteTransaction, _ given: (Int) throws -> [StoredValue]? = { _ in nil }
  ) throws {
    for (position, values) in pendingLinkKeys.sorted(by: { $0.key < $1.key }) {
      guard let key = try given(position) ?? storedKey(of: models[position], transaction) else {
        continue
      }
      var row = DynamicRow(entity, values)
      for (name, value) in zip(Model.entity.description.key, key) { row[name] = value }
      _ = try transaction.updateKeepingKeys([row])
    }
  }

  /// The key of the row of a model; nil if there is none.
  func storedKey(
    of model: Model, _ transaction: WriteTransaction
  ) throws -> [StoredValue]? {
    if matchesKey { return key(of: model) }
    let attributes = Model.entity.description.attributes
    let values = try identity(of: model) ?? []
    let condition = Condition.equal(identity.map { attributes[$0].name }, values)
    let row = try transaction.fetch(DynamicQuery(entity, where: condition, limit: 1)).first
    return row.map { row in Model.entity.description.key.map { row[$0] } }
  }

  /// Saves by match, the records of each shape together: those that have the same attributes.
  private func saveMatching(_ transaction: WriteTransaction) throws -> SaveCounts {
    do {
      return try saveShapes(transaction)
    } catch let error as StoreError where error.code == .notFound {
      let attributes = Model.entity.description.attributes
      throw error.filling(attributes: identity.map { attributes[$0].name })
    }
  }

  private func saveShapes(_ transaction: WriteTransaction) throws -> SaveCounts {
    let match = BatchMatch<Model>(attributes: options.match.paths)
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
    for links in inherited {
      names.formUnion(try links.leaveOutMissingLinks(transaction))
      opened.formUnion(links.opened)
    }
    return names
  }

  private func leaveOutMissing<End: RelationshipEnd<Model>>(
    _ end: End, _ transaction: WriteTransaction
  ) throws -> Bool {
    func keys(_ model: Model) -> [End.Target.ID] {
      (end.change(of: model) ?? []).compactMap { if case .key(let id) = $0 { id } else { nil } }
    }
    let missing = try missingTargets(of: end, keys, transaction)
    if missing.isEmpty { return false }
    var isLeftOut = false
    for index in models.indices where key(of: models[index]) != nil || !matchesKey {
      let leadsAway = try keys(models[index]).contains { missing.contains(try $0.keyValues()) }
      guard leadsAway else { continue }
      end.forget(in: &models[index])
      if !matchesKey { given[index].removeAll { $0 == end.declaration.name } }
      opened.insert(index)
      isLeftOut = true
    }
    return isLeftOut
  }

  /// The keys that links of the records that wait lead to, and that no row has.
  private func missingTargets<End: RelationshipEnd<Model>>(
    of end: End, _ keys: (Model) -> [End.Target.ID], _ transaction: WriteTransaction
  ) throws -> IdentitySet {
    var positions = KeyPositions<End.Target.ID>(of: End.Target.self)
    var ids: [End.Target.ID] = []
    for model in models {
      for id in keys(model) where positions.insert(id, at: ids.count) == ids.count {
        ids.append(id)
      }
    }
    var missing = IdentitySet()
    if ids.isEmpty { return missing }
    let found = try transaction.find(End.Target.self, each: ids)
    // A record that waits is a target too.
    var own = KeyTable()
    if End.Target.self == Model.self {
      for (index, model) in models.enumerated() {
        if let key = key(of: model) { own.set(index, for: key) }
      }
    }
    for (id, target) in zip(ids, found) where target == nil {
      let key = try id.keyValues()
      if own.position(of: key) == nil { missing.insert(key) }
    }
    return missing
  }

  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool {
    guard let treatment, treatment != .fail else { return false }
    var isTreated = false
    for end in Model.entity.relationships where try treat(end, treatment, transaction) {
      isTreated = true
    }
    for links in inherited where try links.treatMissingLinks(transaction) { isTreated = true }
    return isTreated
  }

  private func treat<End: RelationshipEnd<Model>>(
    _ end: End, _ treatment: ImportMissingTargets, _ transaction: WriteTransaction
  ) throws -> Bool {
    func elements(_ model: Model) -> [LinkElement<End.Target>] {
      if let elements = end.change(of: model) { return elements }
      return (end.steps(of: model) ?? []).compactMap {
        switch $0 {
        case .append(let element, at: _), .insert(let element, at: _): element
        case .remove: nil
        }
      }
    }
    func key(_ element: LinkElement<End.Target>) -> End.Target.ID? {
      if case .key(let id) = element { id } else { nil }
    }
    let missing = try missingTargets(
      of: end, { elements($0).compactMap(key) }, transaction)
    if missing.isEmpty { return false }
    let target = End.Target.entity.description
    if treatment == .create {
      try missing.forEach { values in
        try transaction.createTarget(
          target.name, Dictionary(zip(target.key, values), uniquingKeysWith: { first, _ in first }))
      }
      return true
    }
    let names =
      try treatment == .keepKey
      ? transaction.checkMayDangle(end.declaration.name, of: entity) : []
    if treatment == .keepKey, keyedModel == nil {
      throw StoreError.keepsNoKey(end.declaration.name, of: entity)
    }
    if end.declaration.isRequired { return false }
    for index in models.indices {
      let all = elements(models[index])
      let lost = try all.filter {
        try key($0).map { missing.contains(try $0.keyValues()) } ?? false
      }
      guard let first = lost.first else { continue }
      if treatment == .keepKey {
        for (name, value) in zip(names, try first.id.keyValues()) {
          pendingLinkKeys[index, default: [:]][name] = value
        }
        end.forget(in: &models[index])
        if !matchesKey { given[index].removeAll { $0 == end.declaration.name } }
      } else {
        let isInserted = (end.steps(of: models[index]) ?? []).contains {
          if case .insert = $0 { true } else { false }
        }
        let addition: LinkAddition? =
          end.change(of: models[index]) != nil ? nil : isInserted ? .atStart : .atEnd
        let rest = try all.filter {
          try key($0).map { !missing.contains(try $0.keyValues()) } ?? true
        }
        end.forget(in: &models[index])
        end.set(rest, adding: addition, in: &models[index])
      }
    }
    return true
  }

  func settle(
    _ record: RawRecord, links: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool {
    drop()
    (deleted, unsettled) = ([:], nil)
    guard try read(record, transaction) == .accepted else { return false }
    defer { drop() }
    var isChanged = try settleRead(links, transaction)
    for others in inherited {
      if try others.settleRead(links, transaction) { isChanged = true }
      if unsettled == nil { unsettled = others.unsettled }
    }
    return isChanged
  }

  /// Saves links of the record that was read last.
  func settleRead(_ links: Set<String>, _ transaction: WriteTransaction) throws -> Bool {
    unsettled = nil
    guard let model = models.first else { return false }
    let names = reader.modelLinks.filter {
      $0.isGiven && links.contains($0.name) && !isSkipped($0.name, of: model)
    }.map(\.name)
    if names.isEmpty { return false }
    do {
      return try settle(model, names, transaction)
    } catch let error as StoreError where error.code == .missingTarget {
      guard try treatMissingLinks(transaction) else {
        return try settleEach(names, error) { try settle(model, $0, transaction) }
      }
    }
    // A link that keeps its key is not among those of the record any more.
    let rest = Model.entity.relationships.filter {
      names.contains($0.declaration.name) && Self.isSet($0, models[0])
    }
    let others = rest.map(\.declaration.name)
    var isChanged = false
    do {
      isChanged = try !others.isEmpty && settle(models[0], others, transaction)
    } catch let error as StoreError where error.code == .missingTarget {
      isChanged = try settleEach(others, error) { try settle(models[0], $0, transaction) }
    }
    let updatesKeys = !pendingLinkKeys.isEmpty
    try keepKeys(transaction)
    return isChanged || updatesKeys
  }

  /// Returns whether a link is nil and the merge passes over nil.
  func isSkipped(_ name: String, of model: Model) -> Bool {
    guard options.merge == .skippingNil else { return false }
    func isNil<End: RelationshipEnd<Model>>(_ end: End) -> Bool {
      end.declaration.name == name && !end.declaration.isToMany
        && end.change(of: model)?.isEmpty == true
    }
    return Model.entity.relationships.contains { isNil($0) }
  }

  /// Saves links of a model.
  private func settle(
    _ model: Model, _ names: [String], _ transaction: WriteTransaction
  ) throws -> Bool {
    guard let unlisted = reader.reading.unlisted, !unlisted.isEmpty else {
      return try settle(links: names, of: model, transaction)
    }
    guard try hasRow(model, transaction) else { return false }
    return try transaction.store.write { transaction in
      let counts = try unlisted.delete { names.contains($0) }
      let isChanged = try settle(links: names, of: model, transaction)
      deleted.merge(counts, uniquingKeysWith: +)
      return isChanged
    }
  }

  private func settle(
    links names: [String], of model: Model, _ transaction: WriteTransaction
  ) throws -> Bool {
    if !matchesKey {
      let counts = try transaction.save(
        [model], matching: BatchMatch(attributes: options.match.paths), onMissing: .ignore,
        merge: .only(names: names))
      return counts.updated > 0
    }
    guard let keyed = model as? any PrimaryKeyed else { return false }
    return try settle(keyed: keyed, names, transaction)
  }

  private func settle<Keyed: PrimaryKeyed>(
    keyed model: Keyed, _ names: [String], _ transaction: WriteTransaction
  ) throws -> Bool {
    guard try transaction.find(Keyed.self, model.id) != nil else { return false }
    return try transaction.save([model], merge: .only(names: names)).counts.updated > 0
  }

  // MARK: - Pruning

  func identity(of record: RawRecord, _ transaction: WriteTransaction) throws -> [StoredValue]? {
    try record.withJSON { try identity(ofJSON: $0, transaction) }
  }

  private func identity(
    ofJSON record: RawRecord, _ transaction: WriteTransaction
  ) throws -> [StoredValue]? {
    let isPlain = !plan.hasReadingHooks && plan.kind == nil && setGiven == nil && inherited.isEmpty
    if matchesKey, !reader.keyColumns.isEmpty, isPlain {
      var scanner = JSONScanner(record.bytes)
      scanner.skipSpace()
      return reader.keyValues(scanner, name: record.name) ?? []
    }
    let stored = reader.reading.stored
    // Closures see the same values as when the record was saved; the values read here are discarded.
    reader.reading.stored = merges ? StoredRows(transaction) : nil
    reader.reading.passesOverTargets = true
    defer {
      reader.reading.stored = stored
      reader.reading.passesOverTargets = false
    }
    guard var model = try mergedModel(of: record) else { return nil }
    try setGiven?(&model)
    return try identity(of: model) ?? []
  }

  func note(_ identity: [StoredValue]) throws { try seen.insert(identity) }

  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int {
    guard case .missing(let query) = options.prune, let model = keyedModel
    else { return 0 }
    return try prune(query, as: model, limit, transaction)
  }

  private func prune<Keyed: PrimaryKeyed>(
    _ query: Query<Model>, as model: Keyed.Type, _ limit: Double, _ transaction: WriteTransaction
  ) throws -> Int {
    var pruning = Pruning(entity)
    try transaction.scan(query, size: 1_000) { models in
      for case let model as Keyed in models {
        let came = try (model as? Model).flatMap { try identity(of: $0) }.map {
          try seen.contains($0)
        }
        try pruning.note(model.id.keyValues(), came: came ?? true)
      }
    }
    return try pruning.delete(upTo: limit, transaction) { keys in
      try transaction.delete(model, ids: keys.map { try Keyed.ID(keyValues: $0) })
    }
  }
}
