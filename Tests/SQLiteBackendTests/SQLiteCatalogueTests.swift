import Foundation
import ORM
import SQLiteBackend
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
@Suite(.serialized, .enabled(if: SQLiteCommand.isPossible, "there is no sqlite3"))
struct SQLiteCatalogueTests {
  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n"

  /// The statements that make an addition to a table, and those that remove it.
  private static func additions(_ table: String) -> [(make: String, remove: String)] {
    var all: [(make: String, remove: String)] = []
    for time in ["BEFORE", "AFTER"] {
      for event in ["INSERT", "UPDATE", "DELETE"] {
        for body in ["SELECT RAISE(IGNORE)", endless] {
          all.append(
            (
              "CREATE TRIGGER x \(time) \(event) ON \"\(table)\" BEGIN \(body); END",
              "DROP TRIGGER x"
            ))
        }
      }
    }
    for view in ["SELECT * FROM kept", "SELECT * FROM kept WHERE (\(endless)) > 0"] {
      all.append(
        (
          "ALTER TABLE \"\(table)\" RENAME TO kept; CREATE VIEW \"\(table)\" AS \(view)",
          "DROP VIEW \"\(table)\"; ALTER TABLE kept RENAME TO \"\(table)\""
        ))
    }
    return all
  }

  @Test(
    "7.3: an addition of another program to a table is corrupt at opening, which never hangs",
    arguments: ["Tin", "Tin$tags", "strata_meta"])
  func opening(_ table: String) throws {
    let fixture = SQLiteFixture()
    let store = try SQLiteStore(path: fixture.path, schema: Schema(Tin.self))
    try store.save(Tin(id: 1, name: "a", tags: ["x", "y"]))
    try store.close()
    let name = table.prefix(1).lowercased() + table.dropFirst()
    for (make, remove) in Self.additions(table) + Self.additions(name).prefix(1) {
      try fixture.command("PRAGMA legacy_alter_table = ON; " + make)
      let error = #expect(throws: StoreError.self, "\(make)") {
        try SQLiteStore(path: fixture.path, schema: Schema(Tin.self)).close()
      }
      // A view has no table of the store's own name in the file.
      let codes: [StoreError.Code] =
        make.contains("CREATE VIEW") && table == "strata_meta" ? [.notADatabase] : [.corrupt]
      #expect(codes.contains(error?.code ?? .engine), "\(make): \(error.map { "\($0)" } ?? "")")
      try fixture.command("PRAGMA legacy_alter_table = ON; " + remove)
    }
    let again = try SQLiteStore(path: fixture.path, schema: Schema(Tin.self))
    #expect(try again.fetch(Tin.all) == [Tin(id: 1, name: "a", tags: ["x", "y"])])
    #expect(try again.check().isSound)
    try again.close()
  }

  @Test("7.7: a trigger that another program makes in an open store is corrupt for what follows")
  func check() throws {
    let fixture = SQLiteFixture()
    let store = try SQLiteStore(path: fixture.path, schema: Schema(Tin.self))
    try store.save(Tin(id: 1, name: "a", tags: ["x", "y"]))
    for (make, remove) in Self.additions("Tin").filter({ $0.make.hasPrefix("CREATE TRIGGER") }) {
      try fixture.command(make)
      for body in [{ _ = try store.check() }, { _ = try store.fetch(Tin.all) }] {
        let error = #expect(throws: StoreError.self, "\(make)") { try body() }
        #expect(error?.code == .corrupt && error?.message.contains("trigger x") == true, "\(make)")
      }
      try fixture.command(remove)
    }
    #expect(try store.check().isSound)
    // Views and triggers of the program's own stay.
    try fixture.command(
      """
      CREATE TABLE own (x); CREATE VIEW names AS SELECT name FROM Tin;
      CREATE TRIGGER mine AFTER INSERT ON own BEGIN SELECT 1; END
      """)
    #expect(try store.check().isSound)
    try store.close()
    try SQLiteStore(path: fixture.path, schema: Schema(Tin.self)).close()
  }
}
