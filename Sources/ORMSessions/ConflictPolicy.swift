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
  /// An object that was deleted in the store is deleted; one that the session deleted and another writer
  /// changed stays.
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
