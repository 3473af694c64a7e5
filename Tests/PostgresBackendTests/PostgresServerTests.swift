import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Servers that are full, far away, or not there.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresServerTests {
  private func word(_ id: Int) -> Word { Word(id: id, text: "w\(id)", weight: 1) }

  @Test("8.1, 9.4: A host that is not there is cannotOpen, and no text shows the password")
  func unreachable() throws {
    let locations = [
      "postgres://app:secret@no-such-host.invalid/shop",
      "postgres://app:secret@127.0.0.1:\(try OwnServer.freePort())/shop",
      "postgres://app:secret@/shop?host=/tmp/no-such-folder",
    ]
    for location in locations {
      let error = storeError { _ = try PostgresStore(location, schema: Schema(Word.self)) }
      #expect(error?.code == .cannotOpen, "\(location)")
      #expect(error?.message.contains("shop cannot be opened") == true)
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
  }

  @Test(
    "8.1: A server without a free connection is busy, and a store waits for one",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func connections() throws {
    let server = try OwnServer(
      settings: "-c max_connections=5 -c superuser_reserved_connections=0 -c max_wal_senders=0")
    defer { server.stop() }
    var options = StoreOptions()
    options.readerWait = .milliseconds(500)
    options.writerWait = .milliseconds(500)
    var stores: [PostgresStore] = []
    func open() throws {
      stores.append(
        try PostgresStore(
          server.location + "&namespace=words", schema: Schema(Word.self), options: options))
    }
    // Their waits are short, and a machine under load may be late.
    for _ in 0..<5 { try patiently { try open() } }
    #expect(storeError { try open() }?.code == .busy)
    // A read needs a connection of its own, beside the one that has opened the store.
    try patiently { try stores[0].save(word(1)) }
    #expect(storeError { _ = try stores[0].count(Word.self) }?.code == .busy)
    try stores.removeLast().close()
    #expect(try patiently { try stores[0].count(Word.self) } == 1)
    #expect(storeError { try open() }?.code == .busy)
    for store in stores { try store.close() }
    try patiently { try open() }
    #expect(try patiently { try stores.last?.fetch(Word.all) } == [word(1)])
    try stores.last?.close()
  }

  @Test(
    "8.1: A disk that is full is full, and what was written before is there",
    .enabled(if: OwnServer.isPossible, OwnServer.comment),
    .enabled("a volume can only be made as root", { TinyDisk.isPossible }))
  func full() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let disk = try TinyDisk(size: "4m")
    // The server runs as another user.
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: disk.folder.path)
    try server.run("CREATE TABLESPACE tiny LOCATION '\(try server.folder(in: disk))'")
    let location =
      server.location + "&namespace=words&options=-c%20default_tablespace%3Dtiny"
    let store = try PostgresStore(location, schema: Schema(Word.self))
    try store.save(word(1))
    var generator = SeededGenerator(seed: 1)
    var last = 1
    var error: StoreError?
    while error == nil, last < 1_000 {
      // Texts that cannot be made shorter.
      let text = String(
        String.UnicodeScalarView(
          (0..<50_000).map { _ in
            Unicode.Scalar(UInt32.random(in: 0x4E00...0x9FFF, using: &generator)) ?? "x"
          }))
      error = storeError { try store.save(Word(id: last + 1, text: text, weight: 1)) }
      if error == nil { last += 1 }
    }
    #expect(error?.code == .full)
    #expect(error.flatMap { $0.engineCode } == Int("53100", radix: 36))
    #expect(last > 1)
    #expect(try store.fetch(Word.all.select(\.id)) == Array(1...last))
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "9.1: A server over TCP and TLS, whose certificate must be of the root that is given",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func certificates() async throws {
    let port = try OwnServer.freePort()
    let server = try OwnServer(settings: "-c listen_addresses=localhost -c port=\(port)")
    defer { server.stop() }
    let folder = try server.speakTLS()
    func location(_ host: String, _ mode: String, _ root: String?) -> String {
      "postgres://postgres@\(host):\(port)/postgres?namespace=words&sslmode=\(mode)"
        + (root.map { "&sslrootcert=\(folder)/\($0).crt" } ?? "")
    }
    func open(_ location: String) throws -> PostgresStore {
      try PostgresStore(location, schema: Schema(Word.self))
    }
    let store = try open(location("localhost", "verify-full", "root"))
    let words = (1...3_000).map(word)
    try await store.save(words)
    for _ in 1...3 { #expect(try await store.fetch(Word.all) == words) }
    let isEncrypted: SQLRequest = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    #expect(try await store.query(sql: isEncrypted).first?["ssl"] == .bool(true))
    // A request to cancel goes over a connection of its own.
    let endless: SQLRequest = "SELECT count(*) AS n FROM generate_series(1, 1000000000000) AS a"
    let task = Task { try await store.query(sql: endless).count }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.find(Word.self, 7) == word(7))
    try await store.close()
    // Another root, and another name than the certificate's.
    for wrong in [
      location("localhost", "verify-full", "other"), location("127.0.0.1", "verify-full", "root"),
    ] {
      #expect(storeError { try open(wrong).close() }?.code == .cannotOpen, "\(wrong)")
    }
    let plain = try open(location("127.0.0.1", "disable", nil))
    #expect(try await plain.query(sql: isEncrypted).first?["ssl"] == .bool(false))
    #expect(try await plain.count(Word.self) == 3_000)
    try await plain.close()
  }
}
