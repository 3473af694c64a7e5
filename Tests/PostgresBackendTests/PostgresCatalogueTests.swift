import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// A model with a table of elements.
private struct Tin: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var name = ""
  var tags: [String] = []

  static let entity = Entity<Tin>("Tin") {
    .key("id", \.id).attribute("name", \.name, .indexed)
      .attribute("tags", \.tags, .indexed(.elements))
  }
}

/// Catalogues that another program has added to, made of every kind of addition and every table.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresCatalogueTests {
  private static let tables = ["Tin", "Tin$tags", "strata_meta"]

  /// The statements that make an addition to a table, and those that remove it.
  private static func additions(_ table: String) -> [(make: String, remove: String)] {
    var all: [(make: String, remove: String)] = []
    for time in ["BEFORE", "AFTER"] {
      for event in ["INSERT", "UPDATE", "DELETE", "TRUNCATE"] {
        let scope = event == "TRUNCATE" ? "STATEMENT" : "ROW"
        all.append(
          (
            "CREATE TRIGGER x \(time) \(event) ON \(table) FOR EACH \(scope) EXECUTE FUNCTION lose()",
            "DROP TRIGGER x ON \(table)"
          ))
      }
    }
    for event in ["INSERT", "UPDATE", "DELETE"] {
      for action in ["INSTEAD NOTHING", "ALSO NOTIFY x"] {
        all.append(
          (
            "CREATE RULE x AS ON \(event) TO \(table) DO \(action)", "DROP RULE x ON \(table)"
          ))
      }
    }
    all.append(
      (
        "ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY; CREATE POLICY x ON \(table) USING (false)",
        "DROP POLICY x ON \(table); ALTER TABLE \(table) DISABLE ROW LEVEL SECURITY"
      ))
    all.append(
      ("CREATE TABLE child () INHERITS (\(table))", "DROP TABLE child"))
    let kept = table.dropLast() + "_kept\""
    for kind in ["VIEW", "MATERIALIZED VIEW"] {
      all.append(
        (
          "ALTER TABLE \(table) RENAME TO \(kept); CREATE \(kind) \(table) AS SELECT * FROM \(kept)",
          "DROP \(kind) \(table); ALTER TABLE \(kept) RENAME TO \(table)"
        ))
    }
    return all
  }

  @Test(
    "7.3, 7.7: an addition of another program to a table is corrupt, at opening and in check",
    arguments: tables)
  func additions(_ table: String) throws {
    let namespace = PostgresNamespace()
    func run(_ sql: String) throws {
      try PostgresServer.psql("SET search_path = \(namespace.name); \(sql)")
    }
    let open = try PostgresStore(namespace.location(), schema: Schema(Tin.self))
    try open.save(Tin(id: 1, name: "a", tags: ["x", "y"]))
    try run("CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    guard
      try PostgresServer.psql("SELECT to_regclass('\(namespace.name).\"\(table)\"') IS NULL") == [
        "f"
      ]
    else { return }
    for (make, remove) in Self.additions("\"\(table)\"") {
      try run(make)
      let error = #expect(throws: StoreError.self, "\(make)") {
        try PostgresStore(namespace.location(), schema: Schema(Tin.self)).close()
      }
      #expect(error?.code == .corrupt, "\(make): \(error.map { "\($0)" } ?? "")")
      #expect(error?.message.contains(table) == true, "\(error.map { "\($0)" } ?? "")")
      if !make.contains("VIEW") {
        let faults = try open.check().faults
        #expect(faults.contains { $0.code == .corrupt && $0.message.contains(table) }, "\(make)")
      }
      try run(remove)
    }
    #expect(try open.check().isSound)
    let again = try PostgresStore(namespace.location(), schema: Schema(Tin.self))
    #expect(try again.fetch(Tin.all) == [Tin(id: 1, name: "a", tags: ["x", "y"])])
    try again.close()
    try open.close()
  }

  @Test("7.3: a foreign key whose rule would delete rows of the store is corrupt")
  func foreignKeys() throws {
    let namespace = PostgresNamespace()
    let store = try PostgresStore(namespace.location(), schema: Schema(Tin.self))
    try store.close()
    try PostgresServer.psql(
      """
      SET search_path = \(namespace.name); CREATE TABLE other (id bigint PRIMARY KEY);
      ALTER TABLE "Tin" ADD FOREIGN KEY (id) REFERENCES other ON DELETE CASCADE
      """)
    let error = #expect(throws: StoreError.self) {
      try PostgresStore(namespace.location(), schema: Schema(Tin.self)).close()
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("foreign key") == true)
  }

  @Test("9.4: rows that a policy hides are an error, not a shorter answer")
  func policy() throws {
    let namespace = PostgresNamespace()
    let role = "strata_policy_" + UUID().uuidString.lowercased().prefix(8)
    try PostgresServer.psql(
      """
      CREATE ROLE \(role) LOGIN; CREATE SCHEMA \(namespace.name);
      GRANT ALL ON SCHEMA \(namespace.name) TO \(role)
      """)
    defer { _ = try? PostgresServer.psql("DROP OWNED BY \(role); DROP ROLE \(role)") }
    try PostgresStore(namespace.location(), schema: Schema(Word.self)).close()
    try PostgresServer.psql("GRANT ALL ON ALL TABLES IN SCHEMA \(namespace.name) TO \(role)")
    let store = try PostgresStore(
      PostgresServer.location(of: namespace.name, user: role), schema: Schema(Word.self))
    try store.save(Word(id: 1, text: "a", weight: 1))
    try PostgresServer.psql(
      "ALTER TABLE \(namespace.name).\"Word\" ENABLE ROW LEVEL SECURITY")
    #expect(throws: StoreError.self) { try store.count(Word.self) }
    try store.close()
  }
}
