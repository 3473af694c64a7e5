public import ORMStorage

/// The positions of keys, and the keys that were found to have none.
///
/// Keys are distinguished as stores do it (clauses 2.2, 2.3). Swift takes texts for equal that
/// stores keep apart, such as a composed é, and e with a combining accent. So keys with a text in
/// them are looked up by their values.
@usableFromInline
package struct KeyPositions<ID: PrimaryKey>: Sendable {
  @usableFromInline var plain: [ID: Int] = [:]
  @usableFromInline var byMeaning: [GroupKey: Int] = [:]
  /// True if two keys are the same exactly if Swift considers them equal.
  @usableFromInline package let isPlain: Bool
  /// Stands for the position of a key that was looked for and is not there.
  @usableFromInline static var missing: Int { -1 }

  @usableFromInline
  package init<Model: PrimaryKeyed>(of model: Model.Type) where Model.ID == ID {
    isPlain = Model.entity.keyAttributes.allSatisfy { attribute in
      switch attribute.type.kind {
      case .bool, .int, .unsigned, .double, .date, .uuid, .data: true
      default: false
      }
    }
  }

  /// The position of a key; nil where it has none.
  @inlinable
  package func position(of id: ID) -> Int? {
    guard let found = value(of: id), found != Self.missing else { return nil }
    return found
  }

  /// Returns whether the key's position is known, or that it has none.
  @inlinable
  package func knows(_ id: ID) -> Bool { value(of: id) != nil }

  @inlinable
  func value(of id: ID) -> Int? {
    if isPlain { return plain[id] }
    return Self.meaning(of: id).flatMap { byMeaning[$0] }
  }

  /// Gives a key a position, unless it has one; returns the one it has.
  @inlinable
  package mutating func insert(_ id: ID, at position: Int) -> Int {
    if isPlain { return Self.take(position, &plain[id]) }
    guard let key = Self.meaning(of: id) else { return position }
    return Self.take(position, &byMeaning[key])
  }

  @inlinable
  static func take(_ position: Int, _ slot: inout Int?) -> Int {
    if let known = slot, known != missing { return known }
    slot = position
    return position
  }

  /// Remembers that a key which has no position will have none.
  @inlinable
  package mutating func noteMissing(_ id: ID) {
    if !knows(id) { _ = insert(id, at: Self.missing) }
  }

  /// Reserves capacity for keys.
  @inlinable
  package mutating func reserve(_ count: Int) {
    if isPlain { plain.reserveCapacity(count) } else { byMeaning.reserveCapacity(count) }
  }

  /// A key by its values; nil for one that has none, which is in no store.
  @usableFromInline
  package static func meaning(of id: ID) -> GroupKey? {
    (try? id.keyValues()).map { GroupKey($0) }
  }
}

extension PrimaryKey {
  /// Returns whether stores hold two keys for one: texts in them are compared by scalars (clause 2.3).
  package static func isStored(_ a: Self?, as b: Self?) -> Bool {
    guard a == b, let a, let b, a.integerKey == nil else { return a == b }
    guard let first = try? a.keyValues(), let second = try? b.keyValues() else { return true }
    return first == second
  }
}
