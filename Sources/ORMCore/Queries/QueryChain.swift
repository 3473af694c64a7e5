internal import ORMStorage

/// The conditions that chained words put together: ways of which one must hold, beside what was
/// asked before the chain began.
struct QueryChain<Model: Persistable>: Sendable {
  /// The word before a condition.
  enum Word: Sendable { case whose, and, or }

  /// The filter before the chain; nil if there was none.
  private var base: Filter<Model>?
  /// The ways, each an AND of conditions.
  private var ways: [Filter<Model>]

  /// The chain of a query with one more condition.
  ///
  /// A query whose filter was made otherwise counts as a chain of that one condition.
  init(continuing query: Query<Model>, _ word: Word, _ filter: Filter<Model>) {
    let asked = query.filter.condition == .constant(true) ? nil : query.filter
    guard word != .whose, let before = query.chain ?? asked.map(QueryChain.init(single:)) else {
      self.init(base: asked, ways: [filter])
      return
    }
    self = before
    if word == .and, let last = ways.popLast() {
      ways.append(last && filter)
    } else {
      ways.append(filter)
    }
  }

  private init(single: Filter<Model>) { self.init(base: nil, ways: [single]) }

  private init(base: Filter<Model>?, ways: [Filter<Model>]) {
    self.base = base
    self.ways = ways
  }

  /// The whole as a filter.
  var filter: Filter<Model> {
    let whole = ways.dropFirst().reduce(ways[0]) { $0 || $1 }
    return base.map { $0 && whole } ?? whole
  }
}
