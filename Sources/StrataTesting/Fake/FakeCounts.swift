public import ORM

/// The numbers of rows that are made of each entity.
///
/// ```swift
/// let counts: FakeCounts = [Team.self: 10, Player.self: 200]
/// let same = FakeCounts(["Team": 10, "Player": 200])
/// ```
///
/// An entity that is not named gets the rows that others need: the targets of required to-ones, and of
/// to-manys that must have targets.
public struct FakeCounts: Sendable, ExpressibleByDictionaryLiteral {
  /// The numbers by the names of the entities in the program.
  public var byName: [String: Int]

  /// Makes numbers by the names of entities.
  public init(_ byName: [String: Int]) { self.byName = byName }

  /// Makes numbers by models; of a model that is named twice the last number counts.
  public init(dictionaryLiteral elements: (any Persistable.Type, Int)...) {
    byName = Dictionary(elements.map { (Self.name(of: $0), $1) }, uniquingKeysWith: { $1 })
  }

  private static func name<Model: Persistable>(of model: Model.Type) -> String {
    Model.entity.declared.name
  }
}
