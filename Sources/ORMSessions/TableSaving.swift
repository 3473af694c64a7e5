internal import ORM
internal import ORMCore

/// A save of one model's objects while it runs.
final class TableSaving<Model: PrimaryKeyed>: TableRun {
  private let shape: SessionShape<Model>
  let changes: [ObjectSave<Model>]
  /// The objects to be written, each at the position of its change; nil for the others.
  private(set) var writes: [Model?] = []
  /// The positions of the objects to be written, in order.
  private var written: [Int] = []
  private(set) var deletes: [Int] = []
  /// The positions of the stored objects whose links are not written, in order.
  private var attributesOnly: [Int] = []
  /// The rows of the objects as they were when they were compared.
  private var compared: [Model?] = []
  /// The positions of the objects that no round has written.
  private var waiting: [Int] = []
  private var isFirstRound = true
  /// The objects of this round.
  private var round: [(position: Int, root: GraphRoot<Model>)] = []
  private var keys: [[StoredValue]]
  private var nodes: [(position: Int, node: Int)] = []

  init(_ shape: SessionShape<Model>, _ changes: [ObjectSave<Model>]) {
    self.shape = shape
    self.changes = changes
    keys = changes.map(\.key)
  }

  var hasWrites: Bool { !written.isEmpty }
  var hasDeletes: Bool { !deletes.isEmpty }
  var writesAttributesAlone: Bool { written.count == attributesOnly.count }

  func resolve(
    in transaction: ReadTransaction, _ policy: ConflictPolicy, compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    let stored = changes.indices.filter {
      changes[$0].kind == .update || changes[$0].kind == .delete
    }
    let ids = try stored.map { try Model.ID(keyValues: changes[$0].key) }
    let found = ids.isEmpty ? [] : try transaction.find(Model.self, each: ids)
    var rows: [Model?] = Array(repeating: nil, count: changes.count)
    for (position, row) in zip(stored, found) { rows[position] = row }
    return try resolve(rows, policy, compared)
  }

  /// Compares the objects with their rows, nil for those that are not stored.
  func resolve(
    _ rows: [Model?], _ policy: ConflictPolicy, _ compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    writes = Array(repeating: nil, count: changes.count)
    written = []
    deletes = []
    attributesOnly = []
    self.compared = rows
    var conflicts: [SessionConflict] = []
    let compared = compared[shape.entity] ?? []
    var check = StopCheck()
    for (position, change) in changes.enumerated() {
      try check.step()
      switch change.kind {
      case .insert, .insertWithoutKey, .restore: write(change.value, at: position)
      case .update, .delete:
        switch try shape.resolve(change, theirs: rows[position], policy, compared: compared) {
        case .nothing: break
        case .write(let model, let changesLinks):
          write(model, at: position)
          if !changesLinks, !shape.sharesRows { attributesOnly.append(position) }
        case .delete: deletes.append(position)
        case .conflict(let conflict): conflicts.append(conflict)
        }
      }
    }
    return conflicts
  }

  private func write(_ model: Model, at position: Int) {
    writes[position] = model
    written.append(position)
  }

  func updateAttributes(in transaction: WriteTransaction) throws {
    if attributesOnly.isEmpty { return }
    try transaction.update(attributesOnly.compactMap { writes[$0] }.map { shape.copy($0) })
  }

  func restores(in transaction: WriteTransaction) throws -> [(StoredEntity, FetchRequest)] {
    let keys = changes.filter { $0.kind == .restore }.map(\.key)
    if keys.isEmpty { return [] }
    let plan = try transaction.plan(of: Model.self)
    return try keys.map { (plan.entity, try plan.hidden($0)) }
  }

  // MARK: - Rounds

  func beginRounds() {
    waiting = written
    isFirstRound = true
  }

  func nextRound(
    in transaction: WriteTransaction, _ written: inout Set<GroupKey>
  ) throws -> Bool {
    round = []
    if waiting.isEmpty { return false }
    let schema = transaction.store.schema
    let root = schema.root(of: try transaction.plan(of: Model.self).entity)
    var left: [Int] = []
    var check = StopCheck()
    for position in waiting {
      try check.step()
      let change = changes[position]
      let row = GroupKey([.string(root.name)] + change.key)
      if root.subentities.isEmpty || change.kind == .insertWithoutKey
        || written.insert(row).inserted
      {
        guard let root = try graphRoot(at: position, in: transaction) else { continue }
        round.append((position, root))
      } else {
        left.append(position)
      }
    }
    isFirstRound = false
    waiting = left
    return true
  }

  /// The object to be written; nil if its row needs no write.
  private func graphRoot(
    at position: Int, in transaction: WriteTransaction
  ) throws -> GraphRoot<Model>? {
    guard let model = writes[position] else { return nil }
    let change = changes[position]
    switch change.kind {
    case .insert: return GraphRoot(shape.copy(model), demand: .new)
    case .insertWithoutKey:
      var root = shape.copy(model)
      root.id = try Model.ID(keyValues: [.int(0)])
      return GraphRoot(root, demand: .new)
    case .restore:
      guard let row = try transaction.find(Model.self, Model.ID(keyValues: change.key)) else {
        let cleared = shape.deletedAt.map { [$0: StoredValue.null] } ?? [:]
        return GraphRoot(try shape.model(shape.copy(model), setting: cleared), demand: .new)
      }
      return try merged(model, into: row, shape.difference(change.base, model))
    case .update, .delete:
      guard !isFirstRound, let old = compared[position] else {
        return GraphRoot(shape.copy(model), demand: .stored)
      }
      guard let row = try transaction.find(Model.self, Model.ID(keyValues: change.key)) else {
        return nil
      }
      let numbers = shape.difference(old, model)
      try checkOtherHandle(old: old, row: row, model: model, numbers, change.key)
      return try merged(model, into: row, numbers)
    }
  }

  private func merged(
    _ model: Model, into row: Model, _ numbers: [Int]
  ) throws -> GraphRoot<Model>? {
    let merged = try shape.model(row, taking: numbers, from: model)
    return shape.difference(row, merged).isEmpty ? nil : GraphRoot(merged, demand: .stored)
  }

  /// - Throws: `conflictingLinks` if another handle of the row gave an attribute another value.
  private func checkOtherHandle(
    old: Model, row: Model, model: Model, _ numbers: [Int], _ key: [StoredValue]
  ) throws {
    let (old, now, mine) = (
      shape.row(of: old).values, shape.row(of: row).values, shape.row(of: model).values
    )
    let positions = numbers.flatMap { shape.units[$0].positions }.filter {
      !old[$0].isIdentical(to: now[$0]) && !now[$0].isIdentical(to: mine[$0])
    }
    if positions.isEmpty { return }
    throw StoreError(
      .conflictingLinks, "two handles of this row have different values; change one of them",
      entity: shape.entity, key: key, attributes: positions.map { shape.names[$0] })
  }

  func addRoots(to graph: ObjectGraph, in transaction: WriteTransaction) throws {
    nodes = []
    if round.isEmpty { return }
    _ = try transaction.plan(of: Model.self)
    let numbers = try graph.addRoots(round.map(\.root))
    let table = graph.rows.table(try graph.rows.number(of: Model.self))
    for ((position, _), node) in zip(round, numbers) {
      nodes.append((position, node))
      // The key comes from the store, or from another object that gets its key now.
      if table.nodes[node].key.isEmpty {
        table.alias(changes[position].key, of: node)
      }
    }
  }

  func takeKeys(from graph: RowGraph) {
    guard let number = try? graph.number(of: Model.self) else { return }
    let table = graph.table(number)
    for (position, node) in nodes { keys[position] = table.nodes[node].key }
  }

  func deletedKeys(in transaction: WriteTransaction) throws -> (StoredEntity, [[StoredValue]]) {
    let plan = try transaction.plan(of: Model.self)
    return (plan.entity, try deletes.map { try plan.storedKey(changes[$0].key) })
  }

  func brokenRules() -> [StoreError] {
    written.flatMap { position -> [StoreError] in
      do {
        try writes[position]?.validate()
        return []
      } catch let error as StoreError where error.code == .validationFailed {
        return error.failures
      } catch {
        return []
      }
    }
  }

  func outcome(
    in transaction: WriteTransaction, areKnown: Bool
  ) throws -> any Sendable {
    let plan = try transaction.plan(of: Model.self)
    if areKnown, !plan.isChangedByWrites, !plan.hasLoadHook {
      let rows = try changes.indices.map { position -> Model? in
        guard let model = writes[position] else { return compared[position] }
        return plan.isNormalizing ? try model.asStored() : model
      }
      return SavedRows(rows: rows, keys: keys)
    }
    let ids = try keys.map { try Model.ID(keyValues: $0) }
    var rows = try transaction.find(Model.self, each: ids)
    // Another object may have the key of one that was deleted.
    for position in deletes { rows[position] = nil }
    // Links that the session knew and changed are read again.
    var waiting: [[String]: [Int]] = [:]
    for (position, change) in changes.enumerated()
    where rows[position] != nil && change.kind != .delete {
      if !change.loads.isEmpty { waiting[change.loads, default: []].append(position) }
    }
    for (names, positions) in waiting {
      let tree = PrefetchTree(names.map { PrefetchTree.Branch(relationship: $0) })
      let loaded = try transaction.prefetching(
        tree, of: positions.compactMap { rows[$0] }, reader: transaction.live())
      for (position, row) in zip(positions, loaded) { rows[position] = row }
    }
    return SavedRows(rows: rows, keys: keys)
  }
}
