public import ORMCore

/// The result of saving a batch of models with keys.
///
/// ```swift
/// let result = try store.save(snacks)
/// print(result.keys, result.inserted)
/// ```
public struct SaveResult<Model: PrimaryKeyed>: Hashable, Sendable {
  /// The number of objects with each outcome.
  public var counts: SaveCounts
  /// The key of every object, in the order given; those that the store gave among them.
  public var keys: [Model.ID]

  /// New rows.
  public var inserted: Int { counts.inserted }
  /// Rows that were replaced.
  public var updated: Int { counts.updated }
  /// Rows that needed no write.
  public var unchanged: Int { counts.unchanged }
}

/// The action of a save by match for an object that matches no row.
///
/// ```swift
/// try store.save(snack, matching: \.name == "Chips", onMissing: .throw)
/// ```
public enum OnMissing: Hashable, Sendable {
  /// The object is inserted.
  case insert
  /// The object is left out.
  case ignore
  /// `notFound` is thrown.
  case `throw`
}

/// The action of a save by match when several rows match.
///
/// ```swift
/// try store.save(snack, matching: \.name == "Chips", matches: .one)
/// ```
public enum MatchPolicy: Hashable, Sendable {
  /// All are updated.
  case all
  /// The first in the order of the key is.
  case first
  /// `ambiguous` is thrown.
  case one
}

/// The action of a batch for two objects with one key.
///
/// ```swift
/// try store.save(snacks, duplicates: .throw)
/// ```
public enum DuplicatePolicy: Hashable, Sendable {
  /// The later one wins.
  case last
  /// `invalidBatch` is thrown.
  case `throw`
}

/// The attributes by which the objects of a batch find their rows.
///
/// ```swift
/// try store.save(snacks, matching: BatchMatch(contain: [\.name]))
/// ```
///
/// All objects agree in `equal`; `contain` identifies them.
public struct BatchMatch<Model: Persistable>: Sendable {
  /// Attributes that hold one value throughout the batch.
  let equal: [any AnyKeyPath & Sendable]
  /// Attributes that identify the objects.
  let contain: [any AnyKeyPath & Sendable]

  /// A match by attributes; `contain` is not empty.
  public init(
    equal: [any PartialKeyPath<Model> & Sendable] = [],
    contain: [any PartialKeyPath<Model> & Sendable]
  ) {
    self.equal = equal
    self.contain = contain
  }

  /// A match by attributes whose key paths are known to be the model's.
  package init(attributes: [any AnyKeyPath & Sendable]) {
    equal = []
    contain = attributes
  }
}
