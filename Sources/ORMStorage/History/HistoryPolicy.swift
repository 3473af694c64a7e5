/// A policy for the history of a store: the changes that it keeps beside its rows.
///
/// ```swift
/// var options = StoreOptions()
/// options.history = .retained(for: .days(30), atMost: 100_000)
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema, options: options)
/// ```
public struct HistoryPolicy: Hashable, Sendable {
  /// The forms of a policy.
  package enum Form: Hashable, Sendable {
    case asStored, off
    case retained(HistoryBounds)
  }

  package let form: Form

  /// Goes on with the history of a file that has one; a new store keeps none.
  public static let asStored = HistoryPolicy(form: .asStored)

  /// Keeps no history, and removes that of the file with the next write.
  public static let off = HistoryPolicy(form: .off)

  /// Keeps a history within bounds.
  ///
  /// A change set is removed once it is past a bound and every consumer has handled it. A consumer
  /// that is past its own bounds is not waited for.
  ///
  /// - Parameters:
  ///   - age: the time for which a commit is retained.
  ///   - count: the most changes of rows that are retained.
  ///   - entities: the entities whose changes are retained.
  ///   - level: the detail that is recorded.
  ///   - consumerAge: the time for which a commit is retained for a consumer that has not handled it.
  ///   - consumerCount: the most changes that are retained for consumers.
  public static func retained(
    for age: Duration = .days(7), atMost count: Int = 1_000_000, entities: Entities = .all,
    level: ChangeLevel = .attributes, forConsumers consumerAge: Duration = .days(30),
    atMostForConsumers consumerCount: Int = 10_000_000
  ) -> HistoryPolicy {
    let names: [String]? =
      switch entities {
      case .all: nil
      case .only(let names): names.sorted()
      }
    return HistoryPolicy(
      form: .retained(
        HistoryBounds(
          age: age.inSeconds, count: max(count, 0), names: names, level: level,
          consumerAge: max(age, consumerAge).inSeconds,
          consumerCount: max(count, consumerCount, 0))))
  }

  /// The entities of which a history is retained.
  public enum Entities: Hashable, Sendable {
    /// All entities.
    case all
    /// The entities with these names in the program, and their subentities.
    case only(Set<String>)
  }
}

/// The bounds of a history, as a store keeps them.
package struct HistoryBounds: Hashable, Codable, Sendable {
  /// Ages in seconds.
  package var age: Double
  package var count: Int
  /// The names of the models; nil for all.
  package var names: [String]?
  package var level: ChangeLevel
  package var consumerAge: Double
  package var consumerCount: Int

  /// The bounds of a history for which a program gave none: those of the defaults of
  /// `HistoryPolicy.retained`.
  package static let usual = HistoryBounds(
    age: 7 * 86_400, count: 1_000_000, names: nil, level: .attributes, consumerAge: 30 * 86_400,
    consumerCount: 10_000_000)

  package init(
    age: Double, count: Int, names: [String]?, level: ChangeLevel, consumerAge: Double,
    consumerCount: Int
  ) {
    self.age = age
    self.count = count
    self.names = names
    self.level = level
    self.consumerAge = consumerAge
    self.consumerCount = consumerCount
  }
}

extension Duration {
  /// A duration of days of 24 hours.
  ///
  /// ```swift
  /// options.history = .retained(for: .days(30))
  /// ```
  public static func days(_ days: Int) -> Duration { .seconds(86_400) * days }

  /// The duration in seconds.
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
