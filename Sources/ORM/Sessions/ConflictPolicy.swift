public import ORMCore

/// The rule by which a save of a session treats objects that others have changed meanwhile.
///
/// ```swift
/// let session = Session(store)
/// session.conflictPolicy = .merge()
/// ```
///
/// The stored row is compared with the one that the object was loaded from. An entity with a version
/// compares that. Other entities compare the attributes that the session changed, and those that
/// ``Session/detectConflicts(on:_:)`` names. An attribute that both sides set to the same value is
/// no conflict.
///
/// An object that the session changed and another deleted is a conflict under every policy but
/// `storeWins`. A delete is compared by all attributes that are neither managed nor derived.
public struct ConflictPolicy: Sendable {
  enum Kind: Sendable {
    case `throw`
    case storeWins
    case sessionWins
    case merge((@Sendable (SessionConflict, ConflictedAttribute) throws -> ConflictChoice)?)
  }

  let kind: Kind

  /// Throws `conflict` and saves nothing.
  public static var `throw`: ConflictPolicy { ConflictPolicy(kind: .throw) }

  /// Keeps the store's value of each attribute that both sides changed, and saves the others.
  ///
  /// What another deleted is deleted; what the session deleted and another changed stays.
  public static var storeWins: ConflictPolicy { ConflictPolicy(kind: .storeWins) }

  /// Saves the session's value of each attribute that it changed, and leaves the others alone.
  public static var sessionWins: ConflictPolicy { ConflictPolicy(kind: .sessionWins) }

  /// Takes attributes that one side changed from that side, and asks about the others.
  ///
  /// ```swift
  /// session.conflictPolicy = .merge { conflict, attribute in
  ///   attribute.name == "stock" ? .theirs : .mine
  /// }
  /// ```
  ///
  /// Without a closure, an attribute that both sides changed throws `conflict`. The closure runs in
  /// the write transaction of the save.
  public static func merge(
    _ choose: (@Sendable (SessionConflict, ConflictedAttribute) throws -> ConflictChoice)? = nil
  ) -> ConflictPolicy {
    ConflictPolicy(kind: .merge(choose))
  }
}

/// The value that a merge takes for an attribute that both sides changed.
public enum ConflictChoice: Hashable, Sendable {
  /// The session's value.
  case mine
  /// The stored value.
  case theirs
  /// The value that both sides changed.
  case base
  /// Another value.
  case value(StoredValue)
  /// The policy without a merge: the save throws `conflict`.
  case refuse
}

/// One attribute of a conflict, with its value on each side.
public struct ConflictedAttribute: Hashable, Sendable {
  /// The name of the attribute.
  ///
  /// A to-one is named by the attributes of its key, such as `team_id`.
  public let name: String
  /// The value that the object was loaded with.
  public let base: StoredValue
  /// The session's value; null if the session deleted the object.
  public let mine: StoredValue
  /// The stored value; null if the row was deleted.
  public let theirs: StoredValue

  package init(name: String, base: StoredValue, mine: StoredValue, theirs: StoredValue) {
    self.name = name
    self.base = base
    self.mine = mine
    self.theirs = theirs
  }
}

/// An object that a session and another changed.
///
/// ```swift
/// do {
///   try session.save()
/// } catch let error as StoreError where error.code == .conflict {
///   for conflict in error.conflicts { print(conflict.entity, conflict.attributes.map(\.name)) }
/// }
/// ```
public struct SessionConflict: Hashable, Sendable {
  /// The kind of a conflict.
  public enum Kind: String, Hashable, Sendable {
    /// Both sides changed attributes of the object.
    case changed
    /// The session changed the object, and another deleted it.
    case deletedInStore
    /// The session deleted the object, and another changed it.
    case deletedInSession
  }

  /// The name of the entity.
  public let entity: String
  /// The primary key of the object.
  public let key: [StoredValue]
  /// The kind of the conflict.
  public let kind: Kind
  /// The attributes of the conflict.
  public let attributes: [ConflictedAttribute]
}

extension StoreError {
  /// The objects of a `conflict` that a session's save threw; empty for other errors.
  public var conflicts: [SessionConflict] {
    failures.compactMap { failure in
      guard failure.code == .conflict, let kind = failure.rule.flatMap(SessionConflict.Kind.init),
        failure.values.count == failure.attributes.count * 3
      else { return nil }
      return SessionConflict(
        entity: failure.entity ?? "", key: failure.key, kind: kind,
        attributes: failure.attributes.enumerated().map { number, name in
          ConflictedAttribute(
            name: name, base: failure.values[number * 3], mine: failure.values[number * 3 + 1],
            theirs: failure.values[number * 3 + 2])
        })
    }
  }

  /// The error of a save with conflicts.
  init(conflicts: [SessionConflict]) {
    let failures = conflicts.map { conflict in
      StoreError(
        .conflict, conflict.message, entity: conflict.entity, key: conflict.key,
        attributes: conflict.attributes.map(\.name),
        values: conflict.attributes.flatMap { [$0.base, $0.mine, $0.theirs] },
        rule: conflict.kind.rawValue)
    }
    self.init(
      .conflict,
      failures.count == 1
        ? failures[0].message : "\(failures.count) objects were changed by others as well",
      entity: failures.first?.entity, key: failures.first?.key ?? [],
      attributes: failures.first?.attributes ?? [], values: failures.first?.values ?? [],
      failures: failures)
  }
}

extension SessionConflict {
  fileprivate var message: String {
    switch kind {
    case .changed: "the object was changed by another since it was loaded"
    case .deletedInStore: "the object was changed here and deleted by another"
    case .deletedInSession: "the object was deleted here and changed by another"
    }
  }
}

/// The result of comparing a changed object with its row.
enum SessionResolution<Model> {
  /// Nothing is left to do: the row, or its absence, stands.
  case nothing
  /// The row becomes this.
  case write(Model)
  case delete
  case conflict(SessionConflict)
}

extension SessionShape {
  /// Compares an object that the session changed with its row.
  ///
  /// - Parameters:
  ///   - base: the row that the object was loaded from.
  ///   - mine: the object; nil if the session deleted it.
  ///   - theirs: the row; nil if it was deleted.
  ///   - compared: the names of attributes that are compared even if the session left them alone.
  func resolve(
    base: Model, mine: Model?, theirs: Model?, _ policy: ConflictPolicy, compared: Set<String>
  ) throws -> SessionResolution<Model> {
    let baseRow = row(of: base).values
    guard let theirs else {
      guard let mine else { return .nothing }
      if case .storeWins = policy.kind { return .nothing }
      let changed = difference(base, mine)
      return .conflict(
        conflict(.deletedInStore, base, positions(of: changed), baseRow, row(of: mine).values, nil))
    }
    let theirRow = row(of: theirs).values
    let changedThere = Set(
      baseRow.indices.filter { !baseRow[$0].isIdentical(to: theirRow[$0]) })
    guard let mine else {
      let isChanged =
        version.map { changedThere.contains($0) } ?? !changedThere.subtracting(owned).isEmpty
      if !isChanged { return .delete }
      switch policy.kind {
      case .storeWins: return .nothing
      case .sessionWins: return .delete
      case .throw, .merge:
        return .conflict(
          conflict(.deletedInSession, base, changedThere.sorted(), baseRow, nil, theirRow))
      }
    }
    return try merge(
      base: (base, baseRow), mine: (mine, row(of: mine).values), theirs: (theirs, theirRow),
      changedThere, policy, compared)
  }

  private func merge(
    base: (model: Model, row: [StoredValue]), mine: (model: Model, row: [StoredValue]),
    theirs: (model: Model, row: [StoredValue]), _ changedThere: Set<Int>,
    _ policy: ConflictPolicy, _ compared: Set<String>
  ) throws -> SessionResolution<Model> {
    let changed = difference(base.model, mine.model)
    /// The changed units that have another value in the row.
    let both = changed.filter { number in
      units[number].positions.contains {
        changedThere.contains($0) && !mine.row[$0].isIdentical(to: theirs.row[$0])
      }
    }
    var taken = changed
    switch policy.kind {
    case .throw:
      var positions = Set(self.positions(of: both))
      if let version {
        if changedThere.contains(version) {
          positions.formUnion(self.positions(of: changed))
          positions.formUnion(changedThere)
        } else {
          positions = []
        }
      }
      for unit in units where compared.contains(unit.name) {
        positions.formUnion(unit.positions.filter { changedThere.contains($0) })
      }
      if !positions.isEmpty {
        return .conflict(
          conflict(.changed, base.model, positions.sorted(), base.row, mine.row, theirs.row))
      }
    case .storeWins: taken.removeAll { both.contains($0) }
    case .sessionWins: break
    case .merge(let choose):
      if both.isEmpty { break }
      let conflict = conflict(
        .changed, base.model, positions(of: both), base.row, mine.row, theirs.row)
      guard let choose else { return .conflict(conflict) }
      var values: [Int: StoredValue] = [:]
      var known = 0
      for number in both {
        var isMine = false
        for position in units[number].positions {
          let attribute = conflict.attributes[known]
          known += 1
          switch try choose(conflict, attribute) {
          case .mine: isMine = true
          case .theirs: values[position] = attribute.theirs
          case .base: values[position] = attribute.base
          case .value(let value): values[position] = value
          case .refuse: return .conflict(conflict)
          }
        }
        if !isMine, units[number].end != nil || units[number].positions.count == 1 {
          taken.removeAll { $0 == number }
        }
      }
      let merged = try model(
        model(theirs.model, taking: taken, from: mine.model),
        setting: values.filter { position, _ in
          !units.contains { $0.end != nil && $0.positions.contains(position) }
        })
      return difference(theirs.model, merged).isEmpty ? .nothing : .write(merged)
    }
    let merged = try model(theirs.model, taking: taken, from: mine.model)
    return difference(theirs.model, merged).isEmpty ? .nothing : .write(merged)
  }

  private func positions(of numbers: [Int]) -> [Int] { numbers.flatMap { units[$0].positions } }

  private func conflict(
    _ kind: SessionConflict.Kind, _ base: Model, _ positions: [Int], _ baseRow: [StoredValue],
    _ mine: [StoredValue]?, _ theirs: [StoredValue]?
  ) -> SessionConflict {
    SessionConflict(
      entity: entity, key: key(of: base), kind: kind,
      attributes: positions.map { position in
        ConflictedAttribute(
          name: names[position], base: baseRow[position], mine: mine?[position] ?? .null,
          theirs: theirs?[position] ?? .null)
      })
  }
}
