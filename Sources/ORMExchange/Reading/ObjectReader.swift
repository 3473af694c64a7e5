internal import ORM
@_spi(Records) internal import ORMCore

/// Reads objects of one model: member by member into cells, from which the model is made.
final class ObjectReader<Model: Persistable>: CellReader {
  let plan: MappingPlan<Model>
  let modelLinks: [any ModelLinkReader<Model>]
  /// The columns of the primary key; empty where links are parts of it.
  let keyColumns: [Int]
  /// The key of the next record, where its attributes do not say it.
  var givenKey: [StoredValue]?
  /// True if the objects are the records themselves, each of which is read once for a batch.
  var readsRecords = false {
    didSet {
      expectsWhole = readsRecords && modelLinks.isEmpty
      for link in modelLinks { link.isOfRecord = readsRecords }
    }
  }
  /// False if records are not merged into stored rows, since something else gives their values.
  var mergesRecords = true
  /// True if the next record probably has every attribute, as the last one had.
  private var expectsWhole = false
  /// True if a record is its attributes alone, and nothing looks at it.
  let isPlain: Bool

  init(_ plan: MappingPlan<Model>, _ reading: JSONReading) {
    self.plan = plan
    let key = Model.entity.description.key.compactMap { name in
      plan.columns.firstIndex { $0.name == name }
    }
    keyColumns = key.count == Model.entity.description.key.count ? key : []
    modelLinks = plan.links.map { $0.reader(reading) }
    isPlain =
      plan.kind == nil && !plan.hasReadingHooks && plan.links.isEmpty
      && Model.entity.relationships.isEmpty
    super.init(plan.record, reading, links: modelLinks)
  }

  /// Reads an object whose members are in the text.
  ///
  /// - Parameters:
  ///   - scanner: at the opening brace, and afterwards past the object.
  ///   - depth: the number of objects and arrays around it.
  ///   - name: the name of the member that it is, where that is an attribute.
  /// - Returns: nil if the object has faults, which are in the list then.
  /// - Throws: `invalidImport` for text that is not JSON.
  func readPlain(_ scanner: inout JSONScanner, depth: Int, name: String?) throws -> Model? {
    let start = scanner
    guard try readMerged(&scanner, depth: depth, name: name) else { return nil }
    do {
      var model = try Model(row: row(scanner))
      if !Model.entity.relationships.isEmpty { setLinks(of: &model) }
      if !readsRecords, reading.missing == nil {
        // A nested object cannot be linked later.
        reading.missing = modelLinks.first { $0.isOpen }?.missing
      }
      if reading.stored != nil, !readsRecords { try noteMerged(start, name: name) }
      return model
    } catch {
      addFault(of: error, scanner)
      return nil
    }
  }

  /// Reads a record as `read` does, and adds its model to others.
  ///
  /// - Returns: false for a record that is left out or has faults.
  func read(
    _ scanner: inout JSONScanner, depth: Int, name: String?, to models: inout [Model]
  ) throws -> Bool {
    scanner.skipSpace()
    guard isPlain, readsRecords || reading.stored == nil, scanner.next == UInt8(ascii: "{") else {
      return try add(&scanner, depth: depth, name: name, to: &models)
    }
    guard try readMerged(&scanner, depth: depth, name: name) else { return false }
    do {
      try Model.append(row: row(scanner), to: &models)
      return true
    } catch {
      addFault(of: error, scanner)
      return false
    }
  }

  /// Reads a record of CSV by its fields, and adds its model to others.
  ///
  /// - Returns: false for a record that must be read as JSON; nothing is added then.
  func readFields(
    _ raw: RawRecord, _ form: FieldForm, to models: inout [Model]
  ) -> Bool {
    setBase(nil)
    guard readFields(raw, form), reading.stored == nil || isWhole else { return false }
    let count = models.count
    do {
      try Model.append(row: row(JSONScanner(raw.bytes)), to: &models)
      return true
    } catch {
      models.removeSubrange(count...)
      return false
    }
  }

  @inline(never)
  private func add(
    _ scanner: inout JSONScanner, depth: Int, name: String?, to models: inout [Model]
  ) throws -> Bool {
    guard let model = try read(&scanner, depth: depth, name: name) else { return false }
    models.append(model)
    return true
  }

  /// Reads the members into the cells, instead of the values of the stored row if there is one to
  /// merge into; false if there are faults.
  ///
  /// A record that has every attribute needs no stored row, which is not asked for then.
  private func readMerged(
    _ scanner: inout JSONScanner, depth: Int, name: String?
  ) throws -> Bool {
    guard reading.stored != nil, mergesRecords else {
      return try readCells(&scanner, depth: depth, name: name)
    }
    if expectsWhole {
      let (start, faults) = (scanner, reading.faults.count)
      setBase(nil)
      if try readCells(&scanner, depth: depth, name: name), isWhole { return true }
      reading.faults.removeAll(after: faults)
      scanner = start
    }
    try mergeIntoStored(scanner, name: name)
    let isRead = try readCells(&scanner, depth: depth, name: name)
    expectsWhole = readsRecords && modelLinks.isEmpty && isWhole
    return isRead
  }

  /// Notes the stored members that lists of the object that was read last lack.
  func noteUnlisted(of model: Model, key: [StoredValue], in unlisted: UnlistedMembers) throws {
    for link in modelLinks { try link.noteUnlisted(of: model, key: key, in: unlisted) }
  }

  /// Sets the relationships that JSON had; of the others nothing is known.
  private func setLinks(of model: inout Model) {
    for end in Model.entity.relationships where !end.declaration.isToMany {
      end.forget(in: &model)
    }
    for link in modelLinks { link.apply(to: &model) }
  }
}
