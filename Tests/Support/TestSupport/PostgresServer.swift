import Foundation
import ORMCore

/// The server that the tests use: `STRATA_POSTGRES`, which `Scripts/postgres.sh` sets.
package enum PostgresServer {
  /// The location of a database; nil where there is no server.
  package static let location = ProcessInfo.processInfo.environment["STRATA_POSTGRES"]

  /// True if there is a server.
  package static var isThere: Bool { location != nil }

  /// The location of a namespace, with more settings of the query.
  package static func location(
    of namespace: String, user: String? = nil, _ more: String = ""
  ) throws -> String {
    guard var text = location else {
      throw StoreError(.cannotOpen, "STRATA_POSTGRES names no PostgreSQL server")
    }
    if let user, let range = text.range(of: "//[^@/]*@", options: .regularExpression) {
      text.replaceSubrange(range, with: "//\(user)@")
    }
    return text + (text.contains("?") ? "&" : "?") + "namespace=\(namespace)\(more)"
  }

  /// The path of the server's Unix socket; nil where it has none on this machine.
  package static var socket: String? { location.flatMap { socket(of: $0) } }

  /// The path of the Unix socket of a location.
  package static func socket(of location: String) -> String? {
    guard let host = setting("host", of: location), host.hasPrefix("/") else { return nil }
    return "\(host)/.s.PGSQL.\(setting("port", of: location) ?? "5432")"
  }

  private static func setting(_ name: String, of location: String) -> String? {
    location.split(separator: "?").dropFirst().first?.split(separator: "&")
      .first { $0.hasPrefix(name + "=") }
      .flatMap { $0.dropFirst(name.count + 1).removingPercentEncoding }
  }

  /// The location of a namespace by way of a socket in another folder.
  package static func location(
    of namespace: String, at folder: String, on server: String? = nil
  ) throws -> String {
    guard let text = server ?? location else {
      throw StoreError(.cannotOpen, "STRATA_POSTGRES names no PostgreSQL server")
    }
    let base = text.prefix { $0 != "?" }
    return "\(base)?host=\(folder)&namespace=\(namespace)"
  }

  /// A new name for a namespace.
  package static func newNamespace() -> String {
    "strata_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
  }

  /// Drops namespaces with all that is in them.
  package static func drop(_ namespaces: some Collection<String>) throws {
    if namespaces.isEmpty { return }
    try psql(
      "SET client_min_messages = error; "
        + namespaces.map { "DROP SCHEMA IF EXISTS \($0) CASCADE" }.joined(separator: "; "))
  }

  /// The location of another database of the server.
  package static func location(ofDatabase name: String) throws -> String {
    guard var text = location,
      let range = text.range(of: "/[^/?]*(?=\\?|$)", options: .regularExpression)
    else { throw StoreError(.cannotOpen, "STRATA_POSTGRES names no PostgreSQL server") }
    text.replaceSubrange(range, with: "/\(name)")
    return text
  }

  /// Runs SQL by the server's own command, and returns the lines that it prints.
  ///
  /// - Parameters:
  ///   - sql: the statements, which follow those of the file.
  ///   - file: the path of a file of statements.
  ///   - other: the location of another database.
  @discardableResult
  package static func psql(
    _ sql: String, after file: String? = nil, at other: String? = nil
  ) throws -> [String] {
    guard let location = other ?? location else { return [] }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "psql", location.replacing("postgres:", with: "postgresql:", maxReplacements: 1), "-X",
        "-A",
        "-t",
        "-q", "-v", "ON_ERROR_STOP=1",
      ] + (file.map { ["-f", $0] } ?? []) + ["-c", sql]
    if ProcessInfo.processInfo.environment["STRATA_POSTGRES_HOSTILE"] == "1", other == nil {
      // The statements of tests are not what is tested there.
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["PGOPTIONS": "-c search_path=pg_catalog"]) { $1 }
    }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    if process.terminationStatus != 0 { throw StoreError(.engine, "psql: \(text)") }
    return text.split(separator: "\n").map(String.init)
  }
}
