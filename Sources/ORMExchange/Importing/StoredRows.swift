internal import ORM

/// The stored rows that the objects of a batch are merged into.
final class StoredRows {
  private let transaction: WriteTransaction
  private var known: [ObjectIdentifier: [GroupKey: [StoredValue]?]] = [:]

  /// Reads the rows of the records that come next; called when the first row is asked for.
  var readAhead: (() throws -> Void)?

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  var count: Int { known.values.reduce(0) { $0 + $1.count } }

  /// Forgets all rows.
  func removeAll() {
    readAhead = nil
    if !known.isEmpty { known.removeAll() }
  }

  /// The values of the row with a key; nil if there is none.
  func row<Model: PrimaryKeyed>(of model: Model.Type, key: [StoredValue]) throws -> [StoredValue]? {
    if let readAhead {
      self.readAhead = nil
      try readAhead()
    }
    if let row = known[ObjectIdentifier(model)]?[GroupKey(key)] { return row }
    guard let id = try? Model.ID(keyValues: key) else { return nil }
    let row = try transaction.find(model, id).map { try BufferedRow(encoding: $0).values }
    known[ObjectIdentifier(model), default: [:]][GroupKey(key)] = .some(row)
    return row
  }

  /// Reads the rows with some keys by one request.
  func read<Model: PrimaryKeyed>(_ model: Model.Type, keys: [[StoredValue]]) throws {
    var ids: [Model.ID] = []
    var asked: [GroupKey] = []
    for key in keys {
      guard let id = try? Model.ID(keyValues: key) else { continue }
      ids.append(id)
      asked.append(GroupKey(key))
    }
    for (key, model) in zip(asked, try transaction.find(model, each: ids)) {
      known[ObjectIdentifier(Model.self), default: [:]][key] =
        .some(try model.map { try BufferedRow(encoding: $0).values })
    }
  }

  /// Remembers the values of an object that will be saved.
  func note(_ model: any Persistable.Type, key: [StoredValue], _ values: [StoredValue]) {
    known[ObjectIdentifier(model), default: [:]][GroupKey(key)] = .some(values)
  }
}

extension ObjectReader {
  /// Makes the next record one that is merged into its stored row, if its key has one.
  func mergeIntoStored(_ scanner: JSONScanner, name: String?) throws {
    guard let stored = reading.stored else { return }
    let key = givenKey ?? keyValues(scanner, name: name)
    setBase(try key.flatMap { try row(of: Model.self, $0, in: stored) })
  }

  /// Remembers the values of the record for later objects with its key.
  func noteMerged(_ scanner: JSONScanner, name: String?) throws {
    guard let stored = reading.stored, let key = givenKey ?? keyValues(scanner, name: name) else {
      return
    }
    let row = row(scanner)
    stored.note(
      Model.self, key: key, try (0..<record.columnCount).map { try row.value(at: $0) })
  }

  private func row(
    of model: any Persistable.Type, _ key: [StoredValue], in stored: StoredRows
  ) throws -> [StoredValue]? {
    func row<Keyed: PrimaryKeyed>(_ model: Keyed.Type) throws -> [StoredValue]? {
      try stored.row(of: model, key: key)
    }
    guard let keyed = model as? any PrimaryKeyed.Type else { return nil }
    return try row(keyed)
  }

  /// The key of the record at the scanner's position; nil where it has none of its own.
  func keyValues(_ scanner: JSONScanner, name: String?) -> [StoredValue]? {
    guard !keyColumns.isEmpty else { return nil }
    var values: [StoredValue] = []
    for position in keyColumns {
      guard let value = keyPart(position, scanner, name: name) else { return nil }
      values.append(value)
    }
    let isUnassigned = values == [.int(0)] || values == [.uuid(.unassigned)]
    return isUnassigned && Model.entity.description.keySource != .program ? nil : values
  }

  private func keyPart(_ position: Int, _ scanner: JSONScanner, name: String?) -> StoredValue? {
    let column = plan.columns[position]
    if position == plan.keyColumn {
      return name.flatMap { ValueReading.value(ofText: $0, as: column.type) }
    }
    for path in column.sources {
      var inner = scanner
      guard ValueReading.enter(path[...], &inner) else { continue }
      inner.skipSpace()
      if let value = try? column.value(&inner), !value.isNull { return value }
    }
    return nil
  }
}
