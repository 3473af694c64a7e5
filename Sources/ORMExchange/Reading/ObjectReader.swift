internal import ORM

/// Reads objects of one model: member by member into cells, from which the model is made.
final class ObjectReader<Model: Persistable>: RecordReader {
  let plan: MappingPlan<Model>
  let modelLinks: [any ModelLinkReader<Model>]
  /// The columns of the primary key; empty where links are parts of it.
  let keyColumns: [Int]
  /// The key of the next record, where its attributes do not say it.
  var givenKey: [StoredValue]?
  /// True if the objects are the records themselves, each of which is read once for a batch.
  var readsRecords = false

  init(_ plan: MappingPlan<Model>, _ reading: JSONReading) {
    self.plan = plan
    let key = Model.entity.description.key.compactMap { name in
      plan.columns.firstIndex { $0.name == name }
    }
    keyColumns = key.count == Model.entity.description.key.count ? key : []
    modelLinks = plan.links.map { $0.reader(reading) }
    super.init(plan.record, reading, links: modelLinks)
  }

  /// Reads an object whose members stand in the text.
  ///
  /// - Parameters:
  ///   - scanner: stands at the opening brace, and then past the object.
  ///   - depth: the number of objects and arrays around it.
  ///   - name: the name of the member that it is, where that is an attribute.
  /// - Returns: nil if the object has faults, which are in the list then.
  /// - Throws: `invalidImport` for text that is not JSON.
  func readPlain(_ scanner: inout JSONScanner, depth: Int, name: String?) throws -> Model? {
    if reading.stored != nil { try mergeIntoStored(scanner, name: name) }
    let start = scanner
    guard try readCells(&scanner, depth: depth, name: name) else { return nil }
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

  /// Sets the relationships that JSON had; of the others nothing is known.
  private func setLinks(of model: inout Model) {
    for end in Model.entity.relationships where !end.declaration.isToMany {
      end.forget(in: &model)
    }
    for link in modelLinks { link.apply(to: &model) }
  }
}
