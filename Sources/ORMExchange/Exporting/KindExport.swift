internal import ORM

/// Writes the rows of an export, each as its own kind.
final class KindExport<Root: PrimaryKeyed> {
  private let plan: MappingPlan<Root>
  private let kinds: KindPlans<Root>
  private let transaction: ReadTransaction
  private let writing: JSONWriting
  /// The kinds, those below others first.
  private let ordered: [any KindPlan<Root>]
  /// The entities below the model that the mapping does not name, where their rows are refused.
  private let unnamed: [String]
  private let isKeyed: Bool

  init(_ plan: MappingPlan<Root>, _ kinds: KindPlans<Root>, _ transaction: ReadTransaction) {
    self.plan = plan
    self.kinds = kinds
    self.transaction = transaction
    writing = JSONWriting(plan.targets)
    ordered = kinds.kinds.sorted { $0.depth > $1.depth }
    isKeyed = plan.list == .keyed
    let named = Set(kinds.kinds.map(\.entity))
    unnamed =
      kinds.otherwise == .keep
      ? [] : transaction.store.schema.names(below: plan.entity).filter { !named.contains($0) }
  }

  /// Exports the rows of a query.
  func export(_ query: Query<Root>, to target: ExportTo) throws -> ExportReport {
    var file = try RecordFileWriter(
      target, plan.writing, plan.record, isKeyed: isKeyed,
      others: kinds.kinds.map { try $0.form })
    try transaction.chunks(query, size: 1_000) { try write($0, to: &file) }
    return try file.finish(plan.entity)
  }

  private func write(_ models: [Root], to file: inout RecordFileWriter) throws {
    let keys = try models.map { try $0.id.keyValues() }
    try checkNamed(keys)
    var objects = [(any KindObject)?](repeating: nil, count: models.count)
    for kind in ordered {
      let positions = objects.indices.filter { objects[$0] == nil }
      if positions.isEmpty { break }
      let found = try kind.objects(
        positions.map { keys[$0] }, positions.map { models[$0] }, transaction, writing)
      for (position, object) in zip(positions, found) { objects[position] = object }
    }
    for (model, object) in zip(models, objects) {
      if let object {
        try file.write(name: isKeyed ? object.memberName : nil) { try object.write(to: &$0) }
      } else if kinds.writesOwn {
        try file.write(name: isKeyed ? plan.memberName(of: model) : nil) {
          try plan.write(model, to: &$0, writing)
        }
      } else {
        throw KindPlans<Root>.unnamed(plan.entity)
      }
    }
  }

  /// Throws `invalidMapping` if one of the rows is of a kind that the mapping does not name.
  private func checkNamed(_ keys: [[StoredValue]]) throws {
    for name in unnamed {
      let query = DynamicQuery(
        name, where: .keys(keys, Root.entity.description.key), deleted: .included)
      if try transaction.exists(query) { throw KindPlans<Root>.unnamed(name) }
    }
  }
}

/// A row of an export as the object of its kind.
protocol KindObject {
  /// The name of the member that it is in a keyed list.
  var memberName: String { get throws }
  func write(to writer: inout JSONWriter) throws
}

/// An object of a kind with the relationships that its record has through the entities above.
struct WrittenObject<Kind: PrimaryKeyed>: KindObject {
  let plan: MappingPlan<Kind>
  let model: Kind
  let inherited: InheritedWriting
  let writing: JSONWriting

  var memberName: String { get throws { try plan.memberName(of: model) } }

  func write(to writer: inout JSONWriter) throws {
    try plan.write(model, inherited, to: &writer, writing)
  }
}

/// Writes the rows of an export by names, each as its own kind.
struct DynamicKindExport {
  private let plan: DynamicPlan
  private let transaction: ReadTransaction
  /// The kinds, those below others first.
  private let kinds: [DynamicPlan]
  private let unnamed: [String]

  init(_ plan: DynamicPlan, _ transaction: ReadTransaction) {
    self.plan = plan
    self.transaction = transaction
    let schema = transaction.store.schema
    kinds = plan.kinds.sorted {
      schema.depth(of: $0.entity.name) > schema.depth(of: $1.entity.name)
    }
    let named = Set(plan.kinds.map(\.entity.name))
    unnamed =
      plan.kind == nil
      ? [] : schema.names(below: plan.entity.name).filter { !named.contains($0) }
  }

  func write(_ rows: [DynamicRow], to file: inout RecordFileWriter) throws {
    let names = plan.entity.description.key
    let keys = rows.map { row in names.map { row[$0] } }
    for name in unnamed where try !fetch(name, keys).isEmpty { throw unnamed(name) }
    var written = [(row: DynamicRow, plan: DynamicPlan)?](repeating: nil, count: rows.count)
    for kind in kinds {
      let found = try fetch(kind.entity.name, keys)
      if found.isEmpty { continue }
      let others = try kind.entity.parts.dropFirst().map { part in
        (part, try fetch(part.entity, keys))
      }
      for (position, key) in keys.enumerated() where written[position] == nil {
        guard var row = found[GroupKey(key)] else { continue }
        for (part, rows) in others {
          for name in part.attributes { row[name] = rows[GroupKey(key)]?[name] ?? .null }
        }
        written[position] = (row, kind)
      }
    }
    for (row, kind) in zip(rows, written) {
      if kind == nil, !plan.writesOwn { throw unnamed(plan.entity.name) }
      try (kind?.plan ?? plan).write(kind?.row ?? row, to: &file, isOneOfSeveral: true)
    }
  }

  /// The rows of an entity with some keys, by these.
  private func fetch(_ name: String, _ keys: [[StoredValue]]) throws -> [GroupKey: DynamicRow] {
    let names = plan.entity.description.key
    let query = DynamicQuery(name, where: .keys(keys, names), deleted: .included)
    return Dictionary(
      try transaction.fetch(query).map { row in (GroupKey(names.map { row[$0] }), row) },
      uniquingKeysWith: { first, _ in first })
  }

  private func unnamed(_ kind: String) -> StoreError {
    StoreError.unnamedKind(kind, in: plan.entity.name)
  }
}

extension KindPlan {
  var entity: String { Kind.entity.written.name }

  /// The form of a record.
  fileprivate var form: (tree: WriteTree, record: RecordPlan) {
    get throws {
      let plan = try mapping.plan
      return (plan.writing, plan.record)
    }
  }

  /// The rows that are of the kind, or of one below it, with the relationships of the entities above.
  fileprivate func objects(
    _ keys: [[StoredValue]], _ roots: [Root], _ transaction: ReadTransaction,
    _ writing: JSONWriting
  ) throws -> [(any KindObject)?] {
    let plan = try mapping.plan
    let found = try transaction.rows(of: Kind.self, keys: keys, seeing: .included)
    if found.allSatisfy({ $0 == nil }) { return found.map { _ in nil } }
    let owners = try inherited.map { try $0.owners(keys, roots, transaction, writing) }
    return found.indices.map { index in
      guard let model = found[index] else { return nil }
      var links = InheritedWriting()
      for (part, owners) in zip(inherited, owners) { links.add(part.linkCount, owners[index]) }
      return WrittenObject(plan: plan, model: model, inherited: links, writing: writing)
    }
  }
}

extension InheritedPlan {
  /// The writing of the relationships of each row; nil for rows that are not of the entity above.
  fileprivate func owners<Root>(
    _ keys: [[StoredValue]], _ roots: [Root], _ transaction: ReadTransaction,
    _ writing: JSONWriting
  ) throws -> [(any LinkWriting)?] {
    let plan = try mapping.plan
    // Objects of the query's model have the relationships that it prefetches.
    let models =
      try roots as? [Owner?]
      ?? transaction.rows(of: Owner.self, keys: keys, seeing: .included)
    return models.map { model in
      model.map { ModelLinkWriting(links: plan.links, model: $0, writing: writing) }
    }
  }
}

extension StoredSchema {
  /// The number of entities above one.
  fileprivate func depth(of name: String) -> Int {
    entity(named: name)?.parent.map { depth(of: $0) + 1 } ?? 0
  }

  /// The names of the subentities below an entity.
  fileprivate func names(below name: String) -> [String] {
    everyEntity.filter { $0.parent == name }.flatMap {
      [$0.modelName] + names(below: $0.modelName)
    }
  }
}

extension Condition {
  /// The rows with one of some keys.
  static func keys(_ keys: [[StoredValue]], _ names: [String]) -> Condition {
    if names.count == 1 {
      return .isIn(.attribute(names[0]), list: .value(.array(keys.flatMap { $0 })), [])
    }
    return .any(keys.map { .equal(names, $0) })
  }

  /// The rows in which some attributes have values.
  static func equal(_ names: [String], _ values: [StoredValue]) -> Condition {
    .all(zip(names, values).map { .compare(.attribute($0), .equal, .value($1), []) })
  }
}
