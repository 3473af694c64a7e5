#if Command
  import ArgumentParser
  import Foundation
  import ORM
  import ORMMigrations

  /// `strata migrate`: runs a plan on a store, or prints the migrations that it went through.
  struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "migrate", abstract: "Runs a migration plan on a store, all or nothing.",
      subcommands: [
        RunPlanCommand.self, MigrationStatusCommand.self, AbandonMigrationCommand.self,
      ],
      defaultSubcommand: RunPlanCommand.self)
  }

  /// `strata migrate URL --plan FILE`: the versions of a plan that a store has not gone through.
  struct RunPlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Runs a migration plan on a store, all or nothing.",
      discussion: """
        The plan is a MigrationPlan as JSON, such as

        {"versions":[{"number":1,"steps":[
          {"renameAttribute":{"name":"flavour","to":"taste","entity":"Snack"}},
          {"dropAttributes":{"names":["note"],"entity":"Snack"}}]}]}

        The guide Changing your models lists all steps. The plan must lead to the schema of --to but \
        for additions, which are made; without --to, its steps say what the schema becomes. Steps \
        with closures run in programs alone. A plan that changes many rows runs in many \
        transactions: if it is interrupted, run it again, and it goes on.

        With --down-to the versions of the plan above that number are undone, by the inverse of each step.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "The file with the plan, as JSON; - is standard input.") var plan: String
    @Option(
      help: "The schema afterwards: a file of `strata schema freeze`, or a store.")
    var to: SchemaArgument?
    @Option(
      help: "The transactions: automatic, atomic (one) or resumable (many).",
      transform: MigrationOptions.Mode.argument)
    var mode = MigrationOptions.Mode.automatic
    @Flag(help: "Let other programs write while the plan runs in many transactions.")
    var online = false
    @Option(help: "Undo the versions above this number.") var downTo: Int?
    @Flag(help: "Print the versions, the steps and their rows, and change nothing.")
    var dryRun = false
    @OptionGroup var log: LogOption

    mutating func run() throws {
      var plan = try MigrationPlan(contentsOf: plan)
      // A store is not made by a migration: a look at it throws where there is none.
      let opened = try store.open(readOnly: true, log: log)
      let stored = opened.schema.withoutMigration
      let report: MigrationReport
      let declared: StoredSchema
      do {
        if let downTo, downTo < stored.version ?? 0 {
          // With the former schema, more steps have an inverse.
          var former = try to?.schema(log: log)
          former?.version = downTo
          plan =
            try former.map { try plan.inverse(from: stored.version ?? 0, to: $0) }
            ?? plan.inverse(from: stored.version ?? 0, to: downTo)
        }
        declared =
          try to.map { try plan.versioned($0.schema(log: log)) } ?? plan.target(from: stored)
        report = try MigrationReport(plan, from: stored, to: declared) { name in
          try opened.read { try $0.count(DynamicQuery(name, deleted: .included)) }
        }
      } catch {
        try? opened.close()
        throw error
      }
      try opened.close()
      if !dryRun { try migrate(plan, to: declared) }
      print(report)
    }

    private func migrate(_ plan: MigrationPlan, to declared: StoredSchema) throws {
      var options = log.options
      options.schemaPolicy = .migrate(plan)
      options.migration.mode = mode
      if online { options.migration.access = .online }
      let bar = Lock<ProgressBar?>(nil)
      options.onSchemaEvent = { event in
        if case .didFind(let errors) = event {
          let lines = errors.map { "warning: \($0)\n" }.joined()
          FileHandle.standardError.write(Data(lines.utf8))
        }
        guard case .progress(let progress) = event else { return }
        bar.withLock { bar in
          bar = bar ?? ProgressBar(title: "migrating", total: progress.rowsAbout)
          bar?.show(count: progress.rowsDone)
        }
      }
      defer { bar.withLock { $0?.finish() } }
      try store.reopen(declared, options)
    }
  }

  /// `strata migrate abandon URL`: removes the copies and the progress of an interrupted migration.
  struct AbandonMigrationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "abandon",
      abstract:
        "Removes the copies and the progress of an interrupted migration; the rows are as before it."
    )

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @OptionGroup var log: LogOption

    mutating func run() throws {
      var options = log.options
      options.schemaPolicy = .abandonMigration
      try store.reopen(try SchemaArgument.schema(of: store, log: log).withoutMigration, options)
    }
  }

  extension StoreArgument {
    /// Opens the store with a schema and options that may change it, and closes it.
    fileprivate func reopen(_ schema: StoredSchema, _ options: StoreOptions) throws {
      let opened = try location.open(schema: Schema(frozen: schema), options: options)
      do { try (opened as? any ImageStore)?.save(to: location.path) } catch {
        try? opened.close()
        throw error
      }
      try opened.close()
    }
  }

  extension MigrationOptions.Mode {
    /// Reads the argument of an option.
    fileprivate static func argument(_ text: String) throws -> Self {
      guard let mode = Self(rawValue: text) else {
        throw ValidationError("\(text) is none of automatic, atomic and resumable")
      }
      return mode
    }
  }

  /// `strata migrate status URL`: the version of a store, and the migrations it went through.
  struct MigrationStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Prints the version of a store's schema and the migrations it went through.",
      discussion: """
        As JSON, one object: version, isUnderWay (true while a migration of many transactions is not \
        at its end), and migrations with version, date and the digest of the steps.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "text or json.") var format = ReportFormat.text
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let schema = try SchemaArgument.schema(of: store, log: log)
      try format.print(
        MigrationStatus(
          version: schema.version, isUnderWay: schema.isBeingMigrated,
          migrations: schema.migrations ?? []))
    }
  }

  /// The version of a store and the migrations that led to it.
  private struct MigrationStatus: Encodable, CustomStringConvertible {
    var version: Int?
    var isUnderWay: Bool
    var migrations: [AppliedMigration]

    var description: String {
      let lines = migrations.map {
        "version \($0.version): \(DateText.text(of: $0.date)), steps \($0.digest)"
      }
      let state = isUnderWay ? ["a migration is under way; run it again, or abandon it"] : []
      return (["version: \(version.map { "\($0)" } ?? "none")"] + state + lines)
        .joined(separator: "\n")
    }
  }

  extension MigrationPlan {
    /// Reads a plan from a file of JSON.
    ///
    /// - Throws: `cannotOpen` for a file that cannot be read, `decoding` for one with something else.
    fileprivate init(contentsOf path: String) throws {
      let text = try StandardStreams.text(of: path)
      do { self = try JSONCoding.decode(MigrationPlan.self, from: text) } catch let error
        as StoreError
      {
        throw StoreError(error.code, "\(path) is no migration plan: \(error.message)")
      }
    }

    /// The schema with the version to which the plan leads, unless it has one.
    fileprivate func versioned(_ schema: StoredSchema) -> StoredSchema {
      var schema = schema
      schema.version = leadsBack ? versions.last?.number : schema.version ?? versions.last?.number
      return schema
    }
  }
#endif
