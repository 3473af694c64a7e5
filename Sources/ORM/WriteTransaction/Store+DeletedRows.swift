internal import ORMCore

extension Store {
  /// The number of rows that deleting, purging or restoring `count` rows of a model changes at most,
  /// for sharing a commit; without a bound where a delete rule changes rows that lead there.
  func rows<Model: Persistable>(deleting count: Int, of model: Model.Type) -> Int {
    // An operation on an entity that is not declared throws where it runs.
    guard let entity = schema.entity(named: Model.entity.description.name),
      let rules = try? relationshipRules()
    else { return count }
    let changesOthers = rules.of(schema.root(of: entity)).links.contains { $0.rule != .deny }
    return changesOthers ? .max : count
  }
}
