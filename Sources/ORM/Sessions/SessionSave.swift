internal import ORMCore

/// One object as a session saves it.
struct ObjectSave<Model: PrimaryKeyed>: Sendable {
  enum Kind {
    case insert
    /// The store gives the key.
    case insertWithoutKey
    case update
    case delete
  }

  let kind: Kind
  let base: Model
  let value: Model
  /// The key, temporary for an object without one.
  let key: [StoredValue]
}

/// The changes of one model's objects, as values that any thread may have.
protocol TableSave: Sendable {
  func begin() -> any TableRun
}

/// The rows that a save left.
protocol TableOutcome: Sendable {}

/// A save of one model's objects while it runs.
protocol TableRun: AnyObject {
  /// Compares the objects with their rows, and finds what is to be written.
  func resolve(
    in transaction: ReadTransaction, _ policy: ConflictPolicy, compared: [String: Set<String>]
  ) throws -> [SessionConflict]
  var hasWrites: Bool { get }
  var hasDeletes: Bool { get }
  func addRoots(to graph: ObjectGraph, in transaction: WriteTransaction) throws
  func takeKeys(from graph: ObjectGraph)
  func delete(in transaction: WriteTransaction) throws
  /// The rules that the objects break by themselves.
  func brokenRules() -> [StoreError]
  func outcome(in transaction: WriteTransaction) throws -> any TableOutcome
}

struct TablePlan<Model: PrimaryKeyed>: TableSave {
  let shape: SessionShape<Model>
  let changes: [ObjectSave<Model>]

  func begin() -> any TableRun { TableSaving(self) }
}

/// The rows of one model's objects after a save, nil for those that are gone, and their keys.
struct SavedRows<Model: PrimaryKeyed>: TableOutcome {
  var rows: [Model?]
  var keys: [[StoredValue]]
}

final class TableSaving<Model: PrimaryKeyed>: TableRun {
  private let shape: SessionShape<Model>
  let changes: [ObjectSave<Model>]
  /// The objects to be written, by their positions among the changes.
  private(set) var writes: [Int: Model] = [:]
  private(set) var deletes: [Int] = []
  private var keys: [[StoredValue]]
  private var nodes: [(position: Int, node: Int)] = []

  init(_ plan: TablePlan<Model>) {
    shape = plan.shape
    changes = plan.changes
    keys = changes.map(\.key)
  }

  var hasWrites: Bool { !writes.isEmpty }
  var hasDeletes: Bool { !deletes.isEmpty }

  func resolve(
    in transaction: ReadTransaction, _ policy: ConflictPolicy, compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    let stored = changes.indices.filter {
      changes[$0].kind == .update || changes[$0].kind == .delete
    }
    let ids = try stored.map { try Model.ID(keyValues: changes[$0].key) }
    let rows = ids.isEmpty ? [] : try transaction.find(Model.self, each: ids)
    return try resolve(Dictionary(uniqueKeysWithValues: zip(stored, rows)), policy, compared)
  }

  /// Compares the objects with the rows of those that are stored.
  func resolve(
    _ rows: [Int: Model?], _ policy: ConflictPolicy, _ compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    writes = [:]
    deletes = []
    var conflicts: [SessionConflict] = []
    let compared = compared[shape.entity] ?? []
    for (position, change) in changes.enumerated() {
      switch change.kind {
      case .insert, .insertWithoutKey: writes[position] = change.value
      case .update, .delete:
        let mine = change.kind == .delete ? nil : change.value
        let row = rows[position] ?? nil
        switch try shape.resolve(
          base: change.base, mine: mine, theirs: row, policy, compared: compared)
        {
        case .nothing: break
        case .write(let model): writes[position] = model
        case .delete: deletes.append(position)
        case .conflict(let conflict): conflicts.append(conflict)
        }
      }
    }
    return conflicts
  }

  func addRoots(to graph: ObjectGraph, in transaction: WriteTransaction) throws {
    nodes = []
    if writes.isEmpty { return }
    _ = try transaction.plan(of: Model.self)
    let positions = writes.keys.sorted()
    var roots: [GraphRoot<Model>] = []
    for position in positions {
      guard let model = writes[position] else { continue }
      var root = shape.copy(model)
      switch changes[position].kind {
      case .update, .delete: roots.append(GraphRoot(root, demand: .stored))
      case .insert: roots.append(GraphRoot(root, demand: .new))
      case .insertWithoutKey:
        root.id = try Model.ID(keyValues: [.int(0)])
        roots.append(GraphRoot(root, demand: .new))
      }
    }
    let numbers = try graph.addRoots(roots)
    let table = graph.table(try graph.number(of: Model.self))
    for (position, node) in zip(positions, numbers) {
      nodes.append((position, node))
      if changes[position].kind == .insertWithoutKey {
        table.alias(changes[position].key, of: node)
      }
    }
  }

  func takeKeys(from graph: ObjectGraph) {
    guard let number = try? graph.number(of: Model.self) else { return }
    let table = graph.table(number)
    for (position, node) in nodes { keys[position] = table.nodes[node].key }
  }

  func delete(in transaction: WriteTransaction) throws {
    if deletes.isEmpty { return }
    _ = try transaction.delete(
      Model.self, ids: deletes.map { try Model.ID(keyValues: changes[$0].key) })
  }

  func brokenRules() -> [StoreError] {
    writes.keys.sorted().flatMap { position -> [StoreError] in
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

  func outcome(in transaction: WriteTransaction) throws -> any TableOutcome {
    let ids = try keys.map { try Model.ID(keyValues: $0) }
    var rows = try transaction.find(Model.self, each: ids)
    // Another object may have the key of one that was deleted.
    for position in deletes { rows[position] = nil }
    // Links that the session knew and changed are read again.
    var waiting: [[String]: [Int]] = [:]
    for (position, change) in changes.enumerated()
    where rows[position] != nil && change.kind != .delete {
      let names = shape.ends.filter { isKnownChange($0, change.value) }.map(\.declaration.name)
      if !names.isEmpty { waiting[names, default: []].append(position) }
    }
    for (names, positions) in waiting {
      let tree = PrefetchTree(names.map { PrefetchTree.Branch(relationship: $0) })
      let loaded = try transaction.prefetching(
        tree, of: positions.compactMap { rows[$0] }, reader: transaction.live())
      for (position, row) in zip(positions, loaded) { rows[position] = row }
    }
    return SavedRows(rows: rows, keys: keys)
  }

  private func isKnownChange<End: RelationshipEnd>(_ end: End, _ model: End.Model) -> Bool {
    guard end.change(of: model) != nil || end.steps(of: model) != nil else { return false }
    return end.declaration.isToMany ? end.ids(of: model) != nil : end.targets(of: model) != nil
  }
}

/// The changes of a session, as values that any thread may have.
struct SessionChanges: Sendable {
  let tables: [any TableSave]
  let policy: ConflictPolicy
  let compared: [String: Set<String>]
}

/// The result of a save: the rows of each table, and the newest commit before it.
struct SessionOutcome: Sendable {
  let tables: [any TableOutcome]
  let number: UInt64
}

extension WriteTransaction {
  /// Saves the changes of a session as one operation.
  func save(_ changes: SessionChanges) throws -> SessionOutcome {
    let number = store.runtime.transactions.notices.newest
    let runs = changes.tables.map { $0.begin() }
    let conflicts = try runs.flatMap {
      try $0.resolve(in: self, changes.policy, compared: changes.compared)
    }
    if !conflicts.isEmpty { throw StoreError(conflicts: conflicts) }
    if runs.contains(where: { $0.hasWrites || $0.hasDeletes }) {
      do {
        try savepoint { transaction in
          try transaction.write(runs)
          for run in runs { try run.delete(in: transaction) }
        }
      } catch let error as StoreError
        where error.code == .duplicate && runs.contains(where: { $0.hasDeletes })
      {
        // A row that is deleted may hold the value that another takes.
        try savepoint { transaction in
          for run in runs { try run.delete(in: transaction) }
          try transaction.write(runs)
        }
      }
    }
    return SessionOutcome(tables: try runs.map { try $0.outcome(in: self) }, number: number)
  }

  private func write(_ runs: [any TableRun]) throws {
    guard runs.contains(where: { $0.hasWrites }), let entity = store.schema.entities.first else {
      return
    }
    let policy = GraphPolicy.replacing(entity)
    let graph = ObjectGraph(layout: try store.linkLayout(), policy: policy)
    for run in runs { try run.addRoots(to: graph, in: self) }
    try graph.collect()
    do {
      try GraphWriter(self, graph, policy: policy).write()
    } catch var error as StoreError where error.code == .validationFailed {
      // A put reports the first object that breaks rules: the others are reported as well.
      let all = runs.flatMap { $0.brokenRules() }
      error.failures =
        all
        + error.failures.filter { fault in
          !all.contains { $0.isSameFault(as: fault) }
        }
      throw error
    }
    try giveKeys(of: graph)
    for run in runs { run.takeKeys(from: graph) }
  }
}

extension StoreError {
  /// Returns whether a fault of an object is one that its put reported, maybe without its key.
  fileprivate func isSameFault(as reported: StoreError) -> Bool {
    entity == reported.entity && attributes == reported.attributes && rule == reported.rule
      && (key == reported.key || reported.key.isEmpty || reported.key == [.int(0)])
  }
}
