import ORMCore
import OrderedEngine
import Testing

/// What every ``OrderedStore`` must do, as a table of cases and a random comparison with a model.
///
/// A store's own test is a few lines:
///
///     @Suite struct MyStoreTests {
///       static let contract = OrderedStoreContract<MyStore> { try MyStore() }
///       @Test(arguments: OrderedStoreContract<MyStore>.cases)
///       func keepsTheContract(_ item: OrderedStoreContract<MyStore>.Case) throws {
///         try Self.contract.run(item)
///       }
///       @Test func agreesWithTheModel() throws { try Self.contract.compareWithModel() }
///     }
///
/// `make` gives a new, empty store each time. The contract closes what it made. `inspect` is called
/// between transactions, for a store that can check its own invariants.
struct OrderedStoreContract<Store: OrderedStore>: Sendable {
  /// One clause of the contract, and how to see that it holds.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var body: @Sendable (Store) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Store) throws -> Void) {
      testDescription = name
      self.body = body
    }
  }

  let make: @Sendable () throws -> Store
  let inspect: @Sendable (Store) throws -> Void

  init(
    inspect: @escaping @Sendable (Store) throws -> Void = { _ in },
    make: @escaping @Sendable () throws -> Store
  ) {
    self.make = make
    self.inspect = inspect
  }

  static var cases: [Case] { pointCases + cursorCases + writeCases + transactionCases + bulkCases }

  /// Runs one case on a new store.
  func run(_ item: Case) throws {
    let store = try make()
    try item.body(store)
    try inspect(store)
    try store.close()
  }
}

/// A key or value of the tests.
typealias Bytes = [UInt8]

/// An entry of the tests: comparable with `==`, and printed.
struct Pair: Hashable, CustomStringConvertible {
  var key: Bytes
  var value: Bytes

  init(_ key: Bytes, _ value: Bytes) {
    self.key = key
    self.value = value
  }

  init(_ key: String, _ value: String) { self.init(Bytes(key.utf8), Bytes(value.utf8)) }

  var description: String { "\(key.prefix(24)):\(value.count > 24 ? [] : value)#\(value.count)" }
}

extension Bytes {
  /// Order as unsigned bytes, a prefix before what it begins.
  func precedes(_ other: Bytes) -> Bool { lexicographicallyPrecedes(other) }
}

/// The error the tests throw themselves.
struct Interruption: Error, Equatable { var number: Int }

extension OrderedStore {
  /// Runs `body` in a batch and commits it.
  func write<R>(_ body: (Batch) throws -> R) throws -> R {
    let batch = try batch(wait: 5)
    defer { batch.end() }
    let result = try body(batch)
    try batch.commit()
    return result
  }

  /// Runs `body` on a snapshot.
  func read<R>(_ body: (Snapshot) throws -> R) throws -> R {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    return try body(snapshot)
  }
}

extension OrderedSnapshot {
  /// The value of a key, copied.
  func value(_ key: Bytes, in space: Space) throws -> Bytes? {
    try key.withUnsafeBytes { try get($0, in: space) { Bytes($0) } }
  }

  func value(_ key: String, in space: Space) throws -> String? {
    try value(Bytes(key.utf8), in: space).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every entry, read forwards.
  func entries(in space: Space) throws -> [Pair] {
    let cursor = try cursor(in: space)
    var pairs: [Pair] = []
    var stands = try cursor.seek([])
    while stands {
      pairs.append(cursor.pair)
      stands = try cursor.next()
    }
    return pairs
  }

  /// Every entry, read backwards.
  func reversedEntries(in space: Space) throws -> [Pair] {
    let cursor = try cursor(in: space)
    var pairs: [Pair] = []
    var stands = try cursor.seekLast()
    while stands {
      pairs.append(cursor.pair)
      stands = try cursor.previous()
    }
    return pairs
  }

  /// Expects exactly these entries: by both scans, by key, and by count.
  func expect(
    _ pairs: [Pair], in space: Space, _ note: @autoclosure () -> String = "",
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let found = try entries(in: space)
    #expect(found == pairs, "forwards \(note())", sourceLocation: place)
    let reversed = try reversedEntries(in: space)
    #expect(reversed == pairs.reversed(), "backwards \(note())", sourceLocation: place)
    let count = try count(of: space)
    #expect(count == pairs.count, "count \(note())", sourceLocation: place)
    let missing = try pairs.filter { try value($0.key, in: space) != $0.value }
    #expect(missing == [], "by key \(note())", sourceLocation: place)
    let cursor = try cursor(in: space)
    let unseen = try pairs.filter { try cursor.value($0.key) != $0.value }
    #expect(unseen == [], "by key, by one cursor \(note())", sourceLocation: place)
  }
}

extension OrderedCursor {
  func seek(_ key: Bytes) throws -> Bool { try key.withUnsafeBytes { try seek($0) } }
  func seek(_ key: String) throws -> Bool { try seek(Bytes(key.utf8)) }
  func value(_ key: Bytes) throws -> Bytes? {
    try key.withUnsafeBytes { try value(of: $0).map { Bytes($0) } }
  }
  func seek(before key: Bytes) throws -> Bool { try key.withUnsafeBytes { try seek(before: $0) } }
  func seek(before key: String) throws -> Bool { try seek(before: Bytes(key.utf8)) }
  /// The entry it stands on, copied.
  var pair: Pair { Pair(Bytes(key), Bytes(value)) }
  var text: String { String(decoding: key, as: UTF8.self) }
  /// What `read` gives, copied.
  func pairs(upTo room: Int, forwards: Bool) throws -> [Pair] {
    try withUnsafeTemporaryAllocation(of: OrderedEntry.self, capacity: room) {
      let count = try read($0, forwards: forwards)
      return $0[..<count].map { Pair(Bytes($0.key), Bytes($0.value)) }
    }
  }
}

extension OrderedBatch {
  func put(_ key: Bytes, _ value: Bytes, in space: Space) throws {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try put(key, $0, in: space) }
    }
  }

  func put(_ key: String, _ value: String, in space: Space) throws {
    try put(Bytes(key.utf8), Bytes(value.utf8), in: space)
  }

  func insert(_ key: Bytes, _ value: Bytes, in space: Space) throws -> Bool {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try insert(key, $0, in: space) }
    }
  }

  func insert(_ key: String, _ value: String, in space: Space) throws -> Bool {
    try insert(Bytes(key.utf8), Bytes(value.utf8), in: space)
  }

  func remove(_ key: Bytes, in space: Space) throws -> Bool {
    try key.withUnsafeBytes { try remove($0, in: space) }
  }

  func remove(_ key: String, in space: Space) throws -> Bool {
    try remove(Bytes(key.utf8), in: space)
  }
}
