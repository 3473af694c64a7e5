internal import ORMStorage

/// The relationships that are fetched with the rows of a query, by names, to any depth and breadth.
///
/// Made by `prefetch` of a ``Query``; a value that prints and travels with it.
public struct PrefetchTree: Hashable, Codable, Sendable {
  /// The relationships of the rows themselves, each once.
  public private(set) var branches: [Branch]

  /// One relationship, and the prefetches of its targets.
  public struct Branch: Hashable, Codable, Sendable {
    /// The relationship's name.
    public var relationship: String
    /// The relationships to fetch with the targets.
    public var then: PrefetchTree
    /// The reason why the branch could not be made; thrown at first use.
    package var error: StoreError?

    /// Makes a branch.
    package init(
      relationship: String, then: PrefetchTree = PrefetchTree(), error: StoreError? = nil
    ) {
      self.relationship = relationship
      self.then = then
      self.error = error
    }
  }

  /// The maximum depth of a tree, the same as for conditions (clause 7.1).
  package static let maximumDepth = 200

  /// A tree of branches; several of one relationship become one.
  package init(_ branches: [Branch] = []) {
    self.branches = []
    for branch in branches { add(branch) }
  }

  /// True if nothing is fetched.
  public var isEmpty: Bool { branches.isEmpty }

  /// Adds a branch, or merges it into the one of the same relationship.
  package mutating func add(_ branch: Branch) {
    guard let index = branches.firstIndex(where: { $0.relationship == branch.relationship }) else {
      branches.append(branch)
      return
    }
    if branches[index].error == nil { branches[index].error = branch.error }
    for inner in branch.then.branches { branches[index].then.add(inner) }
  }

  /// The tree checked against a model: its relationships exist, and it is not too deep.
  ///
  /// - Throws: `unknownAttribute`, `tooComplex`, or the error that a branch which could not be made
  ///   carries.
  package func check<Model: Persistable>(
    for model: Model.Type, depth: Int = 1
  ) throws {
    for branch in branches {
      if let error = branch.error { throw error }
      guard depth <= Self.maximumDepth else { throw Self.tooDeep(in: Model.self) }
      try Self.check(branch, Model.relationship(named: branch.relationship), depth: depth)
    }
  }

  private static func check<End: RelationshipEnd>(
    _ branch: Branch, _ end: End, depth: Int
  ) throws {
    try branch.then.check(for: End.Target.self, depth: depth + 1)
  }

  static func tooDeep<Model: Persistable>(in model: Model.Type) -> StoreError {
    StoreError(
      .tooComplex, "the prefetch goes deeper than \(maximumDepth) relationships",
      entity: Model.entity.declared.name)
  }
}

extension PrefetchTree: CustomStringConvertible {
  /// The relationships as they are written: `players { posts }, coach`.
  public var description: String {
    branches.map { $0.then.isEmpty ? $0.relationship : "\($0.relationship) { \($0.then) }" }
      .joined(separator: ", ")
  }
}

extension Persistable {
  /// The relationship with this name.
  ///
  /// - Throws: `unknownAttribute` where there is none.
  package static func relationship(named name: String) throws -> any RelationshipEnd<Self> {
    let entity = Self.entity
    guard let end = entity.relationships.first(where: { $0.declaration.name == name }) else {
      throw StoreError(
        .unknownAttribute, "the entity has no relationship of this name",
        entity: entity.declared.name, attributes: [name])
    }
    return end
  }

  /// The relationship that a key path reads.
  ///
  /// - Throws: `unknownAttribute` for a property that was not declared.
  package static func relationship(
    of path: any AnyKeyPath & Sendable
  ) throws -> any RelationshipEnd<Self> {
    let entity = Self.entity
    guard let end = entity.relationship(at: path) else {
      throw StoreError.notDeclared(path, "a relationship", entity: entity.declared.name)
    }
    return end
  }
}
