internal import ORMStorage

/// The writer that records the rows that a transaction changes.
///
/// It is the layer right above the engine and data outside of rows, and so sees every write of every
/// path, derived attributes included. It exists only while a listener asks for changes at level `keys` or
/// above, and records only the entities that listeners ask for.
package final class ChangeRecorder: ForwardingWriter {
  private let base: any StoreWriter
  /// The writer of the engine itself.
  private let engine: any StoreWriter
  private let schema: RecordedSchema
  /// The levels at which entities are recorded.
  package let levels: ChangeLevels
  /// The most changes that are recorded of an entity.
  private let limit: Int
  /// The rows of changes that layers above have read.
  private let deltas: RowDeltas
  private var logs: [String: LogBox] = [:]

  /// A log by reference, so that adding to it copies nothing.
  ///
  /// Exclusivity is not checked at run time: nothing that is called while the log changes knows it.
  final class LogBox {
    @exclusivity(unchecked) var log: RowLog
    init(_ log: RowLog) { self.log = log }
  }

  package init(
    _ base: any StoreWriter, engine: any StoreWriter, _ schema: RecordedSchema,
    _ levels: ChangeLevels, limit: Int, deltas: RowDeltas = RowDeltas()
  ) {
    self.base = base
    self.engine = engine
    self.schema = schema
    self.levels = levels
    self.limit = limit
    self.deltas = deltas
    deltas.add { [unowned self] in needs(of: $0) }
  }

  package var forwardedWriter: any StoreWriter { base }
  package func isTransparent(for shape: FetchShape) -> Bool { true }

  /// The log of an entity; nil if no listener asks for its changes, or if all of it is reported anyway.
  private func log(of entity: String) -> LogBox? {
    if let box = logs[entity] { return box.log.isEverything ? nil : box }
    guard let recorded = schema.entities[entity], let level = levels.level(of: recorded) else {
      return nil
    }
    let box = LogBox(RowLog(recorded, level: level))
    logs[entity] = box
    return box
  }

  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard let box = log(of: request.entity) else {
      return try base.put(request, from: &source, to: &visitor)
    }
    let put = RecordedPut(box, request, limit: limit)
    do {
      try record(put, from: &source, to: &visitor)
    } catch {
      // Nothing of it stays: the engine or the caller undoes the rows before the one that failed.
      put.forget()
      throw error
    }
  }

  private func record<S: RowSource, O: PutVisitor>(
    _ put: RecordedPut, from source: inout S, to visitor: inout O
  ) throws {
    if put.usesReportedKeys {
      return try withUnsafeMutablePointer(to: &visitor) { visitor in
        // The pointer is valid for the length of the call, which is that of the put.
        var visitor = RecordingVisitor(visitor, put)
        try base.put(put.images.request, from: &source, to: &visitor)
      }
    }
    try put.run(through: base, from: &source, to: &visitor)
  }

  package func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .clear(let name):
      let box = log(of: name)
      let count = try base.apply(change)
      if count > 0 { box?.log.addEverything() }
      return count
    case .delete(let request):
      guard let box = log(of: request.shape.entity) else { return try base.apply(change) }
      let columns = columns(of: change, box)
      let delta = try delta(of: request, columns, box)
      let count = try base.apply(change)
      guard let delta else {
        box.log.addEverything()
        return count
      }
      delta.forEachOld(in: columns) { box.log.add(.deleted, old: $0, new: nil, limit: limit) }
      return count
    case .update(let request, _):
      guard let box = log(of: request.shape.entity) else { return try base.apply(change) }
      let columns = columns(of: change, box)
      let width = box.log.entity.columns(at: box.log.level).count
      let delta = try delta(of: request, columns, box)
      let count = try base.apply(change)
      guard let delta else {
        box.log.addEverything()
        return count
      }
      try delta.forEachPair(in: columns, base) { old, new in
        if zip(old, new).allSatisfy({ $0.isIdentical(to: $1) }) { return }
        box.log.add(
          .updated, old: Array(old.prefix(width)), new: Array(new.prefix(width)), limit: limit)
      }
      return count
    }
  }

  /// The columns that the log needs of the rows of a change, for the layers above, and the most rows.
  private func needs(of change: StoreChange) -> (columns: [Int], rows: Int) {
    let name =
      switch change {
      case .clear(let name): name
      case .delete(let request), .update(let request, _): request.shape.entity
      }
    guard let box = log(of: name) else { return ([], .max) }
    return (columns(of: change, box), limit - box.log.entries.count)
  }

  /// The columns of an image, then those that an update assigns.
  private func columns(of change: StoreChange, _ box: LogBox) -> [Int] {
    let columns = box.log.entity.columns(at: box.log.level)
    guard case .update(_, let assignments) = change else { return columns }
    return columns + assignments.map(\.column).filter { !columns.contains($0) }
  }

  /// The rows that a change selects; nil if there are more than are recorded.
  private func delta(
    of request: FetchRequest, _ columns: [Int], _ box: LogBox
  ) throws -> RowDelta? {
    let entity = box.log.entity.entity
    let most = limit - box.log.entries.count
    let known = deltas.count(of: entity)
    let above = deltas.take(of: entity, columns: columns)
    if let known, known > most { return nil }
    if let above { return above }
    var collector = BoundedCollector(limit: most)
    try base.visit(request.selecting(columns, of: entity), &collector)
    return collector.isExceeded
      ? nil : RowDelta(of: entity, columns: columns, old: collector.rows)
  }

  package func savepoint(_ body: () throws -> Void) throws {
    let marks = logs.mapValues(\.log.mark)
    do {
      try base.savepoint(body)
    } catch {
      for (name, box) in logs { box.log.undo(to: marks[name]) }
      throw error
    }
  }

  /// Finds the rows that were written more than once and are as they were before the transaction;
  /// to be called right before the commit.
  ///
  /// Below level `attributes`, a log has no images to compare. The rows before the transaction are
  /// those of the newest commit.
  package func settle(in store: any Store) throws {
    var repeated: [String: [[StoredValue]]] = [:]
    for (name, box) in logs where box.log.level < .attributes && !box.log.isEverything {
      let log = box.log
      guard log.entries.count > 1, log.entries.contains(where: { $0.kind != .inserted }) else {
        continue
      }
      log.forEachRow { first, last, count in
        guard count > 1, first.kind != .inserted, last.kind != .deleted else { return }
        repeated[name, default: []].append(Array(log.key(last)))
      }
    }
    if repeated.isEmpty { return }
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    for (name, keys) in repeated {
      guard let box = logs[name] else { continue }
      let entity = box.log.entity.entity
      let columns = box.log.entity.allColumns
      func rows(_ reader: any StoreReader) throws -> [GroupKey: [StoredValue]] {
        Dictionary(
          try reader.values(of: entity, where: entity.key, in: keys, output: columns)
            .map { (GroupKey(Array($0.prefix(entity.key.count))), $0) },
          uniquingKeysWith: { first, _ in first })
      }
      let before = try rows(reader)
      let after = try rows(engine)
      let same = before.filter { key, old in
        guard let new = after[key] else { return false }
        return zip(old, new).allSatisfy { $0.isIdentical(to: $1) }
      }
      box.log.unchangedKeys = Set(same.keys)
    }
  }

  /// The logs of the entities that changed.
  package var recorded: [RowLog] {
    logs.values.map(\.log).filter { $0.isEverything || !$0.entries.isEmpty }
  }
}
