#if Command
  import ArgumentParser
  import ORM

  /// `strata query URL ENTITY`: the rows that match.
  struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "query", abstract: "Prints the rows of an entity that match, or groups of them.")

    @OptionGroup var options: QueryOptions
    @Option(help: "table, json, jsonl or csv.") var format = OutputFormat.table

    mutating func run() throws {
      let store = try options.store.open(readOnly: true)
      defer { try? store.close() }
      switch try options.question(in: store) {
      case .rows(let query, let entity):
        let rows = try store.read { try $0.fetch(query) }
        let columns = entity.keySource == .hidden ? entity.columns.dropLast() : entity.columns[...]
        RowPrinter(attributes: columns.map(\.attribute), format: format).print(rows)
      case .selection(let selection):
        let rows = try store.read { try $0.fetch(selection) }
        RowPrinter(attributes: selection.names, format: format).print(rows)
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
      let store = try options.store.open(readOnly: true)
      defer { try? store.close() }
      switch try options.question(in: store) {
      case .rows(let query, _): try format.print(store.read { try $0.explain(query) })
      case .selection(let selection): try format.print(store.read { try $0.explain(selection) })
      }
    }
  }
#endif
