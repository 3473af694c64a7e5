import ORM
import ORMConformance
import PostgresBackend
import Synchronization
import TestSupport
import Testing

extension PostgresServer {
  /// The reason for tests to be skipped.
  static let comment: Comment = "STRATA_POSTGRES names no PostgreSQL server"
}

/// Makes stores in namespaces of their own.
final class PostgresProvider: StoreProvider {
  let name: String
  private let postgres: PostgresOptions
  private let state = Mutex(State())
  /// The folder of the socket; nil for that of the server.
  private let folder: String?

  private struct State {
    /// The namespaces by the runtimes of their stores; runtimes are retained, so that no identifier is used
    /// twice.
    var namespaces: [ObjectIdentifier: (StoreRuntime, String)] = [:]
    var closed: Set<ObjectIdentifier> = []
  }

  /// Makes stores with a way of isolating writers.
  ///
  /// - Parameters:
  ///   - writers: the way.
  ///   - folder: the folder of a socket; nil for that of the server.
  init(_ writers: PostgresOptions.Writers = .oneWriter, at folder: String? = nil) {
    self.folder = folder
    name = writers == .oneWriter ? "PostgresStore" : "PostgresStore, many writers"
    var postgres = PostgresOptions()
    postgres.writers = writers
    self.postgres = postgres
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
    let location =
      try folder.map { try PostgresServer.location(of: namespace, at: $0) }
      ?? PostgresServer.location(of: namespace)
    let store = try PostgresStore(location, schema: schema, options: options, postgres: postgres)
    let id = ObjectIdentifier(store.runtime)
    state.withLock { $0.namespaces[id] = (store.runtime, namespace) }
    return store
  }

  func cleanUp() throws {
    let namespaces = state.withLock { state in
      defer { state = State() }
      return Set(state.namespaces.values.map(\.1))
    }
    try PostgresServer.drop(namespaces)
  }
}
