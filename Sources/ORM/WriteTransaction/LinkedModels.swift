internal import ORMCore

/// Objects whose links are keys in their own rows, or say nothing: they are put as they are, without
/// a graph.
///
/// Links that the object's row does not hold, objects as targets, and one-to-ones, which move, need a
/// graph; so are links that were fetched where the row may be stored, since they leave the stored links
/// alone.
struct LinkedModels<Model: Persistable> {
  private let plan: ModelPlan<Model>
  private let layout: LinkLayout
  private let number: Int
  private let demand: GraphNode.Demand
  /// The objects that were given their keys just now.
  private let keyed: Set<Int>
  private let models: [Model]
  /// For each object, its key and the keys that it links to, by column; null elsewhere.
  private var rows: [[StoredValue]]

  /// Reads the links of objects; nil if one of them must be saved as a graph.
  ///
  /// - Parameters:
  ///   - keys: the key of each object; empty for a model without one.
  ///   - keyed: the objects that were given their keys just now, so that they are new.
  ///   - demand: the requirement that the objects' rows must meet.
  init?(
    _ models: [Model], keys: [[StoredValue]], keyed: Set<Int> = [], demand: GraphNode.Demand,
    plan: ModelPlan<Model>, store: any Store
  ) throws {
    self.models = models
    self.keyed = keyed
    self.plan = plan
    self.demand = demand
    layout = try store.linkLayout()
    number = try layout.number(of: plan.entity.modelName)
    let empty = Array(repeating: StoredValue.null, count: plan.entity.columns.count)
    rows = Array(repeating: empty, count: models.count)
    for row in rows.indices {
      let key = keys.isEmpty ? [.int(0)] : keys[row]
      for (column, value) in zip(plan.entity.key, key) {
        rows[row][column] = value.normalized(for: plan.entity.columns[column])
      }
    }
    for end in Model.entity.relationships where try !take(end) { return nil }
  }

  /// Takes in one relationship of every object; false where it is for a graph.
  private mutating func take<End: RelationshipEnd<Model>>(_ end: End) throws -> Bool {
    guard case .referrer(let number) = try layout.end(end.declaration.name, of: number) else {
      let rule = plan.entity.relationship(named: end.declaration.name)?.deleteRule
      return models.indices.allSatisfy { row in
        switch end.state(of: models[row]) {
        case .nothing: true
        case .key(let id):
          // Nothing is cleared of a new row, unless links were left to its key (clause 2.9).
          id == nil && isNew(row) && (rule != .noAction || key(of: row).isEmpty)
        case .objects: false
        }
      }
    }
    let slot = layout.slots[number]
    // New objects may lead to each other in a circle, which a graph refuses.
    if slot.isRequired, slot.owner == self.number { return false }
    for row in models.indices {
      let target: End.Target.ID?
      switch end.state(of: models[row]) {
      case .key(let id): target = id
      case .nothing(let id):
        // A link as it was fetched counts in a new row alone.
        guard isNew(row) else { return false }
        target = id
      case .objects: return false
      }
      guard let target else {
        // A graph refuses it.
        if slot.isRequired { return false }
        continue
      }
      if slot.isOne { return false }
      for (column, value) in zip(slot.columns, try target.keyValues()) {
        rows[row][column] = value.normalized(for: plan.entity.columns[column])
      }
    }
    return true
  }

  /// Returns whether the row of an object is certain not to be stored.
  private func isNew(_ row: Int) -> Bool {
    demand == .new || keyed.contains(row) || key(of: row).isEmpty
  }

  /// The key of an object; empty where the store will give it.
  private func key(of row: Int) -> [StoredValue] {
    let key = plan.entity.key.map { rows[row][$0] }
    return plan.entity.awaitsKey(key) ? [] : key
  }

  /// Puts the objects as one operation.
  ///
  /// - Throws: as a graph's writer.
  func put(_ request: PutRequest, in transaction: WriteTransaction) throws -> OutcomeCounter {
    let columns = request.columns ?? Array(plan.entity.columns.indices)
    let rules = try transaction.store.relationshipRules().of(plan.entity)
    return try transaction.operation { transaction in
      let linked = LinkedPut(
        transaction: transaction, rules: rules, columns: columns, mode: request.mode)
      return try linked.run(rows) { failures in
        var source = try ModelSource(models, plan: plan)
        return try transaction.put(
          from: &source, request, entity: plan.entity, failures: failures)
      }
    }
  }

}

extension WriteTransaction {
  /// Puts a batch of objects with links without a graph, where their links allow it; nil where not.
  func putLinked<Model: PrimaryKeyed>(
    _ models: [Model], _ request: PutRequest, demand: GraphNode.Demand, plan: ModelPlan<Model>
  ) throws -> SaveResult<Model>? {
    let given = models
    var models = models
    var keyed: Set<Int> = []
    if plan.givesUUIDs {
      for index in models.indices where try assignUUID(to: &models[index], plan: plan) {
        keyed.insert(index)
      }
    }
    // Of two objects with one key a graph takes the later alone.
    var seen = KeyPositions(of: Model.self)
    var keys: [[StoredValue]] = []
    keys.reserveCapacity(models.count)
    for model in models {
      guard let key = try plan.hasLinkedKey ? try? model.id.keyValues() : model.id.keyValues()
      else {
        return nil
      }
      if !plan.entity.awaitsKey(key) {
        guard seen.insert(model.id, at: keys.count) == keys.count else { return nil }
      }
      keys.append(key)
    }
    let linked = try LinkedModels(
      models, keys: keys, keyed: keyed, demand: demand, plan: plan, store: store)
    guard let counter = try linked?.put(request, in: self) else { return nil }
    return try result(of: counter, for: given, putAs: models, plan: plan)
  }
}
