import Foundation
import ORM
import ORMCore
import PostgresBackend
import TestSupport
import Testing

/// What lies on the server, and what the store makes of what it finds there.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresStoreTests {
  private let namespace = PostgresNamespace()

  @Test("1.3: every sort of value comes back to the last bit")
  func roundTrip() throws {
    let store = try namespace.open()
    try store.insert(Specimen.full)
    let found = try #require(try store.find(Specimen.self, 1))
    #expect(found == .full)
    #expect(found.weight.sign == .minus)
    #expect(found.numbers[0].sign == .minus)
    // A zero of the other sign is another value.
    var other = Specimen.full
    other.weight = 0
    other.numbers[0] = 0
    try store.save(other)
    let changed = try #require(try store.find(Specimen.self, 1))
    #expect(changed.weight.sign == .plus)
    #expect(changed.numbers[0].sign == .plus)
    try store.close()
  }

  @Test("1.4: other programs read the tables")
  func legible() throws {
    let store = try namespace.open()
    try store.insert(Specimen.full)
    try store.close()
    let rows = try PostgresServer.psql(
      """
      SELECT id, count, price, "isRare", sent, encode(data, 'hex'), token, "%78min", cardinality(tags),
      tags[2] FROM \(namespace.name)."Specimen"
      """)
    #expect(
      rows == [
        "1|18446744073709551615|-12345678901234567890.12345678901234567|t|86400.5|0001ff|"
          + "00010203-0405-0607-0809-0a0b0c0d0e0f|7|5|\"q\""
      ])
    let types = try PostgresServer.psql(
      """
      SELECT column_name, data_type, is_nullable FROM information_schema.columns
      WHERE table_schema = '\(namespace.name)' AND table_name = 'Specimen' ORDER BY column_name LIMIT 5
      """)
    #expect(
      types == [
        "%78min|bigint|NO", "count|numeric|NO", "data|bytea|NO", "id|bigint|NO",
        "isRare|boolean|NO",
      ])
    // The first 40 bytes, and the beginning of the SHA-256 of all.
    let long = try PostgresServer.psql(
      """
      SELECT length(column_name), left(column_name, 41) FROM information_schema.columns
      WHERE table_schema = '\(namespace.name)' AND column_name LIKE 'nnn%'
      """)
    #expect(long == ["57|" + String(repeating: "n", count: 40) + "$"])
    #expect(
      try PostgresServer.psql(
        """
        SELECT collation_name FROM information_schema.columns
        WHERE table_schema = '\(namespace.name)' AND table_name = 'Specimen' AND column_name = 'name'
        """) == ["C"])
  }

  @Test(
    "9.4: Tables of other programs are left alone, and keep a store out where they have its names")
  func foreignTables() throws {
    try PostgresServer.psql(
      "CREATE SCHEMA \(namespace.name); CREATE TABLE \(namespace.name).other (a int)")
    let store = try namespace.open()
    try store.insert(Specimen.full)
    try store.close()
    #expect(
      try PostgresServer.psql("SELECT count(*) FROM \(namespace.name).other") == ["0"])
    let taken = PostgresNamespace()
    try PostgresServer.psql(
      "CREATE SCHEMA \(taken.name); CREATE TABLE \(taken.name).\"Specimen\" (a int)")
    let error = storeError { _ = try taken.open() }
    #expect(error?.code == .notADatabase)
    #expect(error?.message.contains("Specimen") == true)
    #expect(
      try PostgresServer.psql(
        "SELECT count(*) FROM pg_tables WHERE schemaname = '\(taken.name)'") == ["1"])
  }

  @Test("A store that a newer version has made is refused")
  func newerLayout() throws {
    try namespace.open().close()
    try PostgresServer.psql(
      "UPDATE \(namespace.name).strata_meta SET value = '2' WHERE name = 'format'")
    #expect(storeError { _ = try namespace.open() }?.code == .schemaTooNew)
  }

  @Test("9.3: A connection that the server has ended is made anew")
  func ended() throws {
    let store = try namespace.open()
    try store.insert(Specimen.full)
    try PostgresServer.psql(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        + "WHERE application_name = 'strata' AND query LIKE '%\(namespace.name)%' "
        + "AND pid <> pg_backend_pid()")
    #expect(try store.count(Specimen.self) == 1)
    var other = Specimen.full
    other.id = 2
    try store.insert(other)
    #expect(try store.count(Specimen.self) == 2)
    try store.close()
  }

  @Test("9.3: A connection that ends within a transaction is connectionLost, and nothing is stored")
  func endedWithin() throws {
    let store = try namespace.open()
    let error = storeError {
      try store.write { transaction in
        try transaction.insert(Specimen.full)
        try PostgresServer.psql(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            + "WHERE state LIKE 'idle in transaction%' AND query LIKE '%strata_step%' "
            + "AND pid IN (SELECT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
            + "WHERE c.relname = 'strata_gate' AND c.relnamespace = '\(namespace.name)'::regnamespace)"
        )
        _ = try transaction.count(Specimen.self)
      }
    }
    #expect(error?.code == .connectionLost)
    #expect(try store.count(Specimen.self) == 0)
    try store.close()
  }

  @Test("A role that may only read reads, and a write is readOnly")
  func reader() throws {
    let role = "reader_" + namespace.name.suffix(12)
    try namespace.open().close()
    try PostgresServer.psql(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(namespace.name) TO \(role);
      GRANT SELECT ON ALL TABLES IN SCHEMA \(namespace.name) TO \(role)
      """)
    defer { _ = try? PostgresServer.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    let store = try namespace.open(user: role)
    #expect(try store.count(Specimen.self) == 0)
    #expect(storeError { try store.insert(Specimen.full) }?.code == .readOnly)
    try store.close()
    var options = StoreOptions()
    options.isReadOnly = true
    let reader = try namespace.open(options, user: role)
    #expect(try reader.count(Specimen.self) == 0)
    try reader.close()
  }

  @Test("9.2: Two stores on one namespace see each other's commits, and write in turn")
  func twoStores() throws {
    let first = try namespace.open()
    let second = try namespace.open()
    for id in 1...10 {
      var specimen = Specimen.full
      specimen.id = Int64(id)
      try (id % 2 == 0 ? first : second).insert(specimen)
    }
    #expect(try first.count(Specimen.self) == 10)
    #expect(try second.count(Specimen.self) == 10)
    var options = StoreOptions()
    options.writerWait = .seconds(1)
    let waiting = try namespace.open(options)
    try first.write { _ in
      var specimen = Specimen.full
      specimen.id = 11
      let error = storeError { try waiting.insert(specimen) }
      #expect(error?.code == .busy)
    }
    for store in [first, second, waiting] { try store.close() }
  }

  @Test("What cannot be opened is cannotOpen, and names host and user without the password")
  func refused() throws {
    let schema = try Schema(Specimen.self)
    func open(_ location: String) -> StoreError? {
      storeError { _ = try PostgresStore(location, schema: schema) }
    }
    let host = open("postgres:app:secret@127.0.0.1:1/shop?sslmode=disable")
    #expect(host?.code == .cannotOpen)
    #expect(host?.message.contains("app@127.0.0.1:1") == true)
    let base = open(
      try PostgresServer.location(ofDatabase: "no_such_database"))
    #expect(base?.code == .cannotOpen)
    for error in [host, base] {
      #expect(error.map { "\($0)" }?.contains("secret") == false)
    }
    #expect(open("postgres:app@host:port/%zz")?.code == .invalidLocation)
    #expect(open("postgres:app@localhost/shop?namespace=")?.code == .invalidLocation)
  }

  @Test("A location is shown without its password")
  func shown() throws {
    let location = try StoreLocation(
      "postgres:app:secret@db.example.org:5433/shop?namespace=snacks", among: [.postgres])
    #expect(location.description == "postgres:app@db.example.org:5433/shop?namespace=snacks")
    // As hosters give it.
    for scheme in ["postgres:", "postgres://", "postgresql:", "postgresql://"] {
      let location = try StoreLocation(scheme + "app:secret@[::1]:5433/shop", among: [.postgres])
      #expect(location.description == "postgres:app@::1:5433/shop", "\(scheme)")
    }
  }

  @Test(
    "A location that is none, or of another kind, is refused without its password",
    arguments: [
      "mysql://app:secret@db/shop", "app:secret@127.0.0.1:1/shop",
      "postgres:mysql://app:secret@db/shop",
      "postgres:app:secret@[/shop", "postgres:app:secret@db/shop?sslmodus=require",
    ])
  func otherKinds(_ text: String) throws {
    let open: [() throws -> Void] = [
      { _ = try StoreLocation(text, among: [.postgres]).open() },
      { _ = try PostgresStore(text, schema: Schema(Specimen.self)) },
    ]
    for open in open {
      let error = storeError(open)
      #expect(error != nil)
      #expect(error.map { "\($0) \($0.localizedDescription)" }?.contains("secret") == false)
    }
    #expect(storeError(open[0])?.code == .invalidLocation)
  }

  @Test("6.6: A commit is safe where the server or the role would let it return before")
  func earlyCommits() throws {
    let location = try namespace.location() + "&options=-c%20synchronous_commit%3Doff"
    let store = try PostgresStore(location, schema: Schema(Specimen.self))
    for _ in 1...2 {
      let setting = try store.write { transaction in
        try transaction.query(sql: "SELECT current_setting('synchronous_commit') AS s")
      }
      #expect(setting.map { $0["s"] } == [.string("on")])
    }
    try store.close()
  }

  @Test("A database of another encoding is refused")
  func encoding() throws {
    let base = "latin_" + namespace.name.suffix(12)
    try PostgresServer.psql(
      "CREATE DATABASE \(base) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    defer { _ = try? PostgresServer.psql("DROP DATABASE \(base)") }
    let location = try PostgresServer.location(ofDatabase: base)
    let error = storeError { _ = try PostgresStore(location, schema: Schema(Specimen.self)) }
    #expect(error?.code == .cannotOpen)
    #expect(error?.message.contains("LATIN1") == true)
  }
}
