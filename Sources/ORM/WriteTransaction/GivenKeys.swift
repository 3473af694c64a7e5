internal import ORMCore

extension GivenKeys {
  /// Gives an object its key.
  mutating func give<Model: PrimaryKeyed>(_ key: Model.ID, to object: Model) {
    var object = object
    let before = object.id
    object.id = key
    note { if object.id == key { object.id = before } }
  }
}

extension WriteTransaction {
  /// Gives objects of a class model that had no key yet the keys that they were stored with.
  ///
  /// A write changes no other property of the program's objects.
  func give<Model: PrimaryKeyed>(
    _ keys: [Model.ID], to objects: [Model], plan: ModelPlan<Model>
  ) throws {
    guard plan.isClass, plan.givesKeys else { return }
    for (key, object) in zip(keys, objects) where try plan.hasNoKey(object) {
      givenKeys.give(key, to: object)
    }
  }

  /// Gives an object the key of the row that it became.
  func give<Model: PrimaryKeyed>(_ key: [StoredValue], to object: Model) throws {
    givenKeys.give(try Model.ID(keyValues: key), to: object)
  }
}

extension ModelPlan where Model: PrimaryKeyed {
  /// Returns whether a model's key stands for "not given yet".
  func hasNoKey(_ model: Model) throws -> Bool {
    try givesKeys && keySource.isUnassigned(model.id.keyValues())
  }
}

/// The objects of a batch of a class model, each once.
struct DistinctObjects<Model: PrimaryKeyed> {
  /// The objects, in the order of their first positions.
  private(set) var objects: [Model] = []
  /// The index among `objects` for each position of the batch.
  private var indexes: [Int] = []

  /// Finds the distinct objects; nil unless an object without a key occurs twice, which is one row.
  init?(_ models: [Model], plan: ModelPlan<Model>) throws {
    guard plan.isClass, plan.givesKeys else { return nil }
    var known: [ObjectIdentifier: Int] = [:]
    for model in models {
      let object = ObjectIdentifier(model as AnyObject)
      if let index = known[object], try plan.hasNoKey(model) {
        indexes.append(index)
      } else {
        known[object] = objects.count
        indexes.append(objects.count)
        objects.append(model)
      }
    }
    if objects.count == models.count { return nil }
  }

  /// The result for the batch: objects that are there again count as updates of their rows.
  func whole(_ result: SaveResult<Model>) -> SaveResult<Model> {
    var counts = result.counts
    counts.updated += indexes.count - objects.count
    return SaveResult(counts: counts, keys: indexes.map { result.keys[$0] })
  }
}
