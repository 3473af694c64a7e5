#if Command
  import ArgumentParser
  import ORM

  /// The options that `query` and `explain` share.
  struct QueryOptions: ParsableArguments {
    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Argument(help: "The entity.") var entity: String
    @Option(
      name: .customLong("where"),
      help: """
        A predicate format such as "stops > 0 AND ANY equipment == '747'"; - reads it from standard \
        input.
        """)
    var condition: String?
    @Option(help: "A template of the entity, stored with the schema.") var template: String?
    @Option(
      parsing: .unconditional,
      help: "A sort, such as \"country, -name[c] nils last\"; a minus reverses the order.")
    var sort: String?
    @Option(name: .customLong("set"), help: "A value for a variable, such as NAME=value for $NAME.")
    var variables: [String] = []
    @Option(help: "The maximum number of rows.") var limit: Int?
    @Option(
      help: "Columns instead of whole rows, such as \"country, count(), max(altitude) AS top\".")
    var select: String?
    @Option(
      help: "Keys to group by, such as \"country, length(name)\"; name[c] ignores case.")
    var group: String?
    @Option(help: "A format for groups, such as \"count() > 2 AND country != nil\".")
    var having: String?
    @Flag(help: "Returns each distinct row of the result once.") var distinct = false
    @Option(help: "Soft-deleted rows: include them, or return only them (default: neither).")
    var deleted: Deleted?
    @OptionGroup var log: LogOption

    /// The rows that are asked about of an entity with a soft delete.
    enum Deleted: String, ExpressibleByArgument, CaseIterable {
      case include, only
    }

    /// Rows, or columns and groups.
    enum Question {
      case rows(DynamicQuery, StoredEntity)
      case selection(DynamicSelection)
    }

    /// Opens the store to be read.
    func open() throws -> any Store { try store.open(readOnly: true, log: log) }

    /// The question for an opened store.
    func question(in store: any Store) throws -> Question {
      guard let stored = store.schema.entity(named: entity) else {
        let names = store.schema.everyEntity.map(\.modelName).joined(separator: ", ")
        throw StoreError(
          .unknownEntity, "the store has no entity of this name; it has \(names)", entity: entity)
      }
      let values = try values()
      let format = FormatEntity.stored(stored, store.schema)
      var query = try rows(of: store, format, values)
      if let limit { query.limit = limit }
      if let deleted { query.deleted = deleted == .only ? .only : .included }
      guard select == nil, group == nil, having == nil, !distinct else {
        if select == nil, group == nil {
          throw ValidationError("--having and --distinct need --group or --select")
        }
        var reader = SelectionReader(format, values)
        return .selection(
          try reader.selection(
            of: query, select: select, group: group, having: having, sort: sort,
            isDistinct: distinct))
      }
      if let sort {
        var parser = try FormatParser(sort, for: format, values: values)
        query.order = try parser.order()
      }
      return .rows(query, stored)
    }

    private func rows(
      of store: any Store, _ format: FormatEntity, _ values: [ExactText: FormatVariable]
    ) throws -> DynamicQuery {
      var parsed = Condition.constant(true)
      if let condition {
        parsed = try ConditionArgument.condition(condition, for: format, values)
      }
      guard let template else { return DynamicQuery(entity, where: parsed) }
      var query = try DynamicQuery(
        template: template, of: entity, in: store.schema, variables: values)
      if condition != nil { query.condition = .all([query.condition, parsed]) }
      return query
    }

    /// The values of `--set`, by the names of their variables.
    private func values() throws -> [ExactText: FormatVariable] {
      var values: [ExactText: FormatVariable] = [:]
      for variable in variables {
        let parts = variable.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
          throw ValidationError("--set takes NAME=value, not \(variable)")
        }
        values[String(parts[0])] = .text(String(parts[1]))
      }
      return values
    }
  }
#endif
