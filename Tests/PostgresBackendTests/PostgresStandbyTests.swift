import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// A standby of a server, which answers reads.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresStandbyTests {
  @Test("9.4: A standby gives the answers of its server, and its writes are readOnly")
  func standby() throws {
    guard let server = try OwnServer() else { return }
    defer { server.stop() }
    let primary = server.location + "&namespace=words"
    let store = try PostgresStore(primary, schema: Schema(Word.self))
    let words = (1...200).map { Word(id: $0, text: "w\($0 % 9)", weight: Double($0)) }
    try store.save(words)
    let folder = try server.startStandby()
    let location = try PostgresServer.location(
      of: "words", at: folder, on: server.location)
    var options = StoreOptions()
    options.isReadOnly = true
    let standby = try PostgresStore(location, schema: Schema(Word.self), options: options)
    #expect(try standby.fetch(Word.all) == words)
    let some = try store.fetch(Word.all.where { $0.text == "w3" })
    #expect(try standby.fetch(Word.all.where { $0.text == "w3" }) == some)
    #expect(try standby.count(Word.self) == 200)
    #expect(try standby.sum(Word.all, \.weight) == 20_100)
    #expect(try standby.check().isSound)
    let saving = code { _ = try standby.save(words[0]) }
    #expect(saving == .readOnly)
    // A snapshot stays as it is while the standby hears of more.
    try standby.read { transaction in
      #expect(try transaction.count(Word.self) == 200)
      try store.save(Word(id: 201, text: "new", weight: 0))
      usleep(100_000)
      #expect(try transaction.count(Word.self) == 200)
    }
    var attempts = 0
    while try standby.count(Word.self) < 201, attempts < 500 {
      usleep(10_000)
      attempts += 1
    }
    #expect(try standby.count(Word.self) == 201)
    // Opened for writing, a standby is refused, or refuses each write.
    let found = code {
      let writing = try PostgresStore(location, schema: Schema(Word.self))
      defer { try? writing.close() }
      try writing.save(Word(id: 202, text: "x", weight: 0))
    }
    #expect(found == .readOnly)
    // Of several hosts, the setting of libpq finds the one that is asked for.
    let both = "\(folder),\(server.location.split(separator: "=").last ?? "")"
    let base = server.location.prefix { $0 != "?" }
    let hosts = "\(base)?host=\(both)&namespace=words&target_session_attrs="
    let writer = try PostgresStore(hosts + "read-write", schema: Schema(Word.self))
    try writer.save(Word(id: 203, text: "found", weight: 0))
    #expect(try store.find(Word.self, 203)?.text == "found")
    try writer.close()
    let reader = try PostgresStore(hosts + "standby", schema: Schema(Word.self), options: options)
    #expect(try reader.query(sql: "SELECT pg_is_in_recovery()::text AS r").count == 1)
    try reader.close()
    try standby.close()
    try store.close()
  }
}
