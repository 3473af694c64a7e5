#if Command
  import ArgumentParser
  import Foundation
  import ORM
  import ORMMigrations

  /// A schema as an argument: a store, or the path of a file with a frozen schema.
  struct SchemaArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    /// Reads the schema.
    ///
    /// - Throws: `invalidLocation` for a text that names neither; the errors of opening a store;
    ///   `decoding`.
    func schema(log: LogOption) throws -> StoredSchema {
      if isStore { return try Self.schema(of: StoreArgument(text), log: log).declaredPart }
      guard FileManager.default.fileExists(atPath: text) else {
        // The location of a store of another kind may hold a password.
        let quoted = text.contains("@") ? text.prefix { $0 != ":" } + ":…" : text[...]
        throw StoreError(
          .invalidLocation,
          "'\(quoted)' is neither the location of a store nor a file with a schema")
      }
      return try StoredSchema(frozenAt: text)
    }

    /// True for the location of a store, or the path of its file.
    private var isStore: Bool {
      if StoreArgument.kind(ofPath: text) != nil { return true }
      let scheme = text.prefix { $0 != ":" }
      return scheme.count < text.count && Strata.kinds.contains { $0.isNamed(scheme) }
    }

    /// Opens the store to be read; nil for a file with a schema.
    func store(log: LogOption) throws -> (any Store)? {
      isStore ? try StoreArgument(text).open(readOnly: true, log: log) : nil
    }

    /// The schema that a store keeps.
    static func schema(of store: StoreArgument, log: LogOption) throws -> StoredSchema {
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      return opened.schema
    }
  }
#endif
