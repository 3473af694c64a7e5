internal import FoundationEssentials
internal import ORMStorage

/// A write transaction that stores larger values outside of rows, and counts the references to them.
///
/// Contents are written as the rows come, get their names before the engine's commit, and lose them
/// after it; the counts change with the rows, in one transaction.
final class ExternalWriter: ExternalReader, ForwardingWriter {
  let base: any StoreWriter
  /// The changes to references so far; a savepoint that throws undoes its own.
  private(set) var ledger = ExternalLedger()
  /// The contents that are written and have no name yet.
  var written: [SHA256: ExternalReference] = [:]
  /// The contents of the running operation, for a store without a file.
  private var unstored: [SHA256: Data] = [:]
  /// The prefix of the names of this transaction's files; empty before there are any.
  var mark = ""
  /// The contents left by earlier transactions that did not end, or whose commit failed.
  var begun: [String]
  /// True if contents have got their names.
  var hasPublished = false
  /// True if the engine was asked to commit.
  private var isCommitting = false
  private var isEnded = false
  let store: any Store

  init(
    _ base: any StoreWriter, _ layer: ExternalLayer, of store: any Store, begun: [String]
  ) {
    self.base = base
    self.begun = begun
    self.store = store
    super.init(base, layer, epoch: nil)
  }

  var forwardedWriter: any StoreWriter { base }

  func savepoint(_ body: () throws -> Void) throws {
    let before = ledger
    do {
      try base.savepoint(body)
    } catch {
      ledger = before
      throw error
    }
  }

  override func end() {
    if !isEnded, !isCommitting { abandon() }
    isEnded = true
    super.end()
  }

  override func content(of reference: ExternalReference) throws -> Data {
    if let files = layer.files, written[reference.digest] != nil {
      return try files.folder.newContent(name(of: reference.digest), reference)
    }
    return try super.content(of: reference)
  }

  // MARK: Keeping

  /// Returns the temporary name of a new content, used until it gets its final name.
  func name(of digest: SHA256) -> String { mark + "-" + digest.text }

  /// Returns the form in which a row stores a value, keeping a large value outside.
  ///
  /// The reference is nil if the value stays in its row.
  func form(
    of value: Data, at column: Int, in table: ExternalTable
  ) throws -> (Data, ExternalReference?) {
    guard let threshold = table.thresholds[column], value.count > threshold else {
      return (ExternalForm.inline(value), nil)
    }
    let limit = layer.options.maximumValueSize
    guard value.count <= limit else {
      throw StoreError(
        .tooLarge, "a value of \(value.count) bytes is larger than the store's limit of \(limit)",
        entity: table.entity.modelName, attributes: [table.entity.columns[column].attribute])
    }
    let reference = try value.withUnsafeBytes { bytes in
      let reference = ExternalReference(to: bytes)
      try keep(bytes, reference, value)
      return reference
    }
    return (ExternalForm.reference(reference), reference)
  }

  private func keep(
    _ bytes: UnsafeRawBufferPointer, _ reference: ExternalReference, _ value: Data
  ) throws {
    guard let files = layer.files else {
      if !ledger.embedded.contains(reference.digest) { unstored[reference.digest] = value }
      return
    }
    if written[reference.digest] != nil || files.folder.holds(reference) { return }
    try leaveMark(in: files)
    try files.folder.write(bytes, as: name(of: reference.digest))
    written[reference.digest] = reference
  }

  /// Marks that the transaction begins to refer to contents.
  func leaveMark(in files: ExternalFiles) throws {
    guard mark.isEmpty else { return }
    let mark = UUID().uuidString
    try files.folder.begin(mark)
    self.mark = mark
    try files.lock.make()
  }

  /// Writes the contents that the operation collected into a store without a file.
  private func keepInside() throws {
    guard !unstored.isEmpty else { return }
    try ExternalCounts.write(unstored, by: base)
    for (digest, content) in unstored {
      ledger.embedded.insert(digest)
      ledger.touch(digest, length: content.count)
    }
    unstored = [:]
  }

  // MARK: Operations

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard let table = layer.tables[request.entity],
      request.reports.contains(.oldRows)
        || request.columns?.contains(where: { table.thresholds[$0] != nil }) ?? true
    else { return try base.put(request, from: &source, to: &visitor) }
    unstored = [:]
    let put = ExternalPut(table, request, self)
    var inner = request
    inner.reports.insert(.outcomes)
    if request.mode == .update || request.mode == .upsert { inner.reports.insert(.oldRows) }
    try withUnsafeMutablePointer(to: &source) { source in
      try withUnsafeMutablePointer(to: &visitor) { visitor in
        var source = ExternalSource(base: source, put: put)
        var visitor = ExternalPutVisitor(base: visitor, put: put)
        try whole {
          try base.put(inner, from: &source, to: &visitor)
          try keepInside()
        }
      }
    }
    ledger.add(put.ledger)
  }

  func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .clear(let name):
      guard let table = layer.tables[name] else { return try base.apply(change) }
      let removed = try references(
        FetchRequest(
          entity: name, sort: SortTerm.total([], entity: table.entity)), table,
        table.columns)
      let count = try base.apply(change)
      ledger.add(removed.ledger)
      return count
    case .delete(let request):
      guard let table = layer.tables[request.shape.entity] else { return try base.apply(change) }
      let removed = try references(request, table, table.columns)
      let count = try base.apply(change)
      ledger.add(removed.ledger)
      return count
    case .update(let request, let assignments):
      guard let table = layer.tables[request.shape.entity],
        assignments.contains(where: { table.thresholds[$0.column] != nil })
      else { return try base.apply(change) }
      return try update(request, assignments, table)
    }
  }

  /// Returns the references of the rows that a request selects, counted as removed.
  private func references(
    _ request: FetchRequest, _ table: ExternalTable, _ columns: [Int]
  ) throws -> ExternalReferences {
    let output = columns.map { Operand.attribute(table.entity.columns[$0].attribute) }
    var asked = request
    asked.shape = FetchShape(
      entity: request.shape.entity, output: .values(output), condition: request.shape.condition,
      sort: request.shape.sort, isLimited: request.shape.isLimited)
    var visitor = ExternalReferences()
    try base.visit(asked, &visitor)
    return visitor
  }

  private func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment], _ table: ExternalTable
  ) throws -> Int {
    unstored = [:]
    var request = request
    var assignments = assignments
    let columns = assignments.map(\.column).filter { table.thresholds[$0] != nil }
    var change = try references(request, table, columns)
    for index in assignments.indices where table.thresholds[assignments[index].column] != nil {
      let column = assignments[index].column
      let value: StoredValue
      switch assignments[index].value {
      case .value(let given): value = given
      case .parameter(let slot, _) where request.bindings.indices.contains(slot):
        value = request.bindings[slot]
      default: value = .bool(false)
      }
      if value.isNull { continue }
      guard case .data(let data) = value else {
        throw StoreError(
          .invalidCondition, "it is stored externally: assign a value, not an expression",
          entity: table.entity.modelName, attributes: [table.entity.columns[column].attribute])
      }
      let (form, reference) = try form(of: data, at: column, in: table)
      if let reference { change.ledger.add(reference, change.count) }
      // The value may be another parameter's too.
      request.bindings.append(.data(form))
      assignments[index].value = .parameter(request.bindings.count - 1, .data)
    }
    var count = 0
    try whole {
      count = try base.apply(.update(request, assignments))
      try keepInside()
    }
    ledger.add(change.ledger)
    return count
  }

  /// Runs an operation and keeps its contents, all or nothing.
  private func whole(_ body: () throws -> Void) throws {
    if layer.files != nil { return try body() }
    try base.savepoint(body)
  }

  // MARK: Ending

  func commit() throws {
    try settle(ledger)
    // A commit that writes nothing says nothing about those before.
    if base.changeCount == 0 { begun = [] }
    isCommitting = true
    try base.commit()
    super.end()
    isEnded = true
    finish()
  }
}
