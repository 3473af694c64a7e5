/// The keys of an object's targets as they were read, in order.
@usableFromInline
package struct LinkTargets<ID: PrimaryKey>: Sendable {
  @usableFromInline package let ids: [ID]
  /// The first target's position in the graph, where all of them are consecutive there.
  @usableFromInline package let first: Int?

  /// Keys whose objects are found by them.
  @inlinable
  package init(_ ids: [ID]) {
    self.ids = ids
    first = nil
  }

  /// Keys of consecutive objects from a position on.
  @inlinable
  package init(_ ids: [ID], from first: Int) {
    self.ids = ids
    self.first = first
  }
}

/// Ties the links of one relationship to the graph that holds them, as far as they were read.
@usableFromInline
package struct LinkAttachment<Model>: Sendable {
  /// Attaches the links of the object at a position.
  @usableFromInline package let one: @Sendable (FetchGraph, _ position: Int, inout Model) -> Void
  /// Attaches the links of several objects, with the position of each.
  @usableFromInline
  package let all: @Sendable (FetchGraph, _ positions: [Int], inout [Model]) -> Void
  /// Attaches the links of consecutive objects from a position on.
  @usableFromInline
  let run: @Sendable (FetchGraph, _ first: Int, UnsafeMutableBufferPointer<Model>) -> Void

  /// Attaches links by a closure for one object at a time.
  @inlinable
  package init(_ one: @escaping @Sendable (FetchGraph, Int, inout Model) -> Void) {
    self.one = one
    all = { graph, positions, models in
      for (index, position) in positions.enumerated() { one(graph, position, &models[index]) }
    }
    run = { graph, first, models in
      for index in models.indices { one(graph, first + index, &models[index]) }
    }
  }

  /// Attaches links by a closure that does the same for every object.
  @inlinable
  package init(each: @escaping @Sendable (FetchGraph, inout Model) -> Void) {
    one = { graph, _, model in each(graph, &model) }
    all = { graph, _, models in
      for index in models.indices { each(graph, &models[index]) }
    }
    run = { graph, _, models in
      for index in models.indices { each(graph, &models[index]) }
    }
  }
}
