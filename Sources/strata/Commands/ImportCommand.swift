#if Command
  import ArgumentParser
  import Foundation
  import ORM
  import ORMMigrations
  import ORMExchange

  /// `strata import URL ENTITY FILE`: records of a file into an entity.
  struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Reads CSV, JSON or JSON Lines into an entity; all or nothing without --every.",
      discussion: """
        An entity that does not exist yet is made, with its rows or not at all: each attribute is an \
        integer, double, boolean, date or text by what every row allows, and optional where a row \
        leaves it empty. Rows whose key exists are updated; attributes that the file does not name \
        keep what is stored. Records may lead to later ones. With - for the file, the records come \
        from standard input.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Argument(help: "The file; - is standard input.") var file: String
    @Option(help: "csv, json or jsonl (default: by the name of the file, else csv).")
    var format: FileFormat?
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
    @Option(
      help: """
        Leaves bad records out and writes them into this file, as JSON Lines; - is standard output. \
        The types of a new entity are those of the good ones.
        """)
    var rejects: String?
    @Option(
      help: """
        Commits after this number of records, a new entity first; the same import goes on after an \
        interruption, unless it reads standard input. The progress is in an entity of its own, \
        ImportCheckpoint.
        """)
    var every: Int?
    @OptionGroup var log: LogOption

    mutating func run() throws {
      // An import reads its source more than once, and takes rejected records back.
      let input = try StandardStreams.isNamed(by: file) ? StreamFile() : nil
      let output = try StandardStreams.isNamed(by: rejects ?? "") ? StreamFile() : nil
      defer { withExtendedLifetime((input, output)) {} }
      try input?.takeInput()
      do {
        let content = input.map { ImportContent.temporary($0.path) } ?? .file(file)
        let report = try runImport(of: content, rejects: output?.path ?? rejects)
        try output?.giveOutput()
        StandardStreams.report(Self.line(of: report), besides: rejects)
      } catch var error as StoreError where error.code == .invalidImport {
        let name = input == nil ? file : "standard input"
        if !error.message.contains(name) { error.message = "\(name), \(error.message)" }
        throw error
      }
    }

    private func runImport(of content: ImportContent, rejects: String?) throws -> ImportReport {
      let source = try FileForm(file, format, at: at, delimiter: delimiter).source(content)
      let inference = EntityInference(
        entity: entity, key: key, types: types, leavesOutBad: rejects != nil)
      let (isThere, existing) = try existingEntity()
      try existing.map { try inference.check(against: $0) }
      // A new entity is declared only after the whole file was found to fit it.
      let new = try existing == nil ? inference.description(of: source) : nil
      // Its attributes are the members that the records have. An import that goes on finds an entity
      // that is there, and has to read by the same mapping.
      let mapping =
        try map.map { try DynamicMapping.reading($0) }
        ?? DynamicMapping(unknown: new == nil || every != nil ? .refuse : .ignore)
      let opened: any Store
      let report: ImportReport
      if let new, every == nil {
        (opened, report) = try store.location.open(
          adding: Schema(entities: [new]), isNew: !isThere, options: log.options
        ) { try importing(source, into: $0, by: mapping, rejects: rejects) }
      } else {
        opened = try open(new)
        do {
          report = try importing(source, into: opened, by: mapping, rejects: rejects)
        } catch {
          try? opened.close()
          if new != nil, store.location.kind.isDurable {
            try? store.location.removeEmpty(entity)
          }
          throw error
        }
      }
      defer { try? opened.close() }
      try (opened as? any ImageStore)?.save(to: store.location.path)
      try opened.close()
      return report
    }

    /// Opens the store, with a new entity and one for the progress where they are needed.
    private func open(_ new: EntityDescription?) throws -> any Store {
      let progress = every == nil ? nil : ImportCheckpoint.entity.description
      if let new {
        return try store.location.open(
          schema: Schema(entities: [new] + (progress.map { [$0] } ?? [])), options: log.options)
      }
      let opened = try store.open(readOnly: false, log: log)
      guard let progress, opened.schema.entity(named: progress.name) == nil,
        !(opened is any ImageStore)
      else { return opened }
      try opened.close()
      try store.location.open(schema: Schema(entities: [progress]), options: log.options)
        .close()
      return try store.open(readOnly: false, log: log)
    }

    private func importing(
      _ source: ImportFrom, into store: any Store, by mapping: DynamicMapping, rejects: String?
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
      return try ConditionArgument.query(format, of: entity, in: store.schema)
    }

    /// `airports: 7698 inserted, 0 updated, 0 unchanged`, then the counts of other outcomes that are not
    /// 0.
    private static func line(of report: ImportReport) -> String {
      var line =
        "\(report.entity): \(report.inserted) inserted, \(report.updated) updated, "
        + "\(report.unchanged) unchanged"
      if report.deleted > 0 { line += ", \(report.deleted) deleted" }
      if report.badCount > 0 { line += ", \(report.badCount) rejected" }
      if report.resumedAt > 0 { line += ", resumed after \(report.resumedAt)" }
      return line
    }

    /// The entity as the store has it, if it has one, and if there is a store.
    private func existingEntity() throws -> (isThere: Bool, entity: EntityDescription?) {
      guard let opened = try store.openIfThere(log: log) else { return (false, nil) }
      defer { try? opened.close() }
      return (true, try Schema(opened.schema)[entity])
    }
  }

  extension DynamicMapping {
    /// The mapping in a file.
    ///
    /// - Throws: `cannotOpen`, `invalidMapping`.
    static func reading(_ path: String) throws -> DynamicMapping {
      let text = try StandardStreams.text(of: path)
      do {
        return try JSONDecoder().decode(DynamicMapping.self, from: Data(text.utf8))
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
