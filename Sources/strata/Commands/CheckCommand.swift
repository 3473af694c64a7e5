#if Command
  import ArgumentParser
  import ORM

  /// `strata check URL`: checks a whole store and reports its faults.
  struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Checks every row, index and link of a store, and reports the faults.",
      discussion: """
        Ends with a failure when there is a fault. As JSON, one object: rows (entity, count), \
        faults (the first 1,000), faultCount, danglingLinks, unusedContents, overcountedContents.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "text or json.") var format = ReportFormat.text
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      let report = try opened.check()
      try format.print(report)
      if !report.isSound { throw ExitCode.failure }
    }
  }
#endif
