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

/// The policy of a save for attributes that the object leaves nil or the caller leaves out.
///
/// ```swift
/// try store.save(snack, merge: .skippingNil)            // nil keeps the stored value
/// try store.save(snack, merge: .only(\.name, \.price))  // the others stay as they are
/// ```
public struct MergePolicy<Model: Persistable>: Sendable {
  enum Kind: Sendable {
    case storeDefault
    case replace
    case skippingNil
    case only([String])
    case insertOnly
    case invalid(StoreError)
  }

  let kind: Kind

  /// The policy of the store's options: `.replace` unless `options.merge` is another.
  ///
  /// It is the policy of every save that names none.
  public static var storeDefault: MergePolicy { MergePolicy(kind: .storeDefault) }
  /// Every attribute becomes the object's, nil included.
  public static var replace: MergePolicy { MergePolicy(kind: .replace) }
  /// Nil keeps the stored value.
  public static var skippingNil: MergePolicy { MergePolicy(kind: .skippingNil) }
  /// Inserts objects that are not stored, and leaves existing rows unchanged.
  public static var insertOnly: MergePolicy { MergePolicy(kind: .insertOnly) }
  /// Only these attributes and relationships are written: `.only(\.name, \.players)`; on insert the
  /// others take their defaults.
  ///
  /// The objects that a relationship named here was set to are inserted where they are new. Stored ones
  /// stay as they are, but for the links (clause 5.4).
  public static func only<each Value>(
    _ paths: repeat AttributePath<Model, each Value>
  ) -> MergePolicy {
    do {
      return MergePolicy(kind: .only(try Model.propertyNames(repeat each paths)))
    } catch let error as StoreError {
      return MergePolicy(kind: .invalid(error))
    } catch {
      return MergePolicy(kind: .invalid(StoreError(.unknownAttribute, "\(error)")))
    }
  }
  /// Only the attributes and relationships with these names are written.
  public static func only(names: [String]) -> MergePolicy { MergePolicy(kind: .only(names)) }
}

extension MergePolicy {
  /// Returns the policy with that of the store's options instead of `.storeDefault`.
  func resolved(in store: any Store) -> MergePolicy {
    guard case .storeDefault = kind else { return self }
    return switch store.runtime.options.merge {
    case .replace: .replace
    case .skippingNil: .skippingNil
    case .insertOnly: .insertOnly
    }
  }
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
