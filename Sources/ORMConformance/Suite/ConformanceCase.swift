/// One thing that every store does, as data: a sentence, the clauses of the semantic contract that
/// it proves, and a closure.
///
/// ```swift
/// let own = ConformanceCase("a saved snack is found", "5.1") { context in
///   let store = try context.open(Snack.self)
///   let saved = try store.save(Snack(name: "Chips"))
///   try context.expectEqual(try store.find(Snack.self, saved.id)?.name, "Chips")
/// }
/// try await own.run(on: MyProvider())
/// ```
public struct ConformanceCase: Sendable {
  /// The claim that the case proves, in a sentence; unique in the suite.
  public let name: String
  /// The numbers of the clauses of `Documentation/Semantics.md` that it proves, such as `2.1`.
  public let clauses: [String]
  let body: Body

  enum Body: Sendable {
    case sync(@Sendable (ConformanceContext) throws -> Void)
    case async(@Sendable (ConformanceContext) async throws -> Void)
  }

  /// A case that uses the synchronous operations.
  public init(
    _ name: String, _ clauses: String...,
    run: @escaping @Sendable (ConformanceContext) throws -> Void
  ) {
    self.name = name
    self.clauses = clauses
    body = .sync(run)
  }

  /// A case that uses the asynchronous operations.
  public init(
    async name: String, _ clauses: String...,
    run: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) {
    self.name = name
    self.clauses = clauses
    body = .async(run)
  }

  /// The case run in another manner, which proves a further clause.
  func variant(
    _ manner: String, proving clause: String,
    run: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      name: "\(name), \(manner)", clauses: clauses.filter { $0 != clause } + [clause],
      body: .sync(run))
  }

  private init(name: String, clauses: [String], body: Body) {
    self.name = name
    self.clauses = clauses
    self.body = body
  }

  /// Runs the case on new stores of the provider, and closes them.
  ///
  /// ```swift
  /// for item in ConformanceSuite.all { try await item.run(on: MyProvider()) }
  /// ```
  ///
  /// - Throws: `ConformanceFailure` where the store does something else, and errors that the store should not
  ///   throw.
  public func run(on provider: any StoreProvider) async throws {
    let context = ConformanceContext(provider: provider, name: name, clauses: clauses)
    do {
      switch body {
      case .sync(let run): try await offThePool { try run(context) }
      case .async(let run): try await run(context)
      }
    } catch {
      try? await offThePool { context.closeQuietly() }
      throw error is ConformanceFailure ? error : context.failure(surprise: error)
    }
    try await offThePool { try context.closeAll() }
  }
}

extension ConformanceCase: CustomStringConvertible {
  /// The clauses and the sentence.
  public var description: String { "[\(clauses.joined(separator: ", "))] \(name)" }
}
