internal import ORMStorage

/// Links to any number of objects: a value inside a model.
///
/// ```swift
/// var team = Team(name: "Reds")               // its players: `ToMany()`, nothing is set yet
/// team.players = [p1, p2]                     // a save stores them too, and replaces the stored links
/// team.players = []                           // clears
/// team.players.append(p3)                     // a save adds it, and leaves the others
/// team.players.remove(p1)                     // a save takes it out; it stays stored
/// team.players.loaded                         // [Player]?; nil where they were not fetched
/// ```
///
/// It is not loaded, fetched, changed member by member, or set by the program. A save follows only the
/// program's changes: a to-many that was set replaces, changes are carried out, anything else is left
/// alone (clause 5.8). Equality and hashing go by the keys.
public struct ToMany<Target: PrimaryKeyed>: Sendable {
  @usableFromInline
  package enum State: Sendable {
    /// Links that are not known; a save leaves the stored ones as they are.
    case notLoaded
    /// The links as read, in order, and the graph that holds the targets, or some of them where keys alone
    /// were read.
    case fetched(LinkTargets<Target.ID>, FetchGraph)
    /// Links that the program set.
    case set([LinkElement<Target>])
    /// Changed by the program member by member, on top of links that were fetched or not loaded.
    indirect case changed(LinkChanges<Target>)
  }

  @usableFromInline package var state: State

  @inlinable
  package init(_ state: State) { self.state = state }

  /// True if the program set or changed the links.
  @inlinable
  package var isSet: Bool {
    switch state {
    case .notLoaded, .fetched: false
    case .set, .changed: true
    }
  }

  /// Ties the links to a graph that read them, unless the program set or changed them.
  @inlinable
  mutating func tie(to graph: FetchGraph, _ targets: LinkTargets<Target.ID>) {
    switch state {
    case .set, .changed: return
    case .notLoaded, .fetched: state = .fetched(targets, graph)
    }
  }

  /// Creates a value in which nothing is set: a save leaves the stored links as they are.
  ///
  /// It is the right initial value of a property. `[]` is not: it makes a save of a new object clear
  /// the links of the row that has its key.
  ///
  /// ```swift
  /// var players: ToMany<Player> = ToMany()
  /// ```
  @inlinable
  public init() { state = .notLoaded }

  /// Links to objects, which a save stores too.
  ///
  /// ```swift
  /// team.players = ToMany([p1, p2])
  /// ```
  public init(_ targets: some Sequence<Target>) {
    state = .set(targets.map { .object($0) })
  }

  /// Links to the objects with these keys, which must be there when they are saved.
  ///
  /// ```swift
  /// team.players = .keys([3, 4])
  /// ```
  public static func keys(_ ids: some Sequence<Target.ID>) -> ToMany {
    ToMany(.set(ids.map { .key($0) }))
  }

  /// Links of which nothing is known: a save leaves the stored ones alone.
  public static var notLoaded: ToMany { ToMany(.notLoaded) }

  /// The targets' keys, in order; nil where they were not loaded.
  ///
  /// Changes of links that were fetched are in it.
  @inlinable
  public var ids: [Target.ID]? {
    switch state {
    case .notLoaded: nil
    case .fetched(let targets, _): targets.ids
    case .set(let elements): elements.map(\.id)
    case .changed(let changes): changes.elements?.map(\.id)
    }
  }

  /// The targets, in order; nil where they were not loaded, or of some no more than the key is
  /// known.
  ///
  /// Changes of links that were fetched are in it.
  @inlinable
  public var loaded: [Target]? {
    switch state {
    case .notLoaded: return nil
    case .fetched(let targets, let graph):
      let objects = graph.objects(Target.self, targets)
      return objects.count == targets.ids.count ? objects : nil
    case .set(let elements):
      var targets: [Target] = []
      for element in elements {
        guard case .object(let target) = element else { return nil }
        targets.append(target)
      }
      return targets
    case .changed(let changes): return changes.loaded
    }
  }

  /// True if `loaded` has the targets.
  public var isLoaded: Bool {
    switch state {
    case .notLoaded: false
    case .fetched(let targets, let graph):
      targets.first != nil || targets.ids.allSatisfy { graph.knows(Target.self, $0) }
    case .set(let elements): elements.allSatisfy { if case .object = $0 { true } else { false } }
    case .changed(let changes): changes.loaded != nil
    }
  }

  /// The targets, in order.
  ///
  /// ```swift
  /// let team = try store.find(Team.self, 7, prefetch: \.players)
  /// let players = try team?.players.get()
  /// ```
  ///
  /// - Throws: `notLoaded` when they were not fetched.
  public func get() throws -> [Target] {
    guard let loaded else {
      throw StoreError(
        .notLoaded, "the relationship was not loaded; prefetch it in the query, or call `load`",
        entity: Target.entity.declared.name)
    }
    return loaded
  }
}

/// A target that a program set: the object, or its key alone.
@usableFromInline
package enum LinkElement<Target: PrimaryKeyed>: Sendable {
  case object(Target)
  case key(Target.ID)

  /// The target's key.
  @inlinable
  package var id: Target.ID {
    switch self {
    case .object(let target): target.id
    case .key(let id): id
    }
  }
}

extension ToMany: ExpressibleByArrayLiteral {
  /// Links to objects, which a save stores too; `[]` clears.
  public init(arrayLiteral elements: Target...) { self.init(elements) }
}

extension ToMany: Hashable {
  /// Returns whether the keys are those of the same objects, in order, and the changes of links that
  /// were not loaded are the same; texts are compared by scalars.
  public static func == (a: ToMany, b: ToMany) -> Bool {
    guard let first = a.ids, let second = b.ids else {
      return (a.ids == nil) == (b.ids == nil) && a.unappliedChanges == b.unappliedChanges
    }
    return first.elementsEqual(second) { Target.ID.isStored($0, as: $1) }
      && a.unappliedChanges == b.unappliedChanges
  }

  /// Feeds the keys, and the changes of links that were not loaded.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ids)
    hasher.combine(unappliedChanges)
  }
}

extension ToMany: Codable {
  /// Reads the targets' keys, as ``encode(to:)`` writes them; null is not loaded.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard !container.decodeNil() else {
      self.init(.notLoaded)
      return
    }
    if let changes = try? container.decode(CodedChanges<Target>.self) {
      self.init(.notLoaded)
      changes.apply(to: &self)
      return
    }
    self.init(.set(try container.decode([LinkKey<Target>].self).map { .key($0.id) }))
  }

  /// Writes the array of the targets' keys for other programs; null for links that are not loaded.
  ///
  /// A property of a model is left out if it is not loaded. Changes of links that were not loaded are
  /// written as a list of them:
  ///
  /// ```swift
  /// let json = try JSONEncoder().encode(team.players)   // [3,5]
  /// ```
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let ids {
      try container.encode(ids.map { LinkKey<Target>($0) })
    } else if let unappliedChanges {
      try container.encode(CodedChanges<Target>(unappliedChanges))
    } else {
      try container.encodeNil()
    }
  }
}

extension ToMany: CustomStringConvertible {
  /// The entity and how many there are; no stored value.
  public var description: String {
    if let ids { return "ToMany(\(ids.count) \(Target.entity.declared.name))" }
    guard let unappliedChanges else { return "ToMany(not loaded)" }
    return "ToMany(not loaded, changes: \(unappliedChanges.count))"
  }
}
