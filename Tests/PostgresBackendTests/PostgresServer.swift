import Foundation
import ORM
import ORMConformance
import PostgresBackend
import Synchronization
import Testing

/// The server that the tests use: `STRATA_POSTGRES`, which `Scripts/postgres.sh` sets.
enum PostgresServer {
  /// The location of a database; nil where there is no server.
  static let location = ProcessInfo.processInfo.environment["STRATA_POSTGRES"]

  /// True if there is a server.
  static var isThere: Bool { location != nil }

  /// The reason for tests to be skipped.
  static let comment: Comment = "STRATA_POSTGRES names no PostgreSQL server"

  /// The location of a namespace, with more settings of the query.
  static func location(of namespace: String, user: String? = nil, _ more: String = "") throws
    -> String
  {
    guard var text = location else {
      throw StoreError(.cannotOpen, "STRATA_POSTGRES names no PostgreSQL server")
    }
    if let user, let range = text.range(of: "//[^@/]*@", options: .regularExpression) {
      text.replaceSubrange(range, with: "//\(user)@")
    }
    return text + (text.contains("?") ? "&" : "?") + "namespace=\(namespace)\(more)"
  }

  /// A new name for a namespace.
  static func newNamespace() -> String {
    "strata_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
  }

  /// Runs SQL by the server's own command, and returns the lines that it prints.
  @discardableResult
  static func psql(_ sql: String) throws -> [String] {
    guard let location else { return [] }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "psql", location.replacing("postgres:", with: "postgresql:", maxReplacements: 1), "-X", "-A",
      "-t",
      "-q", "-v", "ON_ERROR_STOP=1", "-c", sql,
    ]
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

/// Makes stores in namespaces of their own.
final class PostgresProvider: StoreProvider {
  let name = "PostgresStore"
  private let state = Mutex(State())

  private struct State {
    /// The namespaces by the runtimes of their stores; runtimes are kept, so that no identifier is used
    /// twice.
    var namespaces: [ObjectIdentifier: (StoreRuntime, String)] = [:]
    var closed: Set<ObjectIdentifier> = []
  }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try open(PostgresServer.newNamespace(), schema, options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    let id = ObjectIdentifier(store.runtime)
    guard let (_, namespace) = state.withLock({ $0.namespaces[id] }) else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    // A store that could not be opened again is closed already.
    if state.withLock({ $0.closed.insert(id).inserted }) { try store.close() }
    return try open(namespace, schema, options)
  }

  private func open(
    _ namespace: String, _ schema: Schema, _ options: StoreOptions
  ) throws -> any Store {
    let store = try PostgresStore(
      PostgresServer.location(of: namespace), schema: schema, options: options)
    let id = ObjectIdentifier(store.runtime)
    state.withLock { $0.namespaces[id] = (store.runtime, namespace) }
    return store
  }

  func cleanUp() throws {
    let namespaces = state.withLock { state in
      defer { state = State() }
      return Set(state.namespaces.values.map(\.1))
    }
    if namespaces.isEmpty { return }
    try PostgresServer.psql(
      "SET client_min_messages = error; "
        + namespaces.map { "DROP SCHEMA IF EXISTS \($0) CASCADE" }.joined(separator: "; "))
  }
}
