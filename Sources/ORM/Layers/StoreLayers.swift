internal import ORMCore

/// What stands between the verbs and an engine where a schema asks for more than rows: each layer is
/// a reader or writer around another, so that every path that reads or writes goes through it.
///
/// A store whose schema asks for none pays for none: its verbs use the engine's own readers and
/// writers.
final class StoreLayers: Sendable {
  private let guards: StoreGuards
  private let derivations: StoreDerivations

  init(_ store: any Store) throws {
    guards = try store.guards()
    derivations = try store.derivations()
  }

  /// Whether there is no layer.
  var isEmpty: Bool { guards.isEmpty }

  /// A reader with the layers around it.
  func reader(around base: any StoreReader) throws -> any StoreReader { base }

  /// A writer with the layers around it.
  func writer(around base: any StoreWriter) throws -> any StoreWriter {
    if guards.isEmpty { return base }
    return GuardedWriter(
      base, guards: guards,
      derived: derivations.isEmpty ? nil : DerivedWriter(base, derivations))
  }
}

extension Store {
  /// A reader for the verbs.
  func layeredReader() throws -> any StoreReader {
    guard let layers = try layers() else { return try reader() }
    let base = try reader()
    do {
      return try layers.reader(around: base)
    } catch {
      base.end()
      throw error
    }
  }

  /// A writer for the verbs.
  func layeredWriter() throws -> any StoreWriter {
    guard let layers = try layers() else { return try writer() }
    let base = try writer()
    do {
      return try layers.writer(around: base)
    } catch {
      base.end()
      throw error
    }
  }

  /// The layers of this store; nil where there are none.
  func layers() throws -> StoreLayers? {
    if runtime.isDirect { return nil }
    let layers = try runtime.plan(for: StoreLayers.self) { try StoreLayers(self) }
    guard layers.isEmpty else { return layers }
    runtime.becomeDirect()
    return nil
  }
}
