import ArgumentParser
import ORM

/// What `query` and `explain` ask alike.
struct QueryOptions: ParsableArguments {
  @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
  @Argument(help: "The entity.") var entity: String
  @Option(
    name: .customLong("where"),
    help: "Terms such as \"stops > 0 AND name BEGINSWITH[c] 'a'\", joined by AND or OR.")
  var condition: String?
  @Option(
    parsing: .unconditional,
    help: "Attributes to sort by, such as \"country,-name\"; - is descending.")
  var sort: String?
  @Option(help: "At most so many rows.") var limit: Int?

  /// The query in an opened store.
  func query(in store: any Store) throws -> (DynamicQuery, StoredEntity) {
    guard let stored = store.schema.entities.first(where: { $0.modelName == entity }) else {
      let names = store.schema.entities.map(\.modelName).joined(separator: ", ")
      throw StoreError(
        .unknownEntity, "the store has no entity of this name; it has \(names)", entity: entity)
    }
    var parsed = Condition.constant(true)
    if let condition {
      var parser = try WhereParser(condition, entity: stored)
      parsed = try parser.parse()
    }
    let order = try sort.map { try terms(of: $0, in: stored) } ?? []
    return (DynamicQuery(entity, where: parsed, order: order, limit: limit), stored)
  }

  private func terms(of text: String, in stored: StoredEntity) throws -> [SortTerm] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      var name = part.drop { $0 == " " }
      while name.last == " " { name.removeLast() }
      let isDescending = name.first == "-"
      if isDescending { name.removeFirst() }
      guard stored.column(ofAttribute: String(name)) != nil else {
        throw StoreError(
          .unknownAttribute, "the entity has no attribute of this name to sort by",
          entity: entity, attributes: [String(name)])
      }
      return SortTerm(.attribute(String(name)), isDescending: isDescending)
    }
  }
}

/// `strata query URL ENTITY`: the rows that match.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Prints the rows of an entity that match.")

  @OptionGroup var options: QueryOptions
  @Option(help: "table, json, jsonl or csv.") var format = OutputFormat.table

  mutating func run() throws {
    let store = try options.store.open(readOnly: true)
    defer { try? store.shut() }
    let (query, entity) = try options.query(in: store)
    let rows = try store.read { try $0.fetch(query) }
    let columns = entity.keySource == .hidden ? entity.columns.dropLast() : entity.columns[...]
    RowPrinter(attributes: columns.map(\.attribute), format: format).print(rows)
  }
}

/// `strata explain URL ENTITY`: how the store would answer.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Tells how the store would answer a query.")

  @OptionGroup var options: QueryOptions

  mutating func run() throws {
    let store = try options.store.open(readOnly: true)
    defer { try? store.shut() }
    let (query, _) = try options.query(in: store)
    print(try store.read { try $0.explain(query) })
  }
}
