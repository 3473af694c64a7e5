internal import Foundation
public import ORM
internal import ORMCore

extension StoreKind {
  /// Returns the kinds that `STRATA_TEST_STORES` names, by commas; all of them if it names none of them.
  ///
  /// ```swift
  /// @Test(arguments: StoreKind.tested(.memory, .sqlite))
  /// func names(_ kind: StoreKind) throws {
  ///   try kind.withTestStore(schema) { store in try store.save(Snack(name: "Chips")) }
  /// }
  /// ```
  public static func tested(_ kinds: StoreKind...) -> [StoreKind] { tested(kinds) }

  static func tested(_ kinds: [StoreKind]) -> [StoreKind] {
    let names = ProcessInfo.processInfo.environment["STRATA_TEST_STORES"] ?? ""
    return tested(kinds, named: names)
  }

  static func tested(_ kinds: [StoreKind], named names: String) -> [StoreKind] {
    let words = names.split(separator: ",").map { $0.filter { $0 != " " } }
    let chosen = kinds.filter { kind in words.contains { kind.isNamed($0) } }
    return chosen.isEmpty ? kinds : chosen
  }

  /// Runs a body with a new store of this kind, which is then closed and removed with its files.
  ///
  /// ```swift
  /// try StoreKind.sqlite.withTestStore(schema) { store in try store.save(Snack(name: "Chips")) }
  /// ```
  ///
  /// - Parameters:
  ///   - schema: the schema.
  ///   - options: the options; without syncs of the disk unless given.
  /// - Throws: `notConfigured` for a kind whose stores are on a server; the errors of opening the store
  ///   and of the body.
  public func withTestStore<Result>(
    _ schema: Schema, options: StoreOptions? = nil, _ body: (any Store) throws -> Result
  ) throws -> Result {
    let (store, folder) = try openTestStore(schema, options)
    defer { Self.remove(store, folder) }
    return try body(store)
  }

  /// Runs a body with a new store of this kind, which is then closed and removed with its files.
  public func withTestStore<Result>(
    _ schema: Schema, options: StoreOptions? = nil, _ body: (any Store) async throws -> Result
  ) async throws -> Result {
    let (store, folder) = try openTestStore(schema, options)
    do {
      let result = try await body(store)
      Self.remove(store, folder)
      return result
    } catch {
      Self.remove(store, folder)
      throw error
    }
  }

  /// Opens a new store, in a folder of its own where it has files.
  func openTestStore(
    _ schema: Schema, _ options: StoreOptions?
  ) throws -> (store: any Store, folder: URL?) {
    let options = (options ?? .forTests).heard
    if !isDurable { return (try open(nil, schema, options), nil) }
    let folder = try makeTestFolder()
    do {
      return (try open(testPath(in: folder), schema, options), folder)
    } catch {
      Self.remove(nil, folder)
      throw error
    }
  }

  /// Makes a new folder for the files of a store of this kind.
  func makeTestFolder() throws -> URL {
    guard hasFiles else {
      throw StoreError(
        .notConfigured, "a store of the kind \(scheme) needs a server: wrap it in a `SandboxStore`")
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-testing-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Returns the path of the store in a folder of its own.
  func testPath(in folder: URL) -> String {
    folder.appendingPathComponent("test." + fileExtension).path
  }

  static func remove(_ store: (any Store)?, _ folder: URL?) {
    // The test may have closed it.
    try? store?.close()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }
}

extension StoreOptions {
  /// The options of a store that lives as long as a test: no commit waits for the disk.
  static var forTests: StoreOptions {
    var options = StoreOptions()
    options.durability = .off
    return options
  }
}
