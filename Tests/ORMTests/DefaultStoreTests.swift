import Dispatch
import Foundation
import MemoryBackend
import ORM
import TestSupport
import Testing

@Suite struct DefaultStoreTests {
  @Test(
    "S7: operations of the model and of queries, sync and async, go to the task's store",
    arguments: StoreKind.everywhere)
  func modelOperations(_ kind: StoreKind) async throws {
    try await Persistence.with(kind.openStore()) {
      let chips = try await Snack("Chips", price: 2).save()
      #expect(try await Snack.find(chips.id) == chips)
      #expect(
        try await Persistence.store.save(Snack("Chips", taste: "t"), matchingOn: \.name).updated
          == 1)
      #expect(try await Persistence.store.save([Snack("a"), Snack("b")]).inserted == 2)
      #expect(try await Snack.count() == 3)
      #expect(try await Snack.patch(chips.id) { $0.price = 9 } == 1)
      #expect(try await Snack.all.update { $0[\.price] += 1 } == 3)
      #expect(try await Snack.all.sum(\.price) == 12)
      #expect(try await Persistence.store.delete(Snack("a"), matchingOn: \.name) == 1)
      #expect(try await Snack.all.limit(1).delete() == 1)
      #expect(try await Snack.fetch().map(\.name) == ["b"])
      try Self.syncOperations()
      let names = SharedList<String>()
      try Self.completionOperation(names)
      #expect(try await eventually { names.all == ["later"] })
      let store = try Persistence.store
      try await store.write { tx in
        let bound = try Persistence.store.runtime
        let (inner, outer) = (try Snack.count(), try tx.count(Snack.self))
        #expect(inner == outer && bound === store.runtime)
      }
    }
    #expect(fault { _ = try Persistence.store } == "notConfigured")
  }

  static func completionOperation(_ names: SharedList<String>) throws {
    try Persistence.store.write(on: .global()) {
      try $0.save(Snack("later"))
    } completion: {
      names.add((try? $0.get().name) ?? "failed")
    }
    #expect(try Snack.count() == 2)
  }

  static func syncOperations() throws {
    let extra = try Snack("sync").save()
    #expect(try Snack.find(extra.id) == extra)
    #expect(try extra.delete())
    #expect(try Snack.all.one()?.name == "b")
  }

  @Test(
    "6.2: a read after a block with a handler sees its write; a failure without a handler is reported",
    arguments: StoreKind.everywhere)
  func completions(_ kind: StoreKind) async throws {
    let errors = SharedList<String>()
    let store = try kind.openStore {
      $0.onError = { errors.add("\(($0 as? StoreError)?.code.rawValue ?? "")") }
    }
    try Self.fireAndForget(store)
    #expect(try await eventually { errors.all == ["notFound"] })
    let counts = SharedList<Int>()
    store.read(on: .global()) {
      try $0.count(Snack.self)
    } completion: {
      counts.add((try? $0.get()) ?? -1)
    }
    #expect(try await eventually { counts.all == [1] })
  }

  static func fireAndForget(_ store: any Store) throws {
    store.write(on: .global()) { try $0.save(Snack("a")) }
    store.write(on: .global()) { try $0.save(Snack("b"), matching: \.name == "b") }
    #expect(try store.fetch(Snack.all).map(\.name) == ["a", "b"])
    store.write(rows: 1, on: .global()) { try $0.update(Snack("none", id: 99)) }
    store.write(on: .global()) { try $0.delete(Snack.where { $0.name == "a" }) }
    #expect(try store.count(Snack.self) == 1)
  }

  @Test("S7: set up again with the same store does nothing, with another it throws")
  func settingUp() async throws {
    func tearDown() throws { try Persistence.tearDown() }
    let first = try StoreKind.memory.openStore()
    try Persistence.setUp(first)
    try Persistence.setUp(first)
    #expect(fault { try Persistence.setUp(try StoreKind.memory.openStore()) } == "notConfigured")
    try await Persistence.tearDown()
    #expect(fault { _ = try first.count(Snack.self) } == "closed")
    let schema = try Schema(Snack.self)
    let location = StoreLocation(kind: .memory, path: nil)
    try Persistence.setUp(location, schema: schema)
    let store = try Persistence.store
    try Persistence.setUp(location, schema: schema)
    #expect(try Persistence.store.runtime === store.runtime)
    var options = StoreOptions()
    options.readers = 3
    #expect(
      fault { try Persistence.setUp(location, schema: schema, options: options) } == "notConfigured"
    )
    #expect(fault { try Persistence.setUp(location, schema: Schema(Line.self)) } == "notConfigured")
    try tearDown()
    // Two spellings of a name are two locations.
    let folder = UUID()
    let paths = ["\u{E9}", "e\u{301}"].map { "\(NSTemporaryDirectory())strata-\(folder)-\($0)" }
    try Persistence.setUp(StoreLocation(kind: .memory, path: paths[0]), schema: schema)
    #expect(
      fault {
        try Persistence.setUp(StoreLocation(kind: .memory, path: paths[1]), schema: schema)
      } == "notConfigured")
    try tearDown()
  }

  @Test("kinds of stores: equal by their schemes, which name them")
  func kinds() {
    func other(_ scheme: String) -> StoreKind {
      StoreKind(scheme: scheme, otherSchemes: ["memory"], fileExtension: "x") { _, _, _ in
        throw StoreError(.engine, "")
      }
    }
    #expect(StoreKind.memory == .memory && StoreKind.memory == other("memory"))
    #expect(StoreKind.memory != other("mine") && other("mine") == other("mine"))
    #expect(Set([.memory, other("memory"), other("mine"), other("mine")]).count == 2)
    #expect("\(StoreKind.memory)" == "memory" && "\(other("mine"))" == "mine")
    #expect(other("mine").isNamed("memory") && !other("mine").isNamed("sqlite"))
  }

  @Test("locations: a scheme, a colon and a path")
  func locations() throws {
    let kind = StoreKind(scheme: "file", fileExtension: "x") { _, _, _ in
      throw StoreError(.engine, "")
    }
    func path(_ text: String) throws -> String? {
      try StoreLocation(text, among: [kind, .memory]).path
    }
    #expect(try path("file:a.x") == "a.x")
    #expect(try path("file:///tmp/a.x") == "/tmp/a.x")
    #expect(try path("file:a:b") == "a:b")
    #expect(try path("memory:") == nil)
    for text in ["", "file", "file:", "nope:a", ":a", "file://"] {
      #expect(fault { _ = try path(text) } == "invalidLocation", "\(text)")
    }
    let named = StoreLocation(kind: kind, named: "App").path
    #expect(named?.hasSuffix("/App.x") == true)
    #expect(named?.hasPrefix("/") == true)
  }

  @Test("UUIDs of version 7 grow, and have RFC 9562's layout", arguments: StoreKind.everywhere)
  func timeOrderedUUIDs(_ kind: StoreKind) throws {
    let store = try kind.openStore()
    let before = UInt64(Date.now.timeIntervalSince1970 * 1000)
    let keys = try store.save((0..<5000).map { Person(name: "\($0)") }).keys
    let texts = keys.map(\.uuidString)
    #expect(texts == texts.sorted())
    #expect(Set(texts).count == 5000)
    for key in keys {
      #expect(key.uuid.6 >> 4 == 7)
      #expect(key.uuid.8 >> 6 == 0b10)
    }
    let first = keys[0].uuid
    let milliseconds = [first.0, first.1, first.2, first.3, first.4, first.5]
      .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(milliseconds >= before && milliseconds <= before + 60_000)
  }
}
