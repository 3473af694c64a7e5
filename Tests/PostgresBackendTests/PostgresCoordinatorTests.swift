import Foundation
import ORM
import ORMCoordinator
import PostgresBackend
import SQLiteBackend
import TestSupport
import Testing

/// Coordinators with a configuration on a server.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresCoordinatorTests {
  private let namespace = PostgresNamespace()
  private let folder = TestFolder(inMemory: true)

  /// - Parameter isFirst: true if the configuration on the server keeps the journal.
  private func open(isFirst: Bool, isReadOnly: Bool = false) throws -> StoreCoordinator {
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    let server = try StoreConfiguration.configuration(
      "server", Tally.self, at: StoreLocation(namespace.location(), among: [.postgres]))
    let file = StoreConfiguration.configuration(
      "file", Line.self, at: .sqlite(path: folder.file("a.sqlite")))
    return try StoreCoordinator(
      Schema(Tally.self, Line.self), options: options,
      configurations: isFirst ? [server, file] : [file, server])
  }

  private func isThere() throws -> Bool {
    try !PostgresServer.psql(
      "SELECT 1 FROM pg_namespace WHERE nspname = '\(namespace.name)'"
    ).isEmpty
  }

  @Test(
    "12.10: a namespace that is missing is cannotOpen, and is not made", arguments: [false, true])
  func missing(_ isFirst: Bool) throws {
    let store = try open(isFirst: isFirst)
    try store.write { tx in
      try tx.save(Tally(id: 1, value: 1))
      try tx.insert(Line(text: "one"))
    }
    try store.close()
    let copy = namespace.name + "_copy"
    try PostgresServer.psql("ALTER SCHEMA \(namespace.name) RENAME TO \(copy)")
    for isReadOnly in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try open(isFirst: isFirst, isReadOnly: isReadOnly)
      }
      #expect(error?.code == .cannotOpen)
      #expect(error?.message.contains("server") == true)
      #expect(try !isThere())
    }
    try PostgresServer.psql("ALTER SCHEMA \(copy) RENAME TO \(namespace.name)")
    let again = try open(isFirst: isFirst)
    #expect(try again.find(Tally.self, 1)?.value == 1)
    #expect(try again.fetch(Line.all).map(\.text) == ["one"])
    try again.close()
  }

  @Test("12.10: a file that is missing is cannotOpen beside a configuration on a server")
  func missingFile() throws {
    try open(isFirst: true).close()
    let names = try folder.names()
    for name in names {
      try FileManager.default.moveItem(atPath: folder.file(name), toPath: folder.file("x" + name))
    }
    let error = #expect(throws: StoreError.self) { try open(isFirst: true) }
    #expect(error?.code == .cannotOpen)
    #expect(try folder.names() == names.map { "x" + $0 })
  }

  @Test("9.2: an operation of a coordinator is run again if others came in the way of a member")
  func contended() throws {
    let store = try open(isFirst: true)
    try store.save(Tally(id: 1, value: 0))
    try namespace.besideChange {
      try store.update(Tally.all.where { $0.id == 1 }) { $0[\.value] = $0[\.value] + 1 }
    }
    #expect(try store.find(Tally.self, 1)?.value == 11)
    try store.close()
  }
}
