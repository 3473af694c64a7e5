public import Dispatch
public import ORMCore

/// Projections and groups with a completion handler.
///
/// Without a handler a failure goes to the store's `onError`.
extension Store {
  /// Every row of a projection or of groups, in its order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Question.Row], any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.fetch(question) }
  }

  /// The first row of a projection or of groups; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Question.Row?, any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.first(question) }
  }

  /// How many rows a projection has, or how many groups there are.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.count(question) }
  }

  /// The rows of a projection or of groups, and the place where they end.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Question.Row>, any Error>) -> Void)? = nil
  ) where Question.Row: Sendable {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.fetchPage(question) }
  }

  /// How the store would answer the question.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func explain<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.explain(question) }
  }

  /// The models that a query asks for, and the place where they end.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ResultPage<Model>, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.fetchPage(query) }
  }

  /// The place of a model in a query's order, whatever that is.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<QueryCursor, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.cursor(after: model, in: query)
    }
  }
}
