#if canImport(XCTest)
  internal import Foundation
  internal import MemoryBackend
  public import ORM
  internal import ORMCore
  public import XCTest

  /// A base for test cases of XCTest that use the default store.
  ///
  /// ```swift
  /// final class SnackTests: StoreTestCase {
  ///   override class var schema: Schema { get throws { try Schema(Snack.self) } }
  ///
  ///   func testSaves() throws {
  ///     try Snack(name: "Chips").save()
  ///     XCTAssertEqual(try store.count(Snack.self), 1)
  ///   }
  /// }
  /// ```
  ///
  /// Each test has a new store, bound for the length of the test and then removed with its files. Test
  /// methods that are `async` use ``store``, since they run on a task of their own.
  open class StoreTestCase: XCTestCase {
    /// The schema of the stores.
    open class var schema: Schema {
      get throws { throw StoreError(.notConfigured, "the test case overrides no `schema`") }
    }
    /// The kinds that a test may run on: the first, unless `STRATA_TEST_STORES` names another one.
    open class var kinds: [StoreKind] { [.memory] }

    private var opened: Result<any Store, any Error>?

    /// The store of the test that runs.
    public var store: any Store {
      get throws {
        guard let opened else {
          throw StoreError(.notConfigured, "a store is there only while a test runs")
        }
        return try opened.get()
      }
    }

    /// Runs the test with a new store as the default store.
    open override func invokeTest() {
      do {
        let kind = StoreKind.tested(Self.kinds).first ?? .memory
        let schema = try Self.schema
        try kind.withTestStore(schema) { (store: any Store) throws -> Void in
          opened = .success(store)
          defer { opened = nil }
          Persistence.with(store) { super.invokeTest() }
        }
      } catch {
        // The test itself reports the error, when it asks for the store.
        opened = .failure(error)
        defer { opened = nil }
        super.invokeTest()
      }
    }
  }
#endif
