internal import ORMStorage

/// The conditions that chained words put together: branches of which one must hold, beside the
/// filter before the chain.
struct QueryChain<Model: Persistable>: Sendable {
  /// The word before a condition.
  enum Word: Sendable { case whose, and, or }

  /// The filter before the chain; nil if there was none.
  private var base: Filter<Model>?
  /// The branches, each an AND of conditions.
  private var branches: [Filter<Model>]

  /// The chain of a query with one more condition.
  ///
  /// A query whose filter was made otherwise counts as a chain of that one condition.
  init(continuing query: Query<Model>, _ word: Word, _ filter: Filter<Model>) {
    let asked = query.filter.condition == .constant(true) ? nil : query.filter
    guard word != .whose, let before = query.chain ?? asked.map(QueryChain.init(single:)) else {
      self.init(base: asked, branches: [filter])
      return
    }
    self = before
    if word == .and, let last = branches.popLast() {
      branches.append(last && filter)
    } else {
      branches.append(filter)
    }
  }

  private init(single: Filter<Model>) { self.init(base: nil, branches: [single]) }

  private init(base: Filter<Model>?, branches: [Filter<Model>]) {
    self.base = base
    self.branches = branches
  }

  /// The whole as a filter.
  var filter: Filter<Model> {
    let whole = branches.dropFirst().reduce(branches[0]) { $0 || $1 }
    return base.map { $0 && whole } ?? whole
  }
}
