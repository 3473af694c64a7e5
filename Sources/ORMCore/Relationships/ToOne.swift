internal import ORMStorage

/// A link to one object or none: a value inside a model.
///
/// ```swift
/// var player = Player(name: "Bo")             // its team: `ToOne()`, nothing is set yet
/// player.team = .to(team)                     // saved with the player, and the player joins the team
/// player.team = .key(7)                       // by key alone; the team must exist
/// player.team = nil                           // clears
/// player.team.loaded?.name                    // nil where it was not fetched
/// ```
///
/// It is not loaded, fetched (a key, and the target where it was prefetched), or set by the program. A
/// save follows only links that were set (clause 5.8). Equality and hashing go by the key.
public struct ToOne<Target: PrimaryKeyed>: Sendable {
  @usableFromInline
  package enum State: Sendable {
    /// A link that is not known; a save leaves the stored one as it is.
    case notLoaded
    /// The link as read: the key, nil for no target, and the graph that holds the target if any does.
    case fetched(Target.ID?, FetchGraph?)
    /// A link that the program set: no target, or one by its key.
    case key(Target.ID?)
    /// A link that the program set to an object, which a save stores too.
    indirect case object(Target)
  }

  @usableFromInline package var state: State

  @inlinable
  package init(_ state: State) { self.state = state }

  /// True if nothing is known of the link.
  @inlinable
  package var isUnknown: Bool { if case .notLoaded = state { true } else { false } }

  /// True if the program set the link.
  @inlinable
  package var isSet: Bool {
    switch state {
    case .notLoaded, .fetched: false
    case .key, .object: true
    }
  }

  /// Ties the link to a graph that read it: with these targets, or the one whose key it has.
  ///
  /// A link that the program set stays.
  @inlinable
  mutating func tie(to graph: FetchGraph, _ targets: LinkTargets<Target.ID>?) {
    switch state {
    case .fetched(let id, _):
      state = .fetched(targets == nil ? id : targets?.ids.first, graph)
    case .notLoaded:
      if let targets { state = .fetched(targets.ids.first, graph) }
    case .key, .object: return
    }
  }

  /// Creates a value in which nothing is set: a save leaves the stored link as it is.
  ///
  /// It is the right initial value of a property. `nil` is not: it makes a save of a new object clear
  /// the link of the row that has its key.
  ///
  /// ```swift
  /// var team: ToOne<Team> = ToOne()
  /// ```
  @inlinable
  public init() { state = .notLoaded }

  /// A link to an object, which a save stores too.
  ///
  /// ```swift
  /// player.team = ToOne(team)
  /// ```
  public init(_ target: Target) { state = .object(target) }

  /// A link to an object, which a save stores too.
  ///
  /// ```swift
  /// player.team = .to(team)
  /// ```
  public static func to(_ target: Target) -> ToOne { ToOne(.object(target)) }

  /// A link to the object with this key, which must be there when it is saved.
  ///
  /// ```swift
  /// player.team = .key(7)
  /// ```
  public static func key(_ id: Target.ID) -> ToOne { ToOne(.key(id)) }

  /// A link of which nothing is known: a save leaves the stored one alone.
  public static var notLoaded: ToOne { ToOne(.notLoaded) }

  /// The target's key; nil where there is none, or nothing is known.
  @inlinable
  public var id: Target.ID? {
    switch state {
    case .notLoaded: nil
    case .fetched(let id, _), .key(let id): id
    case .object(let target): target.id
    }
  }

  /// The target; nil where there is none, or it was not loaded.
  @inlinable
  public var loaded: Target? {
    switch state {
    case .fetched(let id?, let graph?): return graph.object(Target.self, id)
    case .notLoaded, .key, .fetched: return nil
    case .object(let target): return target
    }
  }

  /// True if `loaded` has the answer: the target was fetched or set, or there is none.
  @inlinable
  public var isLoaded: Bool {
    switch state {
    case .notLoaded: false
    case .fetched(nil, _), .key(nil), .object: true
    case .fetched(let id?, let graph): graph?.knows(Target.self, id) == true
    case .key: false
    }
  }

  /// The target, or nil where there is none.
  ///
  /// ```swift
  /// let player = try store.find(Player.self, 3, prefetch: \.team)
  /// print(try player?.team.get()?.name ?? "none")
  /// ```
  ///
  /// - Throws: `notLoaded` when it was not fetched.
  public func get() throws -> Target? {
    guard isLoaded else {
      throw StoreError(
        .notLoaded, "the relationship was not loaded; prefetch it in the query, or call `load`",
        entity: Target.entity.declared.name)
    }
    return loaded
  }
}

extension ToOne {
  /// Makes the link lead to the object with this key; nil clears it.
  ///
  /// A link that has the key already stays as it is, with its object. The `id` of a model whose key
  /// is made of to-ones is set by it.
  ///
  /// ```swift
  /// player.team.setKey(7)
  /// ```
  public mutating func setKey(_ id: Target.ID?) {
    if !Target.ID.isStored(self.id, as: id) { state = .key(id) }
  }
}

extension ToOne: ExpressibleByNilLiteral {
  /// No target: a save clears the link.
  public init(nilLiteral: ()) { state = .key(nil) }
}

extension ToOne: Hashable {
  /// Returns whether the keys are those of one object; texts are compared by scalars.
  public static func == (a: ToOne, b: ToOne) -> Bool { Target.ID.isStored(a.id, as: b.id) }

  /// Feeds the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ToOne: Codable {
  /// Reads the target's key, as ``encode(to:)`` writes it; null is no target.
  ///
  /// A property of a model that is missing is not loaded.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(.key(container.decodeNil() ? nil : try container.decode(LinkKey<Target>.self).id))
  }

  /// Writes the target's key for other programs: a scalar, or an object of the parts of a composite
  /// key; null for no target.
  ///
  /// A property of a model is left out if it is not loaded:
  ///
  /// ```swift
  /// let json = try JSONEncoder().encode(player.team)    // 7
  /// ```
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let id { try container.encode(LinkKey<Target>(id)) } else { try container.encodeNil() }
  }
}

extension ToOne: CustomStringConvertible {
  /// The entity and whether there is a target; no stored value.
  public var description: String {
    switch state {
    case .notLoaded: "ToOne(not loaded)"
    default: id == nil ? "ToOne(none)" : "ToOne(\(Target.entity.declared.name))"
    }
  }
}
