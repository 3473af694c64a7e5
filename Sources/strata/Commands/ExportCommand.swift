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
      discussion: """
        All rows are of one snapshot, and the file gets its name when it is whole. With - for the \
        file, the rows go to standard output as they come, and the report to standard error.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Argument(help: "The file; - is standard output.") var file: String
    @Option(help: "csv, json or jsonl (default: by the name of the file, else csv).")
    var format: FileFormat?
    @Option(
      name: .customLong("where"),
      help: "A predicate format such as \"stops > 0\"; - reads it from standard input.")
    var condition: String?
    @Option(help: "The character between the fields of CSV.") var delimiter = ","
    @Option(help: "A file with the mapping.") var map: String?
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let target = try FileForm(file, format, delimiter: delimiter).target(file)
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      let query = try ConditionArgument.query(condition, of: entity, in: opened.schema)
      let mapping = try map.map { try DynamicMapping.reading($0) } ?? DynamicMapping()
      let report = try opened.export(query, to: target, mapping: mapping)
      StandardStreams.report(
        "\(entity): \(report.records) exported, \(report.bytes) bytes", besides: file)
    }
  }

  /// The forms of files that are imported and exported.
  enum FileFormat: String, ExpressibleByArgument, CaseIterable {
    case csv, json, jsonl

    /// The form that the name of a file says.
    init(of path: String) {
      switch URL(fileURLWithPath: path).pathExtension {
      case "json": self = .json
      case "jsonl", "ndjson": self = .jsonl
      default: self = .csv
      }
    }
  }

  /// The form of a file: as asked for, or by its name.
  struct FileForm {
    private let at: String
    private let format: FileFormat
    private var csv = CSVFormat()

    /// - Throws: `ValidationError` for a delimiter that is not one ASCII character.
    init(_ path: String, _ format: FileFormat?, at: String = "", delimiter: String) throws {
      self.at = at
      self.format = format ?? FileFormat(of: path)
      let name = delimiter == "\\t" ? "\t" : delimiter
      guard let scalar = name.unicodeScalars.first, name.unicodeScalars.count == 1, scalar.isASCII
      else { throw ValidationError("--delimiter takes one ASCII character") }
      csv.delimiter = scalar
    }

    /// Some content in this form as a source.
    func source(_ content: ImportContent) -> ImportFrom {
      switch format {
      case .json: .json(content, at: at)
      case .jsonl: .jsonLines(content, at: at)
      case .csv: .csv(content, format: csv)
      }
    }

    /// The file as a target; `-` is standard output.
    func target(_ path: String) -> ExportTo {
      let target: ExportTo =
        switch format {
        case .json: .json(path)
        case .jsonl: .jsonLines(path)
        case .csv: .csv(path, format: csv)
        }
      return StandardStreams.isNamed(by: path) ? target.toStandardOutput : target
    }
  }
#endif
