public import ORMStorage

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
  /// other, `split` by `fold`, and `moveLinks` and `move` by themselves. `disinherit` and an `inherit`
  /// that keeps keys undo each other. A value that is set in an attribute that the same plan adds is
  /// undone by the drop. Other steps are undone by the steps that ``MigrationStep/undone(by:)`` names.
  ///
  /// - Throws: `irreversible`, naming version and step, where nothing leads back, as from a drop;
  ///   `invalidPlan` for versions that are not in order.
  public func inverse(from: Int, to: Int) throws -> MigrationPlan {
    try checkInverse(from: from, to: to)
    return try inverse(
      from: from, to: to, versions.filter { $0.number > to && $0.number <= from }.map { ($0, []) })
  }

  /// Returns a plan that leads back to the schema of an earlier version, where more steps have an inverse
  /// than without the schema.
  ///
  /// ```swift
  /// let former = try Schema(Snack.self, version: 2)
  /// var options = StoreOptions()
  /// options.schemaPolicy = .migrate(try plan.inverse(from: 3, to: former.stored))
  /// let store = try SQLiteStore(path: "app.sqlite", schema: former, options: options)
  /// ```
  ///
  /// Beside the steps of ``inverse(from:to:)-(Int,Int)``, `changeType` is undone by itself if each value
  /// of the old type has its own in the new one, as integers have in texts. `changeKey` is undone by
  /// itself as long as the old key is there.
  ///
  /// - Parameters:
  ///   - from: the version that a store has.
  ///   - former: the schema of the earlier version.
  /// - Throws: as ``inverse(from:to:)-(Int,Int)``, and `invalidPlan` for a schema without a version or
  ///   one that the steps do not fit.
  public func inverse(from: Int, to former: StoredSchema) throws -> MigrationPlan {
    let to = former.version ?? 0
    try checkInverse(from: from, to: to)
    let outline = try MigrationOutline(
      versions.filter { $0.number > to && $0.number <= from }, from: former)
    return try inverse(
      from: from, to: to, outline.versions.map { ($0.version, $0.steps.map(\.inverse)) })
  }

  /// Makes a plan that leads back, of versions with the inverses that are known of their steps.
  private func inverse(
    from: Int, to: Int, _ versions: [(MigrationVersion, [[MigrationStep]?])]
  ) throws -> MigrationPlan {
    var added = AddedAttributes()
    var undone: [MigrationVersion] = []
    for (version, known) in versions {
      var steps: [[MigrationStep]] = []
      for (number, step) in version.steps.enumerated() {
        let found = known.isEmpty ? nil : known[number]
        guard
          let inverse = step.undo ?? found ?? step.action.inverse
            ?? added.inverse(of: step.action)
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

  /// Throws `invalidPlan` unless the plan leads from one version to the other.
  private func checkInverse(from: Int, to: Int) throws {
    try checkNumbers()
    guard from > to, to >= 1, !leadsBack else {
      throw StoreError(
        .invalidPlan,
        "a plan leads back from a version to an earlier one that is 1 or more, and not from "
          + "\(from) to \(to)")
    }
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

/// The attributes that the steps so far have added, by their names now: dropping them undoes the steps
/// that set them.
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
    case .renameAttribute(let name, let new, let entity, _):
      if names[entity]?.remove(name) != nil { names[entity]?.insert(new) }
    case .renameEntity(let name, let new, _): names[new] = names.removeValue(forKey: name)
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
    case .renameEntity(let name, let new, _): [.renameEntity(new, to: name)]
    case .renameAttribute(let name, let new, let entity, _):
      [.renameAttribute(new, to: name, in: entity)]
    case .renameRelationship(let name, let new, let entity, _):
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
    case .inherit(let step):
      step.keepsKeys ? [.disinherit(step.entity, from: step.parent)] : nil
    case .disinherit(let entity, let parent):
      [.inherit(entity, from: parent, keepingKeys: true)]
    case .dropEntity, .dropAttributes, .dropRelationship, .changeType, .set, .rows, .run, .fill,
      .removeDuplicates, .changeKey, .fold, .merge, .sql:
      nil
    }
  }

  /// The steps that lead back from a step whose schema before is known; nil if there are none.
  func inverse(in draft: SchemaDraft) throws -> [MigrationStep]? {
    switch self {
    case .changeType(let name, let type, let entity, let mapping, .throw):
      let stored = try draft.entity(entity)
      guard mapping.isExact || mapping.isText,
        let old = stored.column(ofAttribute: name).map({ stored.columns[$0].type }),
        old.keepsValues(in: type)
      else { return nil }
      return [.changeType(of: name, to: old, in: entity)]
    case .changeKey(let entity, _, _):
      let stored = try draft.entity(entity)
      if stored.keySource == .hidden { return nil }
      return [
        .changeKey(
          of: entity, to: stored.keyAttributes, isGenerated: stored.keySource == .generated)
      ]
    default: return inverse
    }
  }

  /// The reason why nothing leads back, and the advice.
  fileprivate var obstacle: String {
    switch self {
    case .dropEntity, .dropAttributes, .dropRelationship, .removeDuplicates:
      "dropped data are not stored; restore the backup from before the migration, or name what undoes "
        + "the step: undone(by:)"
    default: "nothing leads back; name what undoes the step: undone(by:)"
    }
  }
}

extension AttributeType {
  /// Returns whether every value has one of its own in another type, from which it is read back.
  fileprivate func keepsValues(in other: AttributeType) -> Bool {
    if self == other { return true }
    switch (self, other) {
    case (.int8, _), (.int16, _), (.int32, _), (.uint8, _), (.uint16, _), (.uint32, _):
      return other.isInteger || [.double, .decimal, .string].contains(other)
    case (.int64, _), (.uint64, _): return other.isInteger || [.decimal, .string].contains(other)
    case (.bool, _): return other.isInteger
    case (.float, .double), (.uuid, .string): return true
    default: return false
    }
  }

  private var isInteger: Bool { kind == .int || kind == .unsigned }
}
