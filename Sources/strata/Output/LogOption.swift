#if Command
  public import ArgumentParser
  import ORM

  /// The option `--log` of every command that opens a store.
  struct LogOption: ParsableArguments {
    @Option(
      name: .customLong("log"),
      help: """
        Logs what the store does to standard error, without values of rows: warnings with their \
        remedies; at debug also transactions; at trace also requests and SQL.
        """)
    var level: StoreNotice.Level?

    /// The options of a store that is opened.
    var options: StoreOptions {
      var options = StoreOptions()
      if let level { options.instruments = [.standardError(level)] }
      return options
    }
  }

  extension StoreNotice.Level: ExpressibleByArgument {}
#endif
