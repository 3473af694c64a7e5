public import ORMCore

/// Projections and groups, each verb in a transaction of its own, off the cooperative pool.
///
/// A read waits for writes that are pending through completion twins, unless `newestCommit` asks
/// not to (semantics 6.2).
extension Store {
  /// Every row of a projection or of groups, in its order.
  ///
  /// Runs off the calling thread.
  public func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> [Question.Row] where Question.Row: Sendable {
    return try await read(newestCommit: newestCommit) { try $0.fetch(question) }
  }

  /// The first row of a projection or of groups; nil when there is none.
  ///
  /// Runs off the calling thread.
  public func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> Question.Row? where Question.Row: Sendable {
    return try await read(newestCommit: newestCommit) { try $0.first(question) }
  }

  /// How many rows a projection has, or how many groups there are.
  ///
  /// Runs off the calling thread.
  public func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> Int {
    return try await read(newestCommit: newestCommit) { try $0.count(question) }
  }

  /// The rows of a projection or of groups, and the place where they end.
  ///
  /// Runs off the calling thread.
  public func fetchPage<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> ResultPage<Question.Row> where Question.Row: Sendable {
    return try await read(newestCommit: newestCommit) { try $0.fetchPage(question) }
  }

  /// How the store would answer the question.
  ///
  /// Runs off the calling thread.
  public func explain<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> Explanation {
    return try await read(newestCommit: newestCommit) { try $0.explain(question) }
  }

  /// The models that a query asks for, and the place where they end.
  ///
  /// Runs off the calling thread.
  public func fetchPage<Model: PrimaryKeyed>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) async throws -> ResultPage<Model> {
    return try await read(newestCommit: newestCommit) { try $0.fetchPage(query) }
  }

  /// The place of a model in a query's order, whatever that is.
  ///
  /// Runs off the calling thread.
  public func cursor<Model: PrimaryKeyed>(
    after model: Model, in query: Query<Model>, newestCommit: Bool = false
  ) async throws -> QueryCursor {
    return try await read(newestCommit: newestCommit) { try $0.cursor(after: model, in: query) }
  }

  /// Hands the rows to `body` in chunks of at most `size`, all of one snapshot, off the cooperative
  /// pool.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: sending @escaping ([Question.Row]) throws -> Void
  ) async throws {
    try await read { try $0.chunks(question, size: size, body) }
  }
}
