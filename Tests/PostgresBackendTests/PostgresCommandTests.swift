import Foundation
import ORM
import TestSupport
import Testing

/// The command on a location of a server.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresCommandTests {
  private let namespace = PostgresNamespace()
  private let folder = TestFolder()

  /// The output of a run of the command, and its errors if it fails.
  private func strata(_ arguments: String...) throws -> (output: String, errors: String) {
    try launch(arguments)
  }

  private func launch(_ arguments: [String]) throws -> (output: String, errors: String) {
    let process = Process()
    process.executableURL = HelperProcess.product("strata")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let failure = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    return (text, process.terminationStatus == 0 ? "" : failure)
  }

  @Test("Every subcommand takes the location of a server")
  func subcommands() throws {
    let location = try namespace.location()
    let rows = "id,name,price\n1,Chips,3.5\n2,Äpfel,1.25\n3,Nuts,4\n"
    try folder.write(Data(rows.utf8), "snacks.csv")
    func run(_ command: String, _ more: String...) throws -> String {
      var arguments = [command] + more
      arguments.insert(location, at: 1)
      let (output, errors) = try launch(arguments)
      #expect(errors == "", "\(command)")
      return output
    }
    #expect(
      try run("import", "Snack", "snacks.csv") == "Snack: 3 inserted, 0 updated, 0 unchanged\n")
    #expect(
      try run("import", "Snack", "snacks.csv") == "Snack: 0 inserted, 0 updated, 3 unchanged\n")
    #expect(try run("query", "Snack", "--where", "price > 2", "--format", "json").contains("Nuts"))
    #expect(try run("schema").contains("Snack"))
    #expect(try run("stats") == "Snack: 3 rows, 0 indexes\n")
    #expect(try run("explain", "Snack", "--where", "price > 2").contains("Snack"))
    _ = try run("check")
    #expect(try run("bench", "--rows", "50", "--repetitions", "1").contains("insert"))
    #expect(
      try PostgresServer.psql(
        "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'strata-bench%'") == ["0"])
    // Copies both ways have one digest.
    let there = try strata("copy", location, "sqlite:copy.sqlite")
    #expect(there.errors == "")
    let other = PostgresNamespace()
    let back = try strata("copy", "sqlite:copy.sqlite", try other.location())
    #expect(back.errors == "" && back.output == there.output)
    #expect(
      try strata("copy", "sqlite:copy.sqlite", try other.location()).errors.contains("notEmpty"))
    #expect(try strata("copy", location, location).errors.contains("invalidLocation"))
    #expect(try strata("copy", try other.location(), "lmdb:copy.lmdb").output == there.output)
    #expect(
      try strata("restore", location, "--from", "copy.sqlite").errors.contains("invalidLocation"))
    let refused = try strata("stats", "postgres:app:secret@127.0.0.1:1/x?sslmode=disable").errors
    #expect(refused.contains("cannotOpen"))
    #expect(!refused.contains("secret"))
  }
}
