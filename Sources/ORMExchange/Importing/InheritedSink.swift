internal import ORM

/// Saves the relationships that records of a kind have through an entity above.
///
/// The objects of a kind do not have them. So each record is read as an object of the entity above
/// too, which has the values of the kind's object and these relationships. Its links alone are
/// saved, after the objects of the kind.
protocol InheritedSink: AnyObject {
  /// The links of the record that was read last whose targets are not stored yet.
  var openLinks: Set<String> { get }
  /// The error of the first of them; nil if there are none.
  var missing: StoreError? { get }
  /// The positions of records that wait whose links were left out.
  var opened: Set<Int> { get }
  var treatment: ImportMissingTargets? { get set }
  /// The error of the first link that the last call of `settleRead` could not save.
  var unsettled: StoreError? { get }
  func addSaved(to saved: inout SavedEntities)
  func link(at path: [PathStep]) -> LinkField?
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
  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String>
  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool
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
  func drop()
}

/// Saves the relationships of a model for records of a kind below it.
final class InheritedLinkSink<Owner: PrimaryKeyed>: InheritedSink {
  private let sink: ModelSink<Owner>
  /// The position of each attribute of the model among those of the kind.
  private let columns: [Int?]
  /// The record that was read last.
  private var read: Owner?

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - options: the options, with a mapping of the relationships alone.
  ///   - columns: for each attribute of the model, its position among those of the kind.
  ///   - shared: the reading of the records.
  ///   - isNested: whether the objects are nested in records.
  init(
    _ options: ImportOptions<Owner>, columns: [Int?], shared: JSONReading, isNested: Bool = false
  ) throws {
    sink = try ModelSink(options, shared: shared)
    sink.reader.readsRecords = !isNested
    self.columns = columns
  }

  var openLinks: Set<String> {
    Set(sink.reader.modelLinks.filter(\.isOpen).map(\.name))
  }

  var missing: StoreError? { sink.reader.modelLinks.first { $0.isOpen }?.missing }
  var opened: Set<Int> { sink.opened }
  var unsettled: StoreError? { sink.unsettled }

  var treatment: ImportMissingTargets? {
    get { sink.treatment }
    set { sink.treatment = newValue }
  }

  func addSaved(to saved: inout SavedEntities) { sink.addSaved(to: &saved) }
  func link(at path: [PathStep]) -> LinkField? { sink.link(at: path) }

  func read(
    _ scanner: JSONScanner, depth: Int, name: String?, _ values: [StoredValue]
  ) throws -> Bool {
    sink.reader.setBase(columns.map { $0.map { values[$0] } ?? .null })
    var scanner = scanner
    let faults = sink.reader.reading.faults.count
    read = try sink.reader.read(&scanner, depth: depth, name: name)
    if let setGiven = sink.setGiven, var model = read {
      try setGiven(&model)
      read = model
    }
    return read != nil || sink.reader.reading.faults.count > faults
  }

  func addFaults(_ scanner: JSONScanner, _ record: RawRecord) throws {
    // A hook may have left the record out, or may change the values read.
    let reader = sink.reader
    guard !reader.reading.faults.isEmpty, !reader.plan.hasReadingHooks else { return }
    var scanner = scanner
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else { return }
    reader.setBase(columns.map { _ in .null })
    _ = try reader.readCells(&scanner, depth: record.depth, name: nil)
  }

  func keep() {
    guard let model = read else { return }
    if !sink.matchesKey { sink.given.append(sink.setLinks(of: model)) }
    if !openLinks.isEmpty { sink.opened.insert(sink.models.count) }
    sink.models.append(model)
  }

  func saving() -> (WriteTransaction) throws -> Void {
    guard let model = read else { return { _ in } }
    return { [self] transaction in
      sink.dropRecords()
      defer { sink.dropRecords() }
      sink.models.append(model)
      if !sink.matchesKey { sink.given.append(sink.setLinks(of: model)) }
      _ = try save(links: [], of: nil, transaction)
    }
  }

  func setLinks(at position: Int) -> [String] {
    sink.models.indices.contains(position) ? sink.setLinks(of: sink.models[position]) : []
  }

  func noteUnlisted(key: [StoredValue], in unlisted: UnlistedMembers) throws {
    guard let model = read else { return }
    try sink.reader.noteUnlisted(of: model, key: key, in: unlisted)
  }

  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String> {
    try sink.leaveOutMissingLinks(transaction)
  }

  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool {
    try sink.treatMissingLinks(transaction)
  }

  func settleRead(_ links: Set<String>, _ transaction: WriteTransaction) throws -> Bool {
    try sink.settleRead(links, transaction)
  }

  func drop() {
    read = nil
    sink.dropRecords()
  }

  func save(
    links keys: [[StoredValue]], of positions: Set<Int>?, _ transaction: WriteTransaction
  ) throws -> Int {
    var changed = 0
    if keys.count == sink.models.count { try setKeys(keys) }
    // The records of each shape together: those that have the same links.
    var shapes: [[String]: [Owner]] = [:]
    for (position, model) in sink.models.enumerated() where positions?.contains(position) ?? true {
      let names = sink.setLinks(of: model).filter { !sink.isSkipped($0, of: model) }
      if !names.isEmpty { shapes[names, default: []].append(model) }
    }
    for (names, models) in shapes.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      guard sink.matchesKey else {
        changed += try transaction.save(
          models, matching: BatchMatch(attributes: sink.options.match.paths), onMissing: .ignore,
          merge: .only(names: names)
        ).updated
        continue
      }
      var stored = models
      if sink.options.onMissing != .insert {
        let found = try transaction.find(Owner.self, each: models.map(\.id))
        stored = zip(models, found).filter { $0.1 != nil }.map(\.0)
      }
      if stored.isEmpty { continue }
      try saveTargets(of: stored, transaction)
      changed += try transaction.save(stored, merge: .only(names: names)).updated
    }
    try sink.keepKeys(transaction)
    return changed
  }

  /// Saves nested objects that are stored, of which a save of links alone keeps the values.
  private func saveTargets(of models: [Owner], _ transaction: WriteTransaction) throws {
    if sink.options.merge == .insertOnly { return }
    func save<End: RelationshipEnd<Owner>>(_ end: End) throws {
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
      let policy = ModelSink<Owner>.policy(sink.options.merge, as: End.Target.self)
      let counts = try transaction.save(stored, merge: policy).counts
      transaction.count(counts, of: End.Target.entity.written.name)
    }
    for end in Owner.entity.relationships { try save(end) }
  }

  /// Gives the objects the keys of their rows.
  private func setKeys(_ keys: [[StoredValue]]) throws {
    let positions = Owner.entity.description.key.compactMap {
      Owner.entity.description.position(of: $0)
    }
    for (index, key) in keys.enumerated() where sink.key(of: sink.models[index]) == nil {
      let model = sink.models[index]
      var values = try BufferedRow(encoding: model).values
      for (position, value) in zip(positions, key) { values[position] = value }
      var keyed = [try Owner(row: BufferedRow(values))]
      for end in Owner.entity.relationships {
        end.copy(from: [model], to: &keyed, keepsSet: false)
      }
      sink.models[index] = keyed[0]
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
