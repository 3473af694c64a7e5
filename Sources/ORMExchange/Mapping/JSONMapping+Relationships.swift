public import ORM

/// A treatment of the objects that a nested relationship has in JSON.
public struct JSONNesting<Target: PrimaryKeyed>: Sendable {
  let form: LinkForm

  /// Nested objects become objects, which a save of the owner stores too.
  public static var save: JSONNesting { JSONNesting(form: .objects) }

  /// Nested objects are saved if no row has their key, and else become links to that row.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Player.self).nested(\.team, from: "club", as: .saveMissing)
  /// ```
  ///
  /// In an import, a stored row keeps every value, even where the object has another. So does one that an
  /// earlier record of the import brought. Objects without a key are always saved. Without a store, they
  /// are read as by `save`.
  public static var saveMissing: JSONNesting { JSONNesting(form: .missingObjects) }

  /// Nested objects become links by their keys alone, and must be stored already.
  public static var link: JSONNesting { JSONNesting(form: .linkedObjects) }

  /// Nested objects become links to the stored rows with the value of an attribute that is not the key.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Player.self).nested(\.team, from: "club", as: .linkBy(\.name))
  /// ```
  ///
  /// JSON has the value, or an object with it. An import finds the row, which may come with a later
  /// record; without a store such a link is a fault. The attribute is written where the target is
  /// loaded.
  ///
  /// - Parameters:
  ///   - path: the attribute; it should be unique, since two rows with one value are `ambiguous`.
  ///   - transform: the form of the value in JSON.
  public static func linkBy<Value>(
    _ path: AttributePath<Target, Value>, as transform: JSONTransform<Value>? = nil
  ) -> JSONNesting {
    JSONNesting(form: .attribute(.path(path), transform?.format ?? .plain))
  }
}

/// A treatment of members of a to-many that JSON does not list.
public enum JSONUnlisted: String, Hashable, Codable, Sendable {
  /// The members are taken out of the relationship, and stay stored.
  case unlink
  /// The members stay.
  case keep
  /// The rows of the members are deleted by their delete rules, before the object with the list is saved.
  ///
  /// An import alone does so, and only for a list in JSON whose object is stored: an absent list
  /// deletes nothing, an empty one all members. Elsewhere they are taken out. Members that may belong
  /// to several owners cannot be deleted: a mapping of a many-to-many or a shared to-many is
  /// `invalidMapping`.
  case delete
}

/// An order of the listed members of a to-many.
public enum JSONListOrder: String, Hashable, Codable, Sendable {
  /// A list that replaces the members is in its own order. With `missing: .keep`, members that are
  /// there keep their positions, and others come behind them.
  case asStored
  /// The listed members come first, in the order of the list; the others follow in theirs.
  ///
  /// The to-many must be ordered: otherwise the mapping is `invalidMapping`.
  case asListed
}

extension JSONMapping {
  /// Maps a to-one to a nested object, read and written.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Player.self).nested(\.team, from: "club")
  /// let players = try mapping.decode(#"[{"name": "Ann", "club": {"name": "Reds"}}]"#)
  /// ```
  ///
  /// The target is decoded by its own mapping. A scalar instead of the object is its key. Null
  /// clears the link, and an absent member leaves it as it is. An object that is not loaded is not
  /// written, and one that holds the object that is being written is written as its key.
  ///
  /// - Parameters:
  ///   - path: the relationship.
  ///   - sources: paths in JSON; the relationship's own name unless given.
  ///   - nesting: whether the target is saved, or linked by its key.
  ///   - mapping: the mapping of the target; its model's own unless given.
  ///   - direction: whether the rule holds for reading, writing or both.
  public func nested<Target: PrimaryKeyed>(
    _ path: AttributePath<Model, ToOne<Target>>, from sources: String...,
    as nesting: JSONNesting<Target> = .save, with mapping: JSONMapping<Target>? = nil,
    when direction: JSONDirection = .always
  ) -> JSONMapping {
    link(path, sources, nesting, mapping, .unlink, .asStored, direction)
  }

  /// Maps a to-many to nested objects, read and written.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Team.self).nested(\.players, from: "squad", missing: .keep)
  /// ```
  ///
  /// - Parameters:
  ///   - path: the relationship.
  ///   - sources: paths in JSON; the relationship's own name unless given.
  ///   - nesting: whether targets are saved, or linked by their keys.
  ///   - order: the order of the listed members.
  ///   - missing: the treatment of members that are not listed; only `.delete` deletes rows.
  ///   - mapping: the mapping of the targets; their model's own unless given.
  ///   - direction: whether the rule holds for reading, writing or both.
  public func nested<Target: PrimaryKeyed>(
    _ path: AttributePath<Model, ToMany<Target>>, from sources: String...,
    as nesting: JSONNesting<Target> = .save, order: JSONListOrder = .asStored,
    missing: JSONUnlisted = .unlink, with mapping: JSONMapping<Target>? = nil,
    when direction: JSONDirection = .always
  ) -> JSONMapping {
    link(path, sources, nesting, mapping, missing, order, direction)
  }

  /// Maps a to-one to the key of its target.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Player.self).key(\.team, from: "club_id", as: .number(orText: true))
  /// ```
  ///
  /// A key of several attributes is an object of them.
  public func key<Target: PrimaryKeyed>(
    _ path: AttributePath<Model, ToOne<Target>>, from sources: String...,
    as transform: JSONTransform<Target.ID>? = nil, when direction: JSONDirection = .always
  ) -> JSONMapping {
    adding {
      $0.links.append(
        LinkRule(
          property: .path(path), sources: sources, form: .keys(transform?.format ?? .plain),
          mapping: nil, direction: direction))
    }
  }

  /// Maps a to-many to the keys of its targets.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Team.self).keys(\.players, from: "player_ids")
  /// ```
  public func keys<Target: PrimaryKeyed>(
    _ path: AttributePath<Model, ToMany<Target>>, from sources: String...,
    as transform: JSONTransform<Target.ID>? = nil, order: JSONListOrder = .asStored,
    missing: JSONUnlisted = .unlink, when direction: JSONDirection = .always
  ) -> JSONMapping {
    adding {
      $0.links.append(
        LinkRule(
          property: .path(path), sources: sources, form: .keys(transform?.format ?? .plain),
          mapping: nil, unlisted: missing, order: order, direction: direction))
    }
  }

  /// Writes the number of a to-many's targets, where it is known; reading passes over it.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Team.self).count(\.players, as: "player_count")
  /// ```
  public func count<Target: PrimaryKeyed>(
    _ path: AttributePath<Model, ToMany<Target>>, as name: String
  ) -> JSONMapping {
    adding {
      $0.links.append(
        LinkRule(
          property: .path(path), sources: [name], form: .count, mapping: nil,
          direction: .writing))
    }
  }

  private func link<Target: PrimaryKeyed>(
    _ path: any AnyKeyPath & Sendable, _ sources: [String], _ nesting: JSONNesting<Target>,
    _ mapping: JSONMapping<Target>?, _ unlisted: JSONUnlisted, _ order: JSONListOrder,
    _ direction: JSONDirection
  ) -> JSONMapping {
    adding {
      $0.links.append(
        LinkRule(
          property: .path(path), sources: sources, form: nesting.form,
          mapping: mapping.map { .mapping($0) }, unlisted: unlisted, order: order,
          direction: direction))
    }
  }
}
