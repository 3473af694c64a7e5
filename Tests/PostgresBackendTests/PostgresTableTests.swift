import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Changes of tables beside programs that read them.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresTableTests {
  private let namespace = PostgresNamespace()

  private static func open(_ location: String, hasNote: Bool) throws -> PostgresStore {
    let note = AttributeDescription("note", .string, isOptional: true)
    let schema = try Schema(
      entities: [
        EntityDescription(
          name: "Jar", attributes: [AttributeDescription("id", .int64)] + (hasNote ? [note] : []),
          key: ["id"])
      ])
    var options = StoreOptions()
    options.writerWait = .seconds(120)
    return try PostgresStore(location, schema: schema, options: options)
  }

  private func count(_ store: PostgresStore) throws -> Int {
    try store.read { try $0.count(DynamicQuery("Jar")) }
  }

  /// True while a change of the table waits for its lock.
  private func isWaiting() throws -> Bool {
    try PostgresServer.psql(
      "SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' "
        + "AND relation = '\(namespace.name).\"Jar\"'::regclass") == ["1"]
  }

  @Test("A change of a table that waits for one reader lets others read, and is made after it")
  func readers() throws {
    let location = try namespace.location()
    let old = try Self.open(location, hasNote: false)
    try old.write { try $0.insert([DynamicRow("Jar", ["id": .int(1)])]) }
    let other = try Self.open(location, hasNote: false)
    #expect(try count(other) == 1)
    let opened = SharedList<PostgresStore>()
    let isOver = DispatchSemaphore(value: 0)
    try old.read { (tx: ReadTransaction) throws in
      #expect(try tx.count(DynamicQuery("Jar")) == 1)
      Thread.detachNewThread {
        do {
          opened.add(try Self.open(location, hasNote: true))
        } catch {
          Issue.record("the store is not opened: \(error)")
        }
        isOver.signal()
      }
      let isWaitedFor = try waited { try isWaiting() }
      #expect(isWaitedFor)
      // This reader stands behind the change, which gives way to it.
      #expect(try count(other) == 1)
    }
    isOver.wait()
    let new = try #require(opened.all.first)
    #expect(
      try PostgresServer.psql(
        "SELECT attname FROM pg_attribute WHERE attrelid = '\(namespace.name).\"Jar\"'::regclass "
          + "AND attnum > 0 ORDER BY attnum") == ["id", "note"])
    #expect(try count(new) == 1)
    for store in [old, other, new] { try store.close() }
  }

  @Test("A session that the server ends while a program stands still is connectionLost")
  func idleInTransaction() throws {
    let setting =
      "-c idle_in_transaction_session_timeout=1000"
      .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let store = try PostgresStore(
      namespace.location() + "&options=\(setting)",
      schema: Schema(
        entities: [
          EntityDescription(
            name: "Jar", attributes: [AttributeDescription("id", .int64)], key: ["id"])
        ]))
    do {
      try store.write { tx in
        try tx.insert([DynamicRow("Jar", ["id": .int(1)])])
        #expect(try tx.count(DynamicQuery("Jar")) == 1)
        // The server's process has ended once it holds no lock.
        let isEnded = try waited {
          try PostgresServer.psql(
            "SELECT 1 FROM pg_locks WHERE relation = '\(namespace.name).\"Jar\"'::regclass"
          ).isEmpty
        }
        #expect(isEnded)
        try tx.insert([DynamicRow("Jar", ["id": .int(2)])])
      }
      Issue.record("the server has not ended the session")
    } catch let error as StoreError { #expect(error.code == .connectionLost) }
    #expect(try count(store) == 0)
    try store.close()
  }
}
