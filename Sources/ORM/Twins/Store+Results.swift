public import ORMCore

/// Projections and groups, each verb in a transaction of its own, on the calling thread.
///
/// A read waits for writes that are pending through completion twins, unless `newestCommit` asks
/// not to (semantics 6.2).
extension Store {
  /// Every row of a projection or of groups, in its order.
  public func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> [Question.Row] {
    try read(newestCommit: newestCommit) { try $0.fetch(question) }
  }

  /// The first row of a projection or of groups; nil when there is none.
  public func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> Question.Row? {
    try read(newestCommit: newestCommit) { try $0.first(question) }
  }

  /// How many rows a projection has, or how many groups there are.
  public func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> Int {
    try read(newestCommit: newestCommit) { try $0.count(question) }
  }

  /// The rows of a projection or of groups, and the place where they end.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> ResultPage<Question.Row> {
    try read(newestCommit: newestCommit) { try $0.fetchPage(question) }
  }

  /// How the store would answer the question.
  public func explain<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> Explanation {
    try read(newestCommit: newestCommit) { try $0.explain(question) }
  }

  /// The models that a query asks for, and the place where they end.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> ResultPage<Model> {
    try read(newestCommit: newestCommit) { try $0.fetchPage(query) }
  }

  /// The place of a model in a query's order, whatever that is.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>, newestCommit: Bool = false
  ) throws -> QueryCursor {
    try read(newestCommit: newestCommit) { try $0.cursor(after: model, in: query) }
  }

  /// Hands the rows to `body` in chunks of at most `size`, all of one snapshot.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: ([Question.Row]) throws -> Void
  ) throws {
    try read { try $0.chunks(question, size: size, body) }
  }
}
