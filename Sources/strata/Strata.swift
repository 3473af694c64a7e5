#if Command
  import ArgumentParser
  import Foundation
  import LMDBBackend
  import MemoryBackend
  import ORM
  import PostgresBackend
  import SQLiteBackend

  /// The command: works on any store by its location alone, since the schema is stored in it.
  @main
  struct Strata: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "strata",
      abstract: "Opens, fills, queries and copies stores of any kind.",
      discussion: """
        A store is named by its location: sqlite:PATH, lmdb:PATH, memory:PATH (the image of a \
        memory store; memory: alone is an empty one) or postgres:USER@HOST:PORT/DATABASE with \
        ?namespace=NAME, where public is the default. A path alone is enough if it ends in .sqlite, \
        .lmdb or .strata. Passwords are read from PGPASSWORD or ~/.pgpass. Instead of a file, \
        - is standard input or output.
        """,
      version: "0.1.0-dev",
      subcommands: [
        ImportCommand.self, ExportCommand.self, QueryCommand.self, SchemaCommand.self,
        StatsCommand.self,
        ExplainCommand.self, CopyCommand.self, CheckCommand.self, WatchCommand.self,
        MigrateCommand.self, RestoreCommand.self, BenchCommand.self,
      ])

    /// Runs the command, and reports an error of a store by its code as well as its sentence.
    static func main() {
      do {
        var command = try parseAsRoot()
        try command.run()
      } catch let error as StoreError {
        exit(withError: CommandFailure(error))
      } catch {
        exit(withError: error)
      }
    }

    /// The kinds of stores the command knows.
    static let kinds: [StoreKind] = [.sqlite, .lmdb, .memory, .postgres]
  }

  /// An error of a store as the command prints it: a `LocalizedError` would be printed without its code.
  struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: StoreError) { description = error.description }
  }

  /// A store as an argument.
  struct StoreArgument {
    let location: StoreLocation

    /// - Throws: `invalidLocation`.
    init(_ argument: String) throws {
      if let kind = Self.kind(ofPath: argument) {
        location = StoreLocation(kind: kind, path: argument)
        return
      }
      do {
        location = try StoreLocation(argument, among: Strata.kinds)
      } catch var error as StoreError {
        guard !argument.contains(":") else { throw CommandFailure(error) }
        let endings = Strata.kinds.filter(\.hasFiles).map { "." + $0.fileExtension }
        error.message += "; a path alone ends in one of \(endings.joined(separator: ", "))"
        throw CommandFailure(error)
      }
    }

    /// The kind of store whose files have names like a path; nil for a location, and for another path.
    static func kind(ofPath argument: String) -> StoreKind? {
      let path = URL(fileURLWithPath: argument)
      if argument.prefix(while: { $0 != "/" }).contains(":") { return nil }
      return Strata.kinds.first { $0.hasFiles && $0.fileExtension == path.pathExtension }
    }

    /// An equal text for two locations of one store: the path of the file without links, or the location on
    /// a server; nil for an empty store in memory.
    var identity: String? {
      guard let file = location.file else { return location.path.map { _ in "\(location)" } }
      return URL(fileURLWithPath: file).resolvingSymlinksInPath().path
    }

    /// Opens the store to be read, if there is one.
    ///
    /// Opening it with a schema would make it, and add missing entities.
    func openIfThere(log: LogOption) throws -> (any Store)? {
      if let file = location.file {
        return FileManager.default.fileExists(atPath: file)
          ? try open(readOnly: true, log: log) : nil
      }
      if location.path == nil { return nil }
      do {
        return try open(readOnly: true, log: log)
      } catch let error as StoreError where error.code == .cannotOpen {
        // Where the server cannot be reached, the next opening says so.
        return nil
      }
    }

    /// Opens the store with the schema it holds.
    func open(readOnly: Bool, log: LogOption) throws -> any Store {
      var options = log.options
      options.isReadOnly = readOnly && location.path != nil
      return try location.open(options: options)
    }
  }
#else
  /// The command, where the package is built without it.
  @main
  enum Strata {
    static func main() {
      print("This build is without the command. Build it with: swift run --traits Command strata")
    }
  }
#endif
