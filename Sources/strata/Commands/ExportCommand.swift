#if Command
  import ArgumentParser
  import Foundation
  import ORM
  import ORMExchange

  /// `strata export URL ENTITY FILE`: rows of an entity into a file.
  struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Writes rows of an entity as CSV, JSON or JSON Lines.",
      discussion: "All rows are of one snapshot, and the file gets its name when it is whole.")

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Argument(
      help: "The file; JSON when it ends in .json, JSON Lines in .jsonl or .ndjson, else CSV.")
    var file: String
    @Option(
      name: .customLong("where"), help: "A predicate format such as \"stops > 0\".")
    var condition: String?
    @Option(help: "The character between the fields of CSV.") var delimiter = ","
    @Option(help: "A file with the mapping.") var map: String?

    mutating func run() throws {
      let target = try FileForm(file, delimiter: delimiter).target(file)
      let opened = try store.open(readOnly: true)
      defer { try? opened.close() }
      let query =
        try condition.map { try DynamicQuery(entity, in: opened.schema, where: $0) }
        ?? DynamicQuery(entity)
      let mapping = try map.map { try DynamicMapping.reading($0) } ?? DynamicMapping()
      let report = try opened.export(query, to: target, mapping: mapping)
      print("\(entity): \(report.records) exported, \(report.bytes) bytes")
    }
  }

  /// The form of a file by its name.
  struct FileForm {
    private let at: String
    private let ending: String
    private var format = CSVFormat()

    /// - Throws: `ValidationError` for a delimiter that is not one ASCII character.
    init(_ path: String, at: String = "", delimiter: String) throws {
      self.at = at
      ending = URL(fileURLWithPath: path).pathExtension
      let name = delimiter == "\\t" ? "\t" : delimiter
      guard let scalar = name.unicodeScalars.first, name.unicodeScalars.count == 1, scalar.isASCII
      else { throw ValidationError("--delimiter takes one ASCII character") }
      format.delimiter = scalar
    }

    /// The file as a source.
    func source(_ path: String) -> ImportFrom {
      switch ending {
      case "json": .json(.file(path), at: at)
      case "jsonl", "ndjson": .jsonLines(.file(path), at: at)
      default: .csv(.file(path), format: format)
      }
    }

    /// The file as a target.
    func target(_ path: String) -> ExportTo {
      switch ending {
      case "json": .json(path)
      case "jsonl", "ndjson": .jsonLines(path)
      default: .csv(path, format: format)
      }
    }
  }
#endif
