import Foundation
import ORM
import ORMCore
import PostgresBackend
import TestSupport
import Testing

/// Logins that fail, servers that restart, and commits that are broken off.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresFaultTests {
  private let namespace = PostgresNamespace()

  /// True if the server asks the role `strata_password` for a password, as that of the script does.
  private static var asksForPasswords: Bool {
    let found = try? PostgresServer.psql(
      "SELECT count(*) > 0 FROM pg_hba_file_rules WHERE user_name @> '{strata_password}'")
    return found == ["t"]
  }

  @Test(
    "9.4: A wrong password is cannotOpen, and no text shows it",
    .enabled("the server asks no role for a password") { asksForPasswords })
  func password() throws {
    try PostgresServer.psql(
      """
      DROP ROLE IF EXISTS strata_password; CREATE ROLE strata_password LOGIN PASSWORD 'right one';
      CREATE SCHEMA \(namespace.name) AUTHORIZATION strata_password
      """)
    defer {
      _ = try? PostgresServer.psql("DROP OWNED BY strata_password; DROP ROLE strata_password")
    }
    let schema = try Schema(Word.self)
    let plain = try PostgresServer.location(of: namespace.name, user: "strata_password")
    let wrong = try PostgresServer.location(of: namespace.name, user: "strata_password:wrong-one")
    for location in [plain, wrong] {
      let error = storeError { _ = try PostgresStore(location, schema: schema) }
      #expect(error?.code == .cannotOpen)
      #expect(error?.message.contains("strata_password@") == true)
      #expect(error.map { "\($0)" }?.contains("wrong-one") == false)
    }
    let right = try PostgresServer.location(of: namespace.name, user: "strata_password:right%20one")
    let store = try PostgresStore(right, schema: schema)
    try store.save(Word(id: 1, text: "a", weight: 1))
    #expect(!"\(store.runtime)".contains("right"))
    try store.close()
    // A closure gives the password for each connection.
    var options = PostgresOptions()
    options.password = { "right one" }
    let other = try PostgresStore(plain, schema: schema, postgres: options)
    #expect(try other.count(Word.self) == 1)
    try other.close()
    options.password = { throw StoreError(.denied, "there is no token") }
    #expect(
      storeError { _ = try PostgresStore(plain, schema: schema, postgres: options) }?.code
        == .denied)
  }

  @Test(
    "9.3: A refusal is known by its SQLSTATE, whatever the language of the server",
    arguments: [
      ("53300", "leider sind schon zu viele Verbindungen offen", StoreError.Code.busy),
      ("57P03", "das Datenbanksystem startet", .busy),
      ("28P01", "Passwort-Authentifizierung fehlgeschlagen", .cannotOpen),
      ("3D000", "Datenbank existiert nicht", .cannotOpen),
    ])
  func languages(_ state: String, _ words: String, _ code: StoreError.Code) {
    let error = PostgresFailure.failedConnection(
      to: "postgres:app@db/shop",
      """
      connection to server on socket "/tmp/.s.PGSQL.5432" failed: SCHWERWIEGEND:  \(state): \(words)
      ORT:  InitProcess, proc.c:359

      """)
    #expect(error.code == code)
    #expect(error.engineCode == Int(state, radix: 36))
    #expect(
      error.message == """
        postgres:app@db/shop cannot be opened: connection to server on socket \
        "/tmp/.s.PGSQL.5432" failed: SCHWERWIEGEND: \(words)
        """)
  }

  @Test("9.3: A commit that the server breaks off is connectionLost, and the store goes on")
  func commit() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    try store.save(Word(id: 1, text: "a", weight: 1))
    try PostgresServer.psql(
      """
      CREATE FUNCTION \(namespace.name).cut() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
      CREATE TRIGGER cut BEFORE INSERT OR UPDATE ON \(namespace.name).strata_meta FOR EACH ROW
      EXECUTE FUNCTION \(namespace.name).cut()
      """)
    let error = storeError { try store.save(Word(id: 2, text: "b", weight: 1)) }
    #expect(error?.code == .connectionLost)
    try PostgresServer.psql("DROP TRIGGER cut ON \(namespace.name).strata_meta")
    #expect(try store.count(Word.self) == 1)
    try store.save(Word(id: 2, text: "b", weight: 1))
    #expect(try store.count(Word.self) == 2)
    try store.close()
  }

  @Test(
    "9.3: A server that restarts is found again; a transaction that it cut is connectionLost",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func restart() throws {
    let server = try OwnServer()
    defer { server.stop() }
    let store = try PostgresStore(server.location, schema: Schema(Word.self))
    try store.save((1...3).map { Word(id: $0, text: "a", weight: 1) })
    try server.restart()
    #expect(try store.count(Word.self) == 3)
    try store.save(Word(id: 4, text: "b", weight: 1))
    let error = storeError {
      try store.write { transaction in
        try transaction.save(Word(id: 5, text: "c", weight: 1))
        try server.restart()
        try transaction.save(Word(id: 6, text: "d", weight: 1))
      }
    }
    #expect(error?.code == .connectionLost)
    #expect(try store.count(Word.self) == 4)
    try store.save(Word(id: 5, text: "c", weight: 1))
    #expect(try store.check().faults.isEmpty)
    try store.close()
  }
}
