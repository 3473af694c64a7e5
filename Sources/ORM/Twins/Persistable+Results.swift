public import Dispatch
public import ORMCore

// Projections and groups on the model itself, through the default store.

extension Persistable {
  /// Every row of a projection or of groups, in its order.
  public static func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> [Question.Row] where Question.Model == Self {
    try Persistence.store.fetch(question, newestCommit: newestCommit)
  }

  /// The first row of a projection or of groups; nil when there is none.
  public static func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> Question.Row? where Question.Model == Self {
    try Persistence.store.first(question, newestCommit: newestCommit)
  }

  /// How many rows a projection has, or how many groups there are.
  public static func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) throws -> Int where Question.Model == Self {
    try Persistence.store.count(question, newestCommit: newestCommit)
  }

  /// Every row of a projection or of groups, in its order.
  ///
  /// Runs off the calling thread.
  public static func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> [Question.Row] where Question.Model == Self, Question.Row: Sendable {
    try await Persistence.store.fetch(question, newestCommit: newestCommit)
  }

  /// The first row of a projection or of groups; nil when there is none.
  ///
  /// Runs off the calling thread.
  public static func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> Question.Row? where Question.Model == Self, Question.Row: Sendable {
    try await Persistence.store.first(question, newestCommit: newestCommit)
  }

  /// How many rows a projection has, or how many groups there are.
  ///
  /// Runs off the calling thread.
  public static func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false
  ) async throws -> Int where Question.Model == Self {
    try await Persistence.store.count(question, newestCommit: newestCommit)
  }

  /// Every row of a projection or of groups, in its order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func fetch<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Question.Row], any Error>) -> Void)? = nil
  ) where Question.Model == Self, Question.Row: Sendable {
    Persistence.submit(on: queue, completion) {
      $0.fetch(question, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The first row of a projection or of groups; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func first<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Question.Row?, any Error>) -> Void)? = nil
  ) where Question.Model == Self, Question.Row: Sendable {
    Persistence.submit(on: queue, completion) {
      $0.first(question, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// How many rows a projection has, or how many groups there are.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func count<Question: ResultQuery>(
    _ question: Question, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) where Question.Model == Self {
    Persistence.submit(on: queue, completion) {
      $0.count(question, newestCommit: newestCommit, on: queue, $1)
    }
  }
}
