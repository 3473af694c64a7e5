internal import ORMCore

extension SessionShape {
  /// Returns a model with some units of another.
  ///
  /// - Throws: the error of the model's row initializer.
  func model(_ target: Model, taking numbers: [Int], from source: Model) throws -> Model {
    if numbers.isEmpty { return target }
    var row = try BufferedRow(encoding: target).values
    let others = try BufferedRow(encoding: source).values
    for number in numbers where units[number].end == nil {
      for position in units[number].positions { row[position] = others[position] }
    }
    var models = [try Model(row: BufferedRow(row))]
    let taken = Set(numbers.compactMap { units[$0].end?.declaration.name })
    for end in ends {
      end.copy(
        from: [taken.contains(end.declaration.name) ? source : target], to: &models,
        keepsSet: false)
    }
    return models[0]
  }

  /// Returns a model with the links of another, but for those of some units.
  func model(_ target: Model, takingLinksOf source: Model, but numbers: [Int]) -> Model {
    if ends.isEmpty { return target }
    let numbered = Set(numbers.compactMap { units[$0].end?.declaration.name })
    var models = [copy(target)]
    for end in ends where !numbered.contains(end.declaration.name) {
      end.copy(from: [source], to: &models, keepsSet: false)
    }
    return models[0]
  }

  /// Returns a model with values of a row instead of its own.
  func model(_ target: Model, setting values: [Int: StoredValue]) throws -> Model {
    if values.isEmpty { return target }
    var row = try BufferedRow(encoding: target).values
    for (position, value) in values { row[position] = value }
    var models = [try Model(row: BufferedRow(row))]
    for end in ends { end.copy(from: [target], to: &models, keepsSet: false) }
    return models[0]
  }

  /// Returns a model with the managed and derived attributes of another.
  func model(_ target: Model, keepingOwnedOf source: Model) -> Model {
    if owned.isEmpty { return target }
    let old = row(of: source)
    let new = row(of: target)
    guard old.isComplete, new.isComplete else { return target }
    let differing = owned.filter { !old.values[$0].isIdentical(to: new.values[$0]) }
    let values = Dictionary(uniqueKeysWithValues: differing.map { ($0, old.values[$0]) })
    return (try? model(target, setting: values)) ?? target
  }

  /// Gives a row that was read the links of an earlier reading, as far as it says nothing else.
  func keepLinks(of old: Model, in new: inout Model) {
    if ends.isEmpty { return }
    var models = [new]
    for end in ends where isUnchanged(end, old, new) {
      end.copy(from: [old], to: &models, keepsSet: false)
    }
    new = models[0]
  }

  private func isUnchanged<End: RelationshipEnd>(_ end: End, _ old: End.Model, _ new: End.Model)
    -> Bool
  {
    if end.change(of: old) != nil || end.steps(of: old) != nil { return false }
    if end.isUnknown(of: new) { return !end.isUnknown(of: old) }
    return end.graph(of: new) == nil && SessionLinks(end, of: old) == SessionLinks(end, of: new)
  }

  /// Returns another object of a class model, or the model itself.
  func copy(_ model: Model) -> Model {
    Model.isClass ? (try? model.duplicate()) ?? model : model
  }
}
