@_spi(Records) internal import ORMStorage

/// The write transaction of an ordered store.
final class OrderedStoreWriter: StoreWriter, CountingReader {
  private let batch: any OrderedBatch
  private let view: StoreView
  private let options: StoreOptions
  private var keys: KeyGenerator
  /// The last put, for the next is mostly of the same kind.
  private var lastPut: PutOperation?
  private let others: OthersCommits
  /// The number of bytes of an index's entries that wait to be written while many rows are changed.
  var capacity = EntryQueue.capacity
  /// The number of writes and removals of rows.
  private var changes = 0

  init(
    _ batch: any OrderedBatch, _ view: StoreView, _ options: StoreOptions, _ others: OthersCommits
  ) {
    self.batch = batch
    self.view = view
    self.options = options
    self.others = others
    keys = KeyGenerator(batch)
  }

  deinit { view.end() }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor { try view.cursor(request) }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try view.visit(request, &visitor)
  }

  func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws {
    found = try view.record(shape, binding: binding)
  }

  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws {
    try view.visit(shape, binding: binding, &visitor)
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try view.explain(request, analyze: analyze)
  }

  func greatestKey(of entity: String) throws -> Int64? { try view.greatestKey(of: entity) }

  func raiseGreatestKey(of name: String, to key: Int64) throws {
    try view.check()
    let entity = try view.layout.entity(name)
    guard let keyspace = entity.keyspace, entity.declared.generatesKeys else { return }
    guard key > (try StoreCounters.greatestKey(of: keyspace, in: batch)) else { return }
    changes += 1
    try StoreCounters.setGreatestKey(key, of: keyspace, in: batch)
    keys.forget()
  }

  func verify(_ found: (StoreError) throws -> Void) throws { try view.verify(found) }

  func end() { view.end() }

  var changeCount: Int? { changes }

  var rowsRead: Int { view.rowsRead }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try view.check()
    let put: PutOperation
    if let lastPut, lastPut.plan.request == request {
      put = lastPut
    } else {
      put = PutOperation(
        try view.layout.plan(of: request), in: batch, maximumValueSize: options.maximumValueSize)
    }
    // A source may itself write; then it finds no operation in use.
    lastPut = nil
    let changesBefore = put.changes
    defer { changes += put.changes - changesBefore }
    try put.run(from: &source, to: &visitor, &keys)
    lastPut = put
  }

  func apply(_ change: StoreChange) throws -> Int {
    try view.check()
    var operation = ApplyOperation(
      batch, view, maximumValueSize: options.maximumValueSize, capacity: capacity)
    defer { changes += operation.changes }
    return try operation.run(change, &keys)
  }

  func savepoint(_ body: () throws -> Void) throws {
    try view.check()
    let changesBefore = changes
    do {
      try batch.savepoint(body)
    } catch {
      changes = changesBefore
      keys.forget()
      throw error
    }
  }

  func commit() throws {
    try view.check()
    if changes > 0 {
      var commit = try StoreCounters.commit(in: batch)
      let last = commit.stamp
      commit.stamp &+= 1
      try StoreCounters.set(commit, in: batch)
      try batch.commit()
      others.committed(after: last)
    }
    view.end()
  }
}
