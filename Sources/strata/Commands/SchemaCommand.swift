#if Command
  import ArgumentParser
  import ORM
  import ORMMigrations

  /// `strata schema`: the schema of a store, as it is, frozen in a file, and beside another.
  struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema",
      abstract: "Prints the schema of a store, freezes it in a file, or compares two.",
      subcommands: [ShowSchemaCommand.self, FreezeCommand.self, DifferenceCommand.self],
      defaultSubcommand: ShowSchemaCommand.self)
  }

  /// `strata schema URL`: the entities of a store.
  struct ShowSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Prints the entities, attributes and indexes of a store.")

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, mermaid, dot }

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "text, json, mermaid or dot.") var format = Format.text
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      switch format {
      case .text: print(opened.schema)
      case .json: print(try JSONCoding.encode(opened.schema))
      case .mermaid: print(opened.schema.mermaid)
      case .dot: print(opened.schema.dot)
      }
    }
  }

  /// `strata schema freeze URL`: the schema of a store for a file.
  struct FreezeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "freeze",
      abstract: "Prints the schema of a store as JSON, for a file beside the program.",
      discussion: """
        The text depends on the schema alone, so that a file under version control changes where the \
        schema does. Plans are tested against such files, and `strata schema diff` compares them.
        """)

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @OptionGroup var log: LogOption

    mutating func run() throws {
      print(
        try JSONLayout.lines(
          of: JSONCoding.encode(SchemaArgument.schema(of: store, log: log).declaredPart)))
    }
  }

  /// `strata schema diff A B`: the differences of two schemas.
  struct DifferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Compares two schemas, and prints the steps of a plan from one to the other.",
      discussion: """
        A schema is a store or a file that `strata schema freeze` wrote. Additions need no step. A \
        rename is never guessed: it is a question, and --rename is the answer. Between two stores, \
        values of up to 1,000 rows say which new attribute is likeliest an old one.
        """)

    @Argument(help: "The schema before: a store or a file.") var old: SchemaArgument
    @Argument(help: "The schema afterwards: a store or a file.") var new: SchemaArgument
    @Flag(help: "Print a plan in Swift, with each guess marked by a comment.") var swift = false
    @Option(help: "text or json.") var format = ReportFormat.text
    @Option(
      name: .customLong("rename"),
      help: "A rename, such as Snack=Treat or Snack.flavour=taste; may be repeated.")
    var renames: [RenameArgument] = []
    @Flag(help: "Renames keep the old name for programs of the version before.") var alias = false
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let before = try old.schema(log: log)
      // Names of attributes are those of the entity before or after its own rename.
      let steps = renames.map { $0.step(in: before, alias: alias) }
      let (oldStore, newStore) = (try old.store(log: log), try new.store(log: log))
      defer { for store in [oldStore, newStore] { try? store?.close() } }
      let difference: SchemaDifference
      if let oldStore, let newStore {
        difference = try SchemaDifference(from: oldStore, to: newStore, after: steps)
      } else {
        difference = try SchemaDifference(from: before, to: new.schema(log: log), after: steps)
      }
      if swift { print(difference.swiftPlan) } else { try format.print(difference) }
    }
  }

  /// A rename as an argument.
  struct RenameArgument: ExpressibleByArgument {
    private let entity: String
    private let name: String?
    private let newName: String

    init?(argument: String) {
      let sides = argument.split(separator: "=", omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else { return nil }
      let parts = sides[0].split(separator: ".", maxSplits: 1)
      entity = String(parts[0])
      name = parts.count == 2 ? String(parts[1]) : nil
      newName = String(sides[1])
    }

    /// The step; of a relationship if the entity has one of the name.
    func step(in schema: StoredSchema, alias: Bool) -> MigrationStep {
      guard let name else { return .renameEntity(entity, to: newName, alias: alias) }
      return schema.entity(named: entity)?.relationship(named: name) == nil
        ? .renameAttribute(name, to: newName, in: entity, alias: alias)
        : .renameRelationship(name, to: newName, in: entity, alias: alias)
    }
  }
#endif
