internal import ORMObservation
public import OrderedEngine

/// The behaviour that every `OrderedStore` has, as a list of cases and a random comparison with a
/// model.
///
/// It proves a map alone, before there is a store on it. The test of a map is a few lines:
///
/// ```swift
/// @Suite struct MyMapTests {
///   static let contract = OrderedStoreContract<MyMap> { try MyMap(path: newPath()) }
///
///   @Test(arguments: OrderedStoreContract<MyMap>.cases)
///   func holds(_ item: OrderedStoreContract<MyMap>.Case) throws { try Self.contract.run(item) }
///
///   @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel() }
/// }
/// ```
public struct OrderedStoreContract<Store: OrderedStore>: Sendable {
  /// One clause of the contract, and a check of it.
  public struct Case: Sendable, CustomStringConvertible {
    /// The clause, in a sentence; unique among the cases.
    public let name: String
    let body: @Sendable (Store, UInt64) throws -> Void

    /// A case that does the same at each run.
    init(_ name: String, _ body: @escaping @Sendable (Store) throws -> Void) {
      self.init(random: name) { store, _ in try body(store) }
    }

    /// A case that depends on a seed.
    init(random name: String, _ body: @escaping @Sendable (Store, UInt64) throws -> Void) {
      self.name = name
      self.body = body
    }

    /// The clause.
    public var description: String { name }
  }

  let make: @Sendable () throws -> Store
  let inspect: @Sendable (Store) throws -> Void

  /// Prepares the contract for one kind of map.
  ///
  /// - Parameters:
  ///   - inspect: checks the map's own invariants; called between transactions.
  ///   - make: opens a new, empty map at each call. The contract closes the map.
  public init(
    inspect: @escaping @Sendable (Store) throws -> Void = { _ in },
    make: @escaping @Sendable () throws -> Store
  ) {
    self.make = make
    self.inspect = inspect
  }

  /// All clauses.
  public static var cases: [Case] {
    pointCases + cursorCases + writeCases + transactionCases + bulkCases
  }

  /// Runs one case on a new map.
  ///
  /// - Parameters:
  ///   - item: the case, one of ``cases``.
  ///   - seed: the seed of the few cases that use random keys. A failure names it.
  /// - Throws: `ConformanceFailure` where the map breaks the clause, and the errors of the map.
  public func run(_ item: Case, seed: UInt64 = .random(in: 0 ... .max)) throws {
    try naming(item.name, seed) {
      let store = try make()
      try item.body(store, seed)
      try inspect(store)
      try store.close()
    }
  }

  /// Runs all cases and the comparison with the model, each on a new map.
  ///
  /// - Parameter seed: the seed of everything that is random. A failure names it.
  /// - Throws: the first `ConformanceFailure`, and the errors of the map.
  public func check(seed: UInt64 = .random(in: 0 ... .max)) throws {
    for item in Self.cases { try run(item, seed: seed) }
    try compareWithModel(seed: seed)
  }

  /// Runs `body`, and completes the failures that it throws.
  func naming(_ name: String, _ seed: UInt64, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch var failure as ConformanceFailure {
      failure.name = name
      failure.store = "\(Store.self)"
      failure.subject += failure.subject.isEmpty ? "seed \(seed)" : ", seed \(seed)"
      throw failure
    }
  }
}

/// Throws a failure unless the condition is true.
package func require(
  _ condition: @autoclosure () throws -> Bool, _ subject: @autoclosure () -> String = "",
  file: String = #fileID, line: Int = #line
) throws {
  if try condition() { return }
  throw ConformanceFailure(
    contract: subject(), expected: "it holds", got: "it does not", file: file, line: line)
}

/// Throws a failure unless both values are equal.
package func requireEqual<Value: Equatable>(
  _ got: Value, _ expected: Value, _ subject: @autoclosure () -> String = "",
  file: String = #fileID, line: Int = #line
) throws {
  if got == expected { return }
  throw ConformanceFailure(
    contract: subject(), expected: "\(expected)", got: "\(got)", file: file, line: line)
}

/// Throws a failure unless the body throws this error.
package func requireError(
  _ expected: Interruption, file: String = #fileID, line: Int = #line, _ body: () throws -> Void
) throws {
  var got = "no error"
  do {
    try body()
  } catch let error as Interruption where error == expected {
    return
  } catch let failure as ConformanceFailure {
    throw failure
  } catch {
    got = "\(error)"
  }
  throw ConformanceFailure(
    contract: "", expected: "\(expected)", got: got, file: file, line: line)
}

extension ConformanceFailure {
  /// A failure of an ordered map; the contract completes it.
  fileprivate init(
    contract subject: String, expected: String, got: String, file: String, line: Int
  ) {
    self.init(
      name: "", clauses: ["OrderedStore"], store: "", subject: subject,
      expected: String(expected.prefix(1_000)), got: String(got.prefix(1_000)),
      location: "\(file):\(line)")
  }
}
