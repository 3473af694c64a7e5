#if Command
  import ArgumentParser
  import Foundation
  import ORM
  import ORMExchange

  /// `strata import URL ENTITY FILE`: records of a file into an entity.
  struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Reads CSV, JSON or JSON Lines into an entity; all or nothing without --every.",
      discussion: """
        An entity that does not exist yet is made: each attribute is an integer, double, boolean, \
        date or text by what every row allows, and optional where a row leaves it empty. Rows whose \
        key exists are updated; attributes that the file does not name keep what is stored. Records \
        may lead to later ones.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Argument(
      help: "The file; JSON when it ends in .json, JSON Lines in .jsonl or .ndjson, else CSV.")
    var file: String
    @Option(help: "The attribute that is the primary key of a new entity (default: id, if any).")
    var key: String?
    @Option(
      help: "Types of a new entity's attributes, such as stops=integer,iata=text.")
    var types: String?
    @Option(help: "The path of the records in JSON, such as data.items.") var at = ""
    @Option(help: "The character between the fields of CSV.") var delimiter = ","
    @Option(
      help: """
        A file with the mapping of an existing entity, such as {"fields": {"name": {"from": \
        ["title"]}}}.
        """)
    var map: String?
    @Option(help: "Deletes the rows of this predicate format that did not come; '*' for all.")
    var prune: String?
    @Option(help: "The largest part of those rows that may be deleted, in percent.")
    var pruneLimit = 50
    @Option(help: "Leaves bad records out and writes them into this file, as JSON Lines.")
    var rejects: String?
    @Option(
      help: """
        Commits after this number of records; the same import goes on after an interruption. The \
        progress is in an entity of its own, ImportCheckpoint.
        """)
    var every: Int?

    mutating func run() throws {
      do {
        try runImport()
      } catch var error as StoreError where error.code == .invalidImport {
        if !error.message.contains(file) { error.message = "\(file), \(error.message)" }
        throw error
      }
    }

    private func runImport() throws {
      let source = try FileForm(file, at: at, delimiter: delimiter).source(file)
      let inference = EntityInference(entity: entity, key: key, types: types)
      let existing = try existingEntity()
      try existing.map { try inference.check(against: $0) }
      // A new entity is declared only after the whole file was found to fit it.
      let description = try existing ?? inference.description(of: source)
      let opened = try open(existing == nil ? description : nil)
      let report: ImportReport
      do {
        // The attributes of a new entity are the members that the records have.
        let mapping =
          try map.map { try DynamicMapping.reading($0) }
          ?? DynamicMapping(unknown: existing == nil ? .ignore : .refuse)
        report = try importing(source, into: opened, by: mapping)
        try (opened as? any ImageStore)?.save(to: store.location.path)
      } catch {
        try? opened.close()
        throw error
      }
      try opened.close()
      print(Self.line(of: report))
    }

    /// Opens the store, with a new entity and one for the progress where they are needed.
    private func open(_ new: EntityDescription?) throws -> any Store {
      let progress = every == nil ? nil : ImportCheckpoint.entity.description
      if let new {
        return try store.location.open(
          schema: Schema(entities: [new] + (progress.map { [$0] } ?? [])))
      }
      let opened = try store.open(readOnly: false)
      guard let progress, opened.schema.entity(named: progress.name) == nil,
        !(opened is any ImageStore)
      else { return opened }
      try opened.close()
      try store.location.open(schema: Schema(entities: [progress])).close()
      return try store.open(readOnly: false)
    }

    private func importing(
      _ source: ImportFrom, into store: any Store, by mapping: DynamicMapping
    ) throws -> ImportReport {
      let bar = Lock(ProgressBar(title: entity, total: 1))
      defer { bar.withLock { $0.finish() } }
      let query = try prune.map { try pruned($0, in: store) }
      return try store.import(entity: entity, from: source) { options in
        options.mapping = mapping
        options.prune = query
        options.pruneLimit = Double(pruneLimit) / 100
        if let rejects { options.onBad = .collect(upTo: 1_000_000, writingTo: rejects) }
        if let every { options.commit = .every(every) }
        options.progress = { progress in
          bar.withLock { $0.show(count: progress.bytes, of: progress.size) }
        }
      }
    }

    /// The rows that are deleted where no record comes.
    private func pruned(_ format: String, in store: any Store) throws -> DynamicQuery {
      if format == "*" { return DynamicQuery(entity) }
      return try DynamicQuery(entity, in: store.schema, where: format)
    }

    /// `airports: 7698 inserted, 0 updated, 0 unchanged`, and what else there is.
    private static func line(of report: ImportReport) -> String {
      var line =
        "\(report.entity): \(report.inserted) inserted, \(report.updated) updated, "
        + "\(report.unchanged) unchanged"
      if report.deleted > 0 { line += ", \(report.deleted) deleted" }
      if report.badCount > 0 { line += ", \(report.badCount) rejected" }
      if report.resumedAt > 0 { line += ", resumed after \(report.resumedAt)" }
      return line
    }

    private func existingEntity() throws -> EntityDescription? {
      guard let opened = try store.openIfThere() else { return nil }
      defer { try? opened.close() }
      return try Schema(opened.schema)[entity]
    }
  }

  extension DynamicMapping {
    /// The mapping in a file.
    ///
    /// - Throws: `cannotOpen`, `invalidMapping`.
    static func reading(_ path: String) throws -> DynamicMapping {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw StoreError(.cannotOpen, "the file \(path) cannot be read")
      }
      do {
        return try JSONDecoder().decode(DynamicMapping.self, from: data)
      } catch {
        throw StoreError(.invalidMapping, "\(path) is not a mapping: \(Self.reason(error))")
      }
    }

    private static func reason(_ error: any Error) -> String {
      guard case .dataCorrupted(let context)? = error as? DecodingError else {
        return "see the guide for its members"
      }
      return context.debugDescription
    }
  }
#endif
