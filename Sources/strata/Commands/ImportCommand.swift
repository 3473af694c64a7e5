import ArgumentParser
import Foundation
import ORM
import TextImport

/// `strata import URL ENTITY FILE`: all of a file or nothing.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Reads a CSV file with a header, or JSON Lines, into an entity; all or nothing.",
    discussion: """
      An entity that does not exist yet is made: each attribute is an integer, double, boolean, \
      date or text by what every row allows, and optional where a row leaves it empty. Rows whose \
      key exists are updated; attributes that the file does not name keep what is stored.
      """)

  @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
  @Argument(help: "The entity.") var entity: String
  @Argument(help: "The file; JSON Lines when it ends in .jsonl or .ndjson, else CSV.")
  var file: String
  @Option(help: "The attribute that is the primary key of a new entity (default: id, if any).")
  var key: String?
  @Option(
    help: "Types of a new entity's attributes, such as stops=integer,iata=text.")
  var types: String?

  mutating func run() throws {
    let source = try ImportSource(path: file)
    let inference = EntityInference(entity: entity, key: key, types: types)
    let existing = try existingEntity()
    try existing.map { try inference.check(against: $0) }
    // A new entity is declared only after the whole file was found to fit it.
    let description = try existing ?? inference.description(of: source)
    let opened =
      existing == nil
      ? try store.location.open(schema: Schema(entities: [description]))
      : try store.open(readOnly: false)
    let counts: SaveCounts
    do {
      counts = try RowImporter(entity: description).run(source, into: opened)
      try (opened as? any ImageStore)?.save(to: store.location.path)
    } catch {
      try? opened.close()
      throw error
    }
    try opened.close()
    print(
      "\(entity): \(counts.inserted) inserted, \(counts.updated) updated, "
        + "\(counts.unchanged) unchanged")
  }

  private func existingEntity() throws -> EntityDescription? {
    guard let path = store.location.path, FileManager.default.fileExists(atPath: path) else {
      return nil
    }
    let opened = try store.open(readOnly: true)
    defer { try? opened.close() }
    return try Schema(opened.schema)[entity]
  }
}
