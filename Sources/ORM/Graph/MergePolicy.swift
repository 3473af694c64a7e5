public import ORMCore

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
