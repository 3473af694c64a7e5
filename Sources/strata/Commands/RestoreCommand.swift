#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// `strata restore LOCATION --from PATH`: replaces a store by a copy.
  struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract:
        "Replaces a store by a copy, such as the one that a migration made before it began.",
      discussion: """
        The copy is checked first, and stays. The store is replaced at once, with its external data; \
        it must not be open. A migration that loses data copies app.sqlite to app.before-3.sqlite \
        before it leads to version 3.
        """)

    @Argument(help: "The store to replace.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "The file of the copy.") var from: String
    @OptionGroup var log: LogOption

    mutating func run() throws {
      try store.location.restore(from: from)
      let restored = try store.open(readOnly: true, log: log)
      defer { try? restored.close() }
      print("restored: version \(restored.schema.version.map { "\($0)" } ?? "none")")
    }
  }
#endif
