internal import ORMCore

extension MigrationPlan {
  /// Returns a plan that leads back from a version to an earlier one, by the inverse of each step in
  /// the opposite order.
  ///
  /// ```swift
  /// var options = StoreOptions()
  /// options.schemaPolicy = .migrate(try plan.inverse(from: 3, to: 2))
  /// let former = try Schema(Snack.self, version: 2)
  /// let store = try SQLiteStore(path: "app.sqlite", schema: former, options: options)
  /// ```
  ///
  /// The program declares the schema of the earlier version: its former models, or a frozen schema.
  /// Entities and attributes that came without a step stay in the store, as any that a program does
  /// not declare.
  ///
  /// Renames are undone by renames, `addAttribute` by a drop, `makeOptional` and `makeRequired` by each
  /// other, `split` by `fold`, `moveLinks` by itself, and a value that is set in an attribute that the
  /// same plan adds by the drop. Other steps are undone by the steps that
  /// ``MigrationStep/undone(by:)`` names.
  ///
  /// - Throws: `irreversible`, naming version and step, where nothing leads back, as from a drop;
  ///   `invalidPlan` for versions that are not in order.
  public func inverse(from: Int, to: Int) throws -> MigrationPlan {
    try checkNumbers()
    guard from > to, to >= 1, !leadsBack else {
      throw StoreError(
        .invalidPlan,
        "a plan leads back from a version to an earlier one that is 1 or more, and not from "
          + "\(from) to \(to)")
    }
    var added = AddedAttributes()
    var undone: [MigrationVersion] = []
    for version in versions where version.number > to && version.number <= from {
      var steps: [[MigrationStep]] = []
      for (number, step) in version.steps.enumerated() {
        guard let inverse = step.undo ?? step.action.inverse ?? added.inverse(of: step.action)
        else {
          throw StoreError(
            .irreversible,
            "version \(version.number), step \(number + 1) (\(step)): \(step.action.obstacle)")
        }
        added.note(step.action)
        steps.append(inverse)
      }
      undone.append(.version(version.number - 1, steps.reversed().flatMap { $0 }))
    }
    undone.reverse()
    if undone.last?.number != to { undone.append(.version(to, [])) }
    var plan = MigrationPlan(undone)
    plan.startVersion = from
    return plan
  }

  /// Throws `invalidPlan` unless the versions are in order.
  func checkNumbers() throws {
    let numbers = versions.map(\.number)
    if let startVersion {
      guard zip([startVersion] + numbers, numbers).allSatisfy(>), numbers.allSatisfy({ $0 >= 0 })
      else {
        throw StoreError(
          .invalidPlan,
          "the versions of a plan that leads back are numbers from 0, each less than the one before"
        )
      }
    } else if !numbers.allSatisfy({ $0 > 0 }) || !zip(numbers, numbers.dropFirst()).allSatisfy(<) {
      throw StoreError(
        .invalidPlan, "the versions of a plan are numbers from 1, each greater than the one before")
    }
  }

  /// The versions of a plan that leads back whose steps a store of version `begin` needs.
  func versions(back begin: Int, to end: Int, start: Int) throws -> [MigrationVersion] {
    if begin <= end { return [] }
    if begin > start {
      throw StoreError(
        .schemaTooNew, "the store has version \(begin), and the plan leads back from \(start)")
    }
    guard versions.contains(where: { $0.number == end }) else {
      throw StoreError(
        .invalidPlan,
        "the plan leads back to version \(versions.last?.number ?? 0), and the program has version "
          + "\(end)")
    }
    return versions.filter { $0.number < begin && $0.number >= end }
  }
}

/// The attributes that the steps so far have added, by their names now: dropping them undoes what was
/// set in them.
private struct AddedAttributes {
  private var names: [String: Set<String>] = [:]

  /// Returns no steps for an action that sets an added attribute, and nil for any other.
  func inverse(of action: MigrationAction) -> [MigrationStep]? {
    switch action {
    case .set(let name, let entity, _, _, _), .fill(let name, let entity, _):
      names[entity]?.contains(name) == true ? [] : nil
    default: nil
    }
  }

  /// Follows the names of added attributes through a step.
  mutating func note(_ action: MigrationAction) {
    switch action {
    case .addAttribute(let name, _, let entity, _): names[entity, default: []].insert(name)
    case .renameAttribute(let name, let new, let entity):
      if names[entity]?.remove(name) != nil { names[entity]?.insert(new) }
    case .renameEntity(let name, let new): names[new] = names.removeValue(forKey: name)
    case .dropAttributes(let dropped, let entity): names[entity]?.subtract(dropped)
    case .dropEntity(let name): names[name] = nil
    default: break
    }
  }
}

extension MigrationAction {
  /// The steps that lead back, in the names after the step; nil if there are none.
  var inverse: [MigrationStep]? {
    switch self {
    case .renameEntity(let name, let new): [.renameEntity(new, to: name)]
    case .renameAttribute(let name, let new, let entity):
      [.renameAttribute(new, to: name, in: entity)]
    case .renameRelationship(let name, let new, let entity):
      [.renameRelationship(new, to: name, in: entity)]
    case .addAttribute(let name, _, let entity, _): [.dropAttributes([name], in: entity)]
    case .makeOptional(let name, let entity): [.makeRequired(name, in: entity)]
    case .makeRequired(let name, let entity, _): [.makeOptional(name, in: entity)]
    case .check: []
    case .moveLinks(let name, let entity, let surplus):
      surplus == .throw ? [.moveLinks(of: name, in: entity)] : nil
    case .split(let split):
      [
        MigrationStep(
          .fold(
            fold: EntityFold(
              link: split.link, entity: split.entity, prefix: "", names: split.names)))
      ]
    case .move(let move):
      [.move(move.name, from: move.to, to: move.from, through: move.link)]
    case .dropEntity, .dropAttributes, .dropRelationship, .changeType, .set, .rows, .run, .fill,
      .removeDuplicates, .changeKey, .fold:
      nil
    }
  }

  /// The reason why nothing leads back, and the advice.
  fileprivate var obstacle: String {
    switch self {
    case .dropEntity, .dropAttributes, .dropRelationship, .removeDuplicates:
      "dropped data are not kept; restore the backup from before the migration, or name what undoes "
        + "the step: undone(by:)"
    default: "nothing leads back; name what undoes the step: undone(by:)"
    }
  }
}
