internal import ORM

extension KindSink {
  /// Makes a sink of models.
  ///
  /// - Throws: `invalidMapping`, and as the sink of one model.
  convenience init<Model>(_ options: ImportOptions<Model>, _ kinds: KindPlans<Model>) throws {
    let group = WaitingKinds()
    let own = try ModelSink(options)
    own.join(group)
    let sinks = try kinds.kinds.map { try $0.sink(beside: own, group) }
    self.init(kinds.table, own, sinks, group)
  }
}

extension ModelSink {
  /// Makes the records of the sink some of those of several kinds.
  fileprivate func join(_ group: WaitingKinds) {
    group.saved.formUnion(saved.names)
    self.group = group
  }
}

extension KindPlan {
  /// Makes the sink of the kind's records.
  ///
  /// - Parameters:
  ///   - own: the sink of the mapping's own model.
  ///   - group: the records that wait in the sinks of all kinds.
  fileprivate func sink(
    beside own: ModelSink<Root>, _ group: WaitingKinds
  ) throws -> any RecordSink {
    var options = try self.options(of: Kind.self, mapping, like: own.options)
    // Its keys are noted, and the sink of the mapping's own model prunes.
    if own.prunes { options.prune = .missing(in: Query<Kind>()) }
    let conversion = RowConversion<Root, Kind>()
    let given = own.setGiven.map { set in
      { (model: inout Kind) in try conversion.change(&model, set) }
    }
    let sink = try ModelSink(options, given: given)
    sink.seen = own.seen
    sink.inherited = try inherited.map { try self.sink($0, of: sink, beside: own) }
    sink.join(group)
    return sink
  }

  private func sink<Links: InheritedPlan>(
    _ links: Links, of sink: ModelSink<Kind>, beside own: ModelSink<Root>
  ) throws -> any InheritedSink {
    var options = try self.options(of: Links.Owner.self, links.mapping, like: own.options)
    options.given = (own.options as? ImportOptions<Links.Owner>)?.given
    return try ModelSink(inherited: options, columns: links.columns, shared: sink.reader.reading)
  }

  /// The options of an import for another model of the hierarchy.
  private func options<Model: PrimaryKeyed>(
    of model: Model.Type, _ mapping: JSONMapping<Model>, like root: ImportOptions<Root>
  ) throws -> ImportOptions<Model> {
    var options = ImportOptions<Model>()
    options.mapping = mapping
    options.settings = root.settings
    let paths = try root.match.paths.map { path in
      let name = Root.entity.name(of: path)
      let position = name.flatMap { Model.entity.description.position(of: $0) }
      guard let own = Model.entity.paths.first(where: { $0.position == position })?.path else {
        throw StoreError(
          .invalidImport, "a key path of the match is no attribute",
          entity: Model.entity.written.name)
      }
      return own
    }
    options.match = ImportMatch(paths: paths)
    return options
  }
}

/// The conversion between the objects of a model and those of a subentity, by the names of attributes.
struct RowConversion<Root: Persistable, Kind: Persistable>: Sendable {
  /// The position of each attribute of the model among those of the subentity.
  let columns: [Int?]

  init() {
    let kind = Kind.entity.description
    columns = Root.entity.description.attributes.map { kind.position(of: $0.name) }
  }

  /// The object of the model with the values of one of the subentity; of its links nothing is known.
  func root(of model: Kind) throws -> Root {
    let values = try BufferedRow(encoding: model).values
    var root = try Root(row: BufferedRow(columns.map { $0.map { values[$0] } ?? .null }))
    for end in Root.entity.relationships { end.forget(in: &root) }
    return root
  }

  /// Calls a closure with the object of the model that an object of the subentity is, and takes over
  /// the values that it changes.
  func change(_ model: inout Kind, _ body: (inout Root) throws -> Void) throws {
    var root = try root(of: model)
    let before = try BufferedRow(encoding: root).values
    try body(&root)
    let after = try BufferedRow(encoding: root).values
    var values = try BufferedRow(encoding: model).values
    var isChanged = false
    for (column, position) in columns.enumerated() where before[column] != after[column] {
      guard let position else { continue }
      values[position] = after[column]
      isChanged = true
    }
    if !isChanged { return }
    var changed = [try Kind(row: BufferedRow(values))]
    for end in Kind.entity.relationships {
      end.copy(from: [model], to: &changed, keepsSet: false)
    }
    model = changed[0]
  }
}

extension JSONMapping {
  /// The mapping with the models of kinds, its own and those of nested objects, where data has named
  /// them.
  ///
  /// - Throws: `invalidMapping`, also for an entity of which the store has no model.
  func knowingKinds(of store: any Store) throws -> JSONMapping {
    guard rules.namesModels else { return self }
    let mapping = adding {
      $0.models = { name in
        store.schema.entity(named: name).flatMap { store.runtime.model(of: $0) }
          as? any PrimaryKeyed.Type
      }
    }
    guard let name = try mapping.plan.kinds?.unresolved.first else { return mapping }
    throw StoreError(
      .invalidMapping, "the store was opened without a model of the kind \(name)",
      entity: Model.entity.written.name)
  }
}

extension MappingRules {
  /// True if data names models, or may name them in the mappings of nested objects.
  fileprivate var namesModels: Bool {
    let isNamed = kind?.models.contains { if case .name = $0.model { true } else { false } }
    let mappings = links.map(\.mapping) + kindMappings.map(\.mapping)
    return isNamed == true || mappings.contains { if case .data = $0 { true } else { false } }
  }
}
