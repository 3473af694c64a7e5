internal import ORM

/// Saves the relationships that records of a kind have through an entity above.
///
/// The objects of a kind do not have them. So each record is read as an object of the entity above
/// too, which has the values of the kind's object and these relationships. Its links alone are
/// saved, after the objects of the kind.
protocol InheritedSink: RecordSink {
  /// The error of the first link of the record that was read last whose target is not stored yet; nil if
  /// there are none.
  var missing: StoreError? { get }
  /// The positions of records that wait whose links were left out.
  var opened: Set<Int> { get }
  func addSaved(to saved: inout SavedEntities)
  /// Reads the relationships of a record; false if a hook leaves it out.
  ///
  /// - Parameters:
  ///   - scanner: at the record.
  ///   - depth: the number of objects and arrays around it.
  ///   - name: the name of the member that it is, in a keyed list.
  ///   - values: the values of the kind's object.
  func read(
    _ scanner: JSONScanner, depth: Int, name: String?, _ values: [StoredValue]
  ) throws -> Bool
  /// Adds the faults of the relationships of a record whose own object has faults.
  func addFaults(_ scanner: JSONScanner, _ record: RawRecord) throws
  /// Makes the record that was read last one that waits.
  func keep()
  /// The names of the relationships that a record has.
  func setLinks(at position: Int) -> [String]
  func noteUnlisted(key: [StoredValue], in unlisted: UnlistedMembers) throws
  /// Saves the links of the records that wait.
  ///
  /// - Parameters:
  ///   - keys: the keys of all records, where the store gives some; none where it gives none.
  ///   - positions: the records whose links are saved; nil for all.
  /// - Returns: the number of rows that were changed.
  func save(
    links keys: [[StoredValue]], of positions: Set<Int>?, _ transaction: WriteTransaction
  ) throws -> Int
  /// Returns a closure that saves the links of the object that was read last.
  func saving() -> (WriteTransaction) throws -> Void
  /// Saves links of the record that was read last.
  func settleRead(_ links: Set<String>, _ transaction: WriteTransaction) throws -> Bool
}

extension ModelSink: InheritedSink where Model: PrimaryKeyed {
  /// Makes the sink of the relationships of a model for records of a kind below it.
  ///
  /// - Parameters:
  ///   - options: the options, with a mapping of the relationships alone.
  ///   - columns: for each attribute of the model, its position among those of the kind.
  ///   - shared: the reading of the records.
  ///   - isNested: whether the objects are nested in records.
  convenience init(
    inherited options: ImportOptions<Model>, columns: [Int?], shared: JSONReading,
    isNested: Bool = false
  ) throws {
    try self.init(options, shared: shared)
    reader.readsRecords = !isNested
    columnsOfKind = columns
  }

  var missing: StoreError? { reader.modelLinks.first { $0.isOpen }?.missing }

  func read(
    _ scanner: JSONScanner, depth: Int, name: String?, _ values: [StoredValue]
  ) throws -> Bool {
    reader.setBase(columnsOfKind.map { $0.map { values[$0] } ?? .null })
    var scanner = scanner
    let faults = reader.reading.faults.count
    lastRead = try reader.read(&scanner, depth: depth, name: name)
    openLinks = Set(reader.modelLinks.filter(\.isOpen).map(\.name))
    if let setGiven, var model = lastRead {
      try setGiven(&model)
      lastRead = model
    }
    return lastRead != nil || reader.reading.faults.count > faults
  }

  func addFaults(_ scanner: JSONScanner, _ record: RawRecord) throws {
    // A hook may have left the record out, or may change the values read.
    guard !reader.reading.faults.isEmpty, !plan.hasReadingHooks else { return }
    var scanner = scanner
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else { return }
    reader.setBase(columnsOfKind.map { _ in .null })
    _ = try reader.readCells(&scanner, depth: record.depth, name: nil)
  }

  func keep() {
    guard let model = lastRead else { return }
    if !matchesKey { given.append(setLinks(of: model)) }
    if !openLinks.isEmpty { opened.insert(models.count) }
    models.append(model)
  }

  func saving() -> (WriteTransaction) throws -> Void {
    guard let model = lastRead else { return { _ in } }
    return { [self] transaction in
      dropRecords()
      defer { dropRecords() }
      models.append(model)
      if !matchesKey { given.append(setLinks(of: model)) }
      _ = try save(links: [], of: nil, transaction)
    }
  }

  func setLinks(at position: Int) -> [String] {
    models.indices.contains(position) ? setLinks(of: models[position]) : []
  }

  func noteUnlisted(key: [StoredValue], in unlisted: UnlistedMembers) throws {
    guard let model = lastRead else { return }
    try reader.noteUnlisted(of: model, key: key, in: unlisted)
  }

  func save(
    links keys: [[StoredValue]], of positions: Set<Int>?, _ transaction: WriteTransaction
  ) throws -> Int {
    var changed = 0
    if keys.count == models.count { try setKeys(keys) }
    // The records of each shape together: those that have the same links.
    var shapes: [[String]: [Model]] = [:]
    for (position, model) in models.enumerated() where positions?.contains(position) ?? true {
      let names = setLinks(of: model).filter { !isSkipped($0, of: model) }
      if !names.isEmpty { shapes[names, default: []].append(model) }
    }
    for (names, models) in shapes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard matchesKey else {
        changed += try transaction.save(
          models, matching: BatchMatch(attributes: options.match.paths), onMissing: .ignore,
          merge: .only(names: names)
        ).updated
        continue
      }
      var stored = models
      if options.onMissing != .insert {
        let found = try transaction.find(Model.self, each: models.map(\.id))
        stored = zip(models, found).filter { $0.1 != nil }.map(\.0)
      }
      if stored.isEmpty { continue }
      try saveTargets(of: stored, transaction)
      changed += try transaction.save(stored, merge: .only(names: names)).updated
    }
    try keepKeys(transaction)
    return changed
  }

  /// Saves nested objects that are stored, of which a save of links alone keeps the values.
  private func saveTargets(of models: [Model], _ transaction: WriteTransaction) throws {
    if options.merge == .insertOnly { return }
    func save<End: RelationshipEnd<Model>>(_ end: End) throws {
      let targets = models.flatMap { end.change(of: $0) ?? [] }.compactMap {
        if case .object(let target) = $0, !target.id.isUnassigned(for: End.Target.self) {
          target
        } else {
          nil
        }
      }
      if targets.isEmpty { return }
      let found = try transaction.find(End.Target.self, each: targets.map(\.id))
      let stored = zip(targets, found).filter { $0.1 != nil }.map(\.0)
      if stored.isEmpty { return }
      let policy = Self.policy(options.merge, as: End.Target.self)
      let counts = try transaction.save(stored, merge: policy).counts
      transaction.count(counts, of: End.Target.entity.written.name)
    }
    for end in Model.entity.relationships { try save(end) }
  }

  /// Gives the objects the keys of their rows.
  private func setKeys(_ keys: [[StoredValue]]) throws {
    let description = Model.entity.description
    let positions = description.key.compactMap { description.position(of: $0) }
    for (index, key) in keys.enumerated() where self.key(of: models[index]) == nil {
      let model = models[index]
      var values = try BufferedRow(encoding: model).values
      for (position, value) in zip(positions, key) { values[position] = value }
      var keyed = [try Model(row: BufferedRow(values))]
      for end in Model.entity.relationships {
        end.copy(from: [model], to: &keyed, keepsSet: false)
      }
      models[index] = keyed[0]
    }
  }
}

extension ModelSink {
  /// Saves the records that wait, and then the relationships that they have through the entities
  /// above.
  func savedWithInherited(_ transaction: WriteTransaction) throws -> SaveCounts {
    // Rows that are stored stay as they are, where that is asked for.
    var positions: Set<Int>?
    if options.merge == .insertOnly {
      positions = try Set(models.indices.filter { try isNew($0, transaction) })
    }
    var counts = try saved(transaction)
    var changed = 0
    for links in inherited {
      changed = max(changed, try links.save(links: savedKeys, of: positions, transaction))
    }
    counts.count(changed)
    return counts
  }
}

/// The records that wait to be saved in the sinks of several kinds.
///
/// Records of two kinds wait together as long as their order does not matter: they have other keys,
/// and no nested objects, which may be of one row.
final class WaitingKinds {
  private var keys = IdentitySet()
  /// The sink with the records that wait; nil where there are several.
  private weak var only: AnyObject?
  private var count = 0
  /// True if a record that waits has nested objects.
  private var hasObjects = false
  /// True if no other record may wait beside the one that does.
  private var isClosed = false
  /// The names of the entities whose objects the import saves.
  var saved: Set<String> = []

  var isEmpty: Bool { count == 0 }

  /// Adds a record; false if those that wait must be saved before.
  ///
  /// - Parameters:
  ///   - key: the values that identify the record; nil where the store gives its key.
  ///   - sink: the sink of its kind.
  ///   - isAlone: whether it waits alone if it has nested objects.
  func admits(
    _ key: [StoredValue]?, of sink: AnyObject, hasObjects: Bool = false, isAlone: Bool = false
  ) -> Bool {
    if count > 0 {
      let isOther = only !== sink
      if isClosed || hasObjects && (isOther || isAlone) || self.hasObjects && isOther {
        return false
      }
    }
    if let key, !keys.insert(key) { return false }
    only = count == 0 || only === sink ? sink : nil
    count += 1
    if hasObjects { (self.hasObjects, isClosed) = (true, isAlone) }
    return true
  }

  func removeAll() {
    if count == 0 { return }
    keys.removeAll()
    (only, count, hasObjects, isClosed) = (nil, 0, false, false)
  }
}
