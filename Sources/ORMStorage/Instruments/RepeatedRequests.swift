/// The requests of one block that repeat, as a loop over rows makes them.
struct RepeatedRequests {
  /// A repetition that has reached its limit.
  enum Found {
    /// Requests of a shape, whose values differ.
    ///
    /// The last part has the entities that were read before, by their names in the program.
    case queries(FetchShape, count: Int, after: [String])
    /// Writes of one row each.
    case saves(count: Int)
  }

  private struct Count {
    var requests = 0
    var values: Int?

    /// Counts a request, and returns the number so far.
    ///
    /// The same values again are one question asked twice, and no loop over rows: they return nil.
    mutating func add(_ values: Int?) -> Int? {
      guard let values, self.values != values else { return nil }
      self.values = values
      requests += 1
      return requests
    }
  }

  /// The most shapes that are counted in one block.
  private static var mostShapes: Int { 256 }

  private var shapes: [FetchShape: Count] = [:]
  private var saves: [String: Int] = [:]
  private var entities: [String] = []

  /// Adds a request that has ended, and returns the repetition that reaches its limit with it.
  mutating func add(
    _ facts: OperationFacts, values: Int?, _ limits: InstrumentLimits
  ) -> Found? {
    switch facts.operation {
    case .find, .fetch, .aggregate, .group:
      guard let shape = facts.shape else { return nil }
      if shapes.count >= Self.mostShapes, shapes[shape] == nil { return nil }
      if entities.last != facts.entity, !entities.contains(facts.entity), entities.count < 64 {
        entities.append(facts.entity)
      }
      let count = shapes[shape, default: Count()].add(values)
      guard let count, count == limits.queriesPerBlock else { return nil }
      return .queries(shape, count: count, after: entities.filter { $0 != facts.entity })
    case .insert, .update, .save:
      guard facts.rows == 1, facts.shape == nil, saves.count < Self.mostShapes else { return nil }
      let count = saves[facts.entity, default: 0] + 1
      saves[facts.entity] = count
      return count == limits.savesPerBlock ? .saves(count: count) : nil
    case .delete, .sql: return nil
    }
  }
}
