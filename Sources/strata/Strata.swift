import ArgumentParser
import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// The command: works on any store by its location alone, since the schema is kept in the store.
@main
struct Strata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strata",
    abstract: "Opens, fills, queries and copies stores of any kind.",
    discussion: """
      A store is named by its location: sqlite:PATH, lmdb:PATH or memory:PATH (the image of a \
      memory store; memory: alone is an empty one).
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
  static let kinds: [StoreKind] = [.sqlite, .lmdb, .memory]
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
    do {
      location = try StoreLocation(argument, among: Strata.kinds)
    } catch let error as StoreError {
      throw CommandFailure(error)
    }
  }

  /// The path of the store's file without links, to tell whether two are one.
  var file: String? {
    location.path.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
  }

  /// Opens the store with the schema it holds.
  func open(readOnly: Bool) throws -> any Store {
    var options = StoreOptions()
    options.isReadOnly = readOnly && location.path != nil
    return try location.open(options: options)
  }
}
