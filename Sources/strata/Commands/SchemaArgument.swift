import ArgumentParser
import Foundation
import ORM

/// A schema as an argument: the location of a store, or the path of a file with a frozen schema.
struct SchemaArgument: ExpressibleByArgument {
  private let text: String

  init(argument: String) { text = argument }

  /// Reads the schema.
  ///
  /// - Throws: `invalidLocation` for what is neither; the errors of opening a store; `decoding`.
  func schema() throws -> StoredSchema {
    let scheme = text.prefix { $0 != ":" }
    if scheme.count < text.count, Strata.kinds.contains(where: { $0.scheme == scheme }) {
      return try Self.schema(of: StoreArgument(text)).frozen
    }
    guard FileManager.default.fileExists(atPath: text) else {
      throw StoreError(
        .invalidLocation, "'\(text)' is neither the location of a store nor a file with a schema")
    }
    return try StoredSchema(frozenAt: text)
  }

  /// The schema that a store keeps.
  static func schema(of store: StoreArgument) throws -> StoredSchema {
    let opened = try store.open(readOnly: true)
    defer { try? opened.close() }
    return opened.schema
  }
}

extension StoredSchema {
  /// The schema as a program declares it: without the migrations that a store went through, and the
  /// history of changes that it keeps.
  var frozen: StoredSchema {
    var schema = self
    schema.entities.removeAll(where: \.holdsHistory)
    schema.migrations = nil
    return schema
  }
}
