#if Command
  import ArgumentParser
  import ORM

  /// `strata query URL ENTITY`: the rows that match.
  struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "query", abstract: "Prints the rows of an entity that match, or groups of them.",
      discussion: """
        Rows of jsonl, json and csv are printed as they come, in constant memory. A table shows whole \
        texts, but for a terminal, whose lines it fits.
        """)

    @OptionGroup var options: QueryOptions
    @Option(help: "table, json, jsonl or csv.") var format = OutputFormat.table

    mutating func run() throws {
      let store = try options.open()
      defer { try? store.close() }
      switch try options.question(in: store) {
      case .rows(let query, let entity):
        let columns = entity.keySource == .hidden ? entity.columns.dropLast() : entity.columns[...]
        let printer = RowPrinter(attributes: columns.map(\.attribute), format: format)
        try store.read { transaction in
          // Printed rows are not printed again.
          transaction.hasGivenRows = true
          try printer.print { try transaction.chunks(query, size: RowPrinter.batch, $0) }
        }
      case .selection(let selection):
        let printer = RowPrinter(attributes: selection.names, format: format)
        try store.read { transaction in
          transaction.hasGivenRows = true
          try printer.print { try transaction.chunks(selection, size: RowPrinter.batch, $0) }
        }
      }
    }
  }

  /// `strata explain URL ENTITY`: how the store would answer.
  struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain", abstract: "Explains how the store would answer a query.",
      discussion: """
        As JSON, one object: access, index, ranges, parts, engineConditions, coreConditions, \
        isOrderFromAccess, readsRows, groups, detail, and related with an explanation each.
        """)

    @OptionGroup var options: QueryOptions
    @Option(help: "text or json.") var format = ReportFormat.text

    mutating func run() throws {
      let store = try options.open()
      defer { try? store.close() }
      switch try options.question(in: store) {
      case .rows(let query, _): try format.print(store.read { try $0.explain(query) })
      case .selection(let selection): try format.print(store.read { try $0.explain(selection) })
      }
    }
  }
#endif
