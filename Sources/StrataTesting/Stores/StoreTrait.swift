internal import Foundation
public import ORM
internal import ORMCore
internal import MemoryBackend
public import Testing

/// A trait that gives each test a new store as its default store.
///
/// ```swift
/// @Test(.store(schema)) func saves() throws {
///   try Snack(name: "Chips").save()
///   #expect(try Snack.all.count() == 1)
/// }
/// ```
///
/// The store is bound to the task of the test (`Persistence.with`), so tests run in parallel and share
/// nothing. It is closed when the test ends, and its files are removed. On a suite, every test of it gets
/// a store of its own.
public struct StoreTrait: TestTrait, SuiteTrait, TestScoping {
  private let schema: @Sendable () throws -> Schema
  private let kinds: [StoreKind]
  private let options: StoreOptions
  /// True if a test runs once on every kind; false if it runs on the first.
  private let isOnEvery: Bool
  /// True, so that the tests of a suite have the trait.
  public var isRecursive: Bool { true }

  init(
    _ schema: @escaping @Sendable () throws -> Schema, _ kinds: [StoreKind],
    _ options: StoreOptions?,
    isOnEvery: Bool
  ) {
    self.schema = schema
    self.kinds = kinds.isEmpty ? [.memory] : kinds
    self.options = options ?? StoreOptions.forTests
    self.isOnEvery = isOnEvery
  }

  /// Runs a test, once for each of its kinds, one after the other.
  ///
  /// The library gives a function that must not outlive this call, so that no task group can have it.
  ///
  /// - Throws: the errors of opening a store; of the test, the first one with the name of the kind.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let chosen = StoreKind.tested(kinds)
    let run = isOnEvery ? chosen : Array(chosen.prefix(1))
    let schema = try schema()
    if run.count == 1 {
      try await run[0].withTestStore(schema, options: options) { store in
        try await Persistence.with(store) { try await function() }
      }
      return
    }
    for kind in run {
      do {
        try await kind.withTestStore(schema, options: options) { store in
          try await Persistence.with(store) { try await function() }
        }
      } catch { throw StoreTestError(kind: kind.scheme, error: error) }
    }
  }
}

/// An error of a test that ran on a kind of store.
public struct StoreTestError: Error, CustomStringConvertible {
  /// The kind of the store.
  public let kind: String
  /// The error that the test threw.
  public let error: any Error
  /// The kind and the error.
  public var description: String { "on \(kind): \(error)" }
}

extension Trait where Self == StoreTrait {
  /// Gives a test a new store of a kind, the first of those that are named, or a memory store.
  ///
  /// ```swift
  /// @Test(.store(schema, .memory, .sqlite)) func saves() throws {
  ///   try Snack(name: "Chips").save()
  /// }
  /// ```
  ///
  /// `STRATA_TEST_STORES=sqlite` in the environment chooses another one of them.
  public static func store(
    _ schema: @autoclosure @escaping @Sendable () throws -> Schema, _ kinds: StoreKind...,
    options: StoreOptions? = nil
  ) -> StoreTrait { StoreTrait(schema, kinds, options, isOnEvery: false) }

  /// Runs a test once on a new store of each kind, one after the other.
  ///
  /// ```swift
  /// @Test(.stores(schema, .memory, .sqlite, .lmdb)) func everywhere() throws {
  ///   try Persistence.store.save(Snack(name: "Chips"))
  /// }
  /// ```
  ///
  /// The body takes the store from `Persistence.store`, or uses the operations of models. A trait cannot
  /// pass arguments. For runs in parallel, each with a line in the report, make the kind an argument of the
  /// test: `@Test(arguments: StoreKind.tested(.memory, .sqlite))`, with `withTestStore`.
  public static func stores(
    _ schema: @autoclosure @escaping @Sendable () throws -> Schema, _ kinds: StoreKind...,
    options: StoreOptions? = nil
  ) -> StoreTrait { StoreTrait(schema, kinds, options, isOnEvery: true) }
}
