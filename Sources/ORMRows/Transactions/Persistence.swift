public import ORMStorage

/// The default store, for programs that say `snack.save()`.
///
/// ```swift
/// try Persistence.setUp(SQLiteStore(path: "snacks.sqlite", schema: schema))
/// try Snack(name: "Chips").save()
/// ```
///
/// Set up once for the process, or bound to a task for tests, which then share nothing.
public enum Persistence {
  /// The default store and the author of a task.
  package struct Binding: Sendable {
    package var store: (any Store)?
    package var author: String?
  }

  @TaskLocal package static var bound: Binding?
  private static let configured = Lock<Configured?>(nil)

  private struct Configured {
    let identity: String
    let store: any Store
  }

  /// The store bound to this task, or the one set up for the process.
  ///
  /// ```swift
  /// let count = try Persistence.store.count(Snack.self)
  /// ```
  ///
  /// - Throws: `notConfigured` when there is neither.
  public static var store: any Store {
    get throws {
      if let store = bound?.store { return store }
      if let configured = configured.withLock({ $0?.store }) { return configured }
      throw StoreError(
        .notConfigured,
        "there is no default store: call `Persistence.setUp`, or run the code in "
          + "`Persistence.with`")
    }
  }

  /// Makes a store the default of the process.
  ///
  /// ```swift
  /// try Persistence.setUp(MemoryStore(schema: schema))
  /// ```
  ///
  /// Called again with the same store it does nothing.
  ///
  /// - Throws: `notConfigured` when another store was set up before.
  public static func setUp(_ store: any Store) throws {
    try setUp(identity: "\(ObjectIdentifier(store.runtime))") { store }
  }

  /// Opens the default store of the process, unless the same was set up before.
  ///
  /// - Throws: `notConfigured` if another one was set up, and the errors of opening.
  package static func setUp(identity: String, _ open: () throws -> any Store) throws {
    try configured.withLock { configured in
      if let configured {
        guard configured.identity.hasSameScalars(as: identity) else {
          throw StoreError(
            .notConfigured,
            "a default store is set up already; call `Persistence.setUp` once")
        }
        return
      }
      configured = Configured(identity: identity, store: try open())
    }
  }

  /// Closes the default store of the process and forgets it.
  ///
  /// ```swift
  /// try Persistence.tearDown()
  /// ```
  ///
  /// - Throws: as `close()`; the store is forgotten all the same.
  public static func tearDown() throws { try forget()?.close() }

  /// Closes the default store of the process and forgets it, without holding a thread.
  ///
  /// ```swift
  /// try await Persistence.tearDown()
  /// ```
  ///
  /// - Throws: as the async `close()`; the store is forgotten all the same.
  public static func tearDown() async throws { try await forget()?.close() }

  /// Forgets the default store of the process, and returns it.
  private static func forget() -> (any Store)? {
    configured.withLock { configured in
      defer { configured = nil }
      return configured?.store
    }
  }

  /// Runs `body` with a default store of its own, in this task and those it starts.
  ///
  /// ```swift
  /// try Persistence.with(MemoryStore(schema: schema)) {
  ///   try Snack(name: "Chips").save()
  /// }
  /// ```
  @discardableResult
  public static func with<Result>(
    _ store: any Store, _ body: () throws -> Result
  ) rethrows -> Result {
    try $bound.withValue(Binding(store: store, author: bound?.author), operation: body)
  }

  /// Runs `body` with a default store of its own, in this task and those it starts.
  ///
  /// ```swift
  /// try await Persistence.with(MemoryStore(schema: schema)) {
  ///   try await Snack(name: "Chips").save()
  /// }
  /// ```
  @discardableResult
  public static func with<Result>(
    _ store: any Store, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $bound.withValue(Binding(store: store, author: bound?.author), operation: body)
  }

  /// The author that change sets name for the writes of this task; nil unless `withAuthor`
  /// set one.
  public static var author: String? { bound?.author }

  /// Runs `body` with an author for its writes, in this task and those it starts.
  ///
  /// ```swift
  /// try Persistence.withAuthor("import") { try store.save(snacks) }
  /// ```
  ///
  /// The author is named by ``CommitStamp/author``, instead of `StoreOptions.author`.
  @discardableResult
  public static func withAuthor<Result>(
    _ author: String?, _ body: () throws -> Result
  ) rethrows -> Result {
    try $bound.withValue(Binding(store: bound?.store, author: author), operation: body)
  }

  /// Runs `body` with an author for its writes, in this task and those it starts.
  ///
  /// ```swift
  /// try await Persistence.withAuthor("import") { try await store.save(snacks) }
  /// ```
  @discardableResult
  public static func withAuthor<Result>(
    _ author: String?, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await $bound.withValue(Binding(store: bound?.store, author: author), operation: body)
  }

  /// Runs the body of an async operation, on any thread, with the store and author that its task had
  /// bound.
  ///
  /// Mostly that is nothing on both sides, and binding would cost an allocation.
  package static func rebinding<Result>(
    _ binding: Binding?, _ body: () throws -> Result
  ) rethrows -> Result {
    if binding == nil, bound == nil { return try body() }
    return try $bound.withValue(binding, operation: body)
  }
}
