internal import FoundationEssentials
internal import ORMRows
internal import ORMStorage

/// A plan that runs in the transaction of an opening.
final class MigrationRun {
  let transaction: any SchemaTransaction
  let declared: StoredSchema
  private var draft: SchemaDraft
  private var stores: [Bool: MigrationStore] = [:]
  /// True if rows may have changed, so that derived attributes may be wrong.
  private var changesRows = false
  let options: MigrationOptions
  /// The rows found at the end that break rules.
  private var findings: [StoreError] = []
  /// The part of a migration of many transactions; nil for one of a single transaction.
  private let parts: MigrationParts?

  init(
    _ transaction: any SchemaTransaction, _ declared: StoredSchema, _ options: MigrationOptions,
    _ parts: MigrationParts? = nil
  ) {
    self.options = options
    self.transaction = transaction
    self.declared = declared
    self.parts = parts
    draft = SchemaDraft(parts.map { $0.schema.inside($0.schema.base) } ?? transaction.schema)
  }

  /// Runs versions in order, then fits names to the declared schema.
  ///
  /// - Returns: the progress, if another transaction is to go on; else the findings.
  /// - Throws: `migrationFailed`, naming version and step, with the cause in `failures`.
  func run(_ versions: [MigrationVersion]) throws -> MigrationOutcome {
    do {
      parts?.version = versions.first?.number ?? 0
      if let parts { try copyRows(parts) }
      try runAll(versions)
    } catch let pause as MigrationParts.Pause {
      guard let parts else { throw pause }
      return .goesOn(try parts.leave())
    }
    return .done(findings: findings)
  }

  /// Copies the rows of the entities that change.
  private func copyRows(_ parts: MigrationParts) throws {
    let copied = parts.schema
    let beginning = copied.beginning
    try parts.change(to: beginning.union) { try transaction.change(beginning) }
    for entity in copied.originals {
      try parts.operation {
        let store = MigrationStore(
          try transaction.writer(), transaction.schema, isFlat: true, parts: parts)
        do { try store.operation { try $0.copyRows(of: entity) } } catch let error as StoreError {
          throw failure("the copy of \(entity.modelName)", error)
        }
      }
    }
    // The copies have to be those of one time before indexes are built: others may have exchanged values
    // that are unique.
    if copied.isOnline { try parts.operation { try copyChangedRows(parts) } }
    let indexes = copied.indexes
    try parts.change(to: indexes.union) { try transaction.change(indexes) }
  }

  private func runAll(_ versions: [MigrationVersion]) throws {
    var applied: [AppliedMigration] = []
    let first = draft.schema
    var retained = first
    var outline = try MigrationOutline(versions, from: first)
    let isRenamed = try outline.finish(as: declared, from: first)
    try runSteps(of: outline.versions.map(\.version))
    for followed in outline.versions {
      let version = followed.version
      followed.raise(&retained)
      applied.append(
        AppliedMigration(version: version.number, digest: try version.digest(), date: Date()))
    }
    do {
      var end = draft
      try end.moveLinks(to: declared) { moved, copy in
        draft = moved
        try flush()
        try operation(isFlat: true) { tx in try copy.run(in: tx) }
        moved = draft
      }
      try end.align(with: declared)
      draft = end
      if let parts, parts.schema.isOnline {
        try flush()
        try catchUp(parts, outline)
      }
      try checkEnd(outline.entitiesWritten)
    } catch let pause as MigrationParts.Pause { throw pause } catch {
      throw failure("the end of version \(draft.version)", error)
    }
    if let version = declared.version {
      retained.raise(to: version, keeping: isRenamed ? .none : .writing)
    }
    draft.describe { schema in
      schema.version = retained.version
      schema.minimumReader = retained.minimumReader
      schema.minimumWriter = retained.minimumWriter
      // Those of earlier versions end; the least versions say so already.
      let aliases = schema.aliases?.filter { $0.version == retained.version } ?? []
      schema.aliases = aliases.isEmpty ? nil : aliases
      schema.migrations = (schema.migrations ?? []) + applied
      // The opening computes derived attributes that the stored schema does not know.
      if changesRows {
        schema.editEntities { entity in
          for position in entity.columns.indices { entity.columns[position].derived = nil }
        }
      }
    }
    draft.removeMigration()
    try flush()
    try truncateHistory()
  }

  /// Runs the steps of versions in order, those together that one update can make.
  private func runSteps(of versions: [MigrationVersion]) throws {
    let steps = versions.flatMap { version in
      version.steps.enumerated().map { (version: version.number, step: $0 + 1, $1.action) }
    }
    var position = 0
    while position < steps.count {
      let (version, step, action) = steps[position]
      draft.version = version
      parts?.version = version
      parts?.step = step
      var sets = FusedSets()
      var end = position
      while end < steps.count, try sets.take(steps[end].2, in: draft) { end += 1 }
      let together = steps[position..<max(end, position + 1)]
      do {
        try together.count > 1 ? run(sets) : run(action)
      } catch let pause as MigrationParts.Pause { throw pause } catch {
        let names = together.map { "version \($0.version), step \($0.step) (\($0.2))" }
        throw failure(names.joined(separator: "; "), error)
      }
      position = together.endIndex
    }
    if let last = versions.last { draft.version = last.number }
  }

  /// Runs steps over all rows that there are, up to the names of the declared schema, with no look at the
  /// end.
  func runStepsAlone(of versions: [MigrationVersion]) throws {
    try runSteps(of: versions)
    try draft.align(with: declared)
    try flush()
  }

  private func run(_ sets: FusedSets) throws {
    guard let entity = sets.entity else { return }
    try operation { tx in
      var query = try DynamicQuery(entity, in: tx.store.schema, where: nil)
      query.deleted = .included
      try tx.updateInParts(query, sets.values)
    }
  }

  /// Ends the history so far, which has the names of before: a token of it would miss changes.
  private func truncateHistory() throws {
    guard draft.schema[HistoryEntity.name] != nil else { return }
    let writer = try transaction.writer()
    guard let history = try StoreHistory(MigrationStore(writer, draft.schema)) else { return }
    var state = try history.state(writer)
    guard state.isRecorded else { return }
    try history.remove(upTo: state.number, by: writer)
    state.number += 1
    state.oldest = state.number
    state.changes = 0
    state.oldestTimestamp = nil
    try history.write(state, by: writer)
  }

  private func run(_ action: MigrationAction) throws {
    switch action {
    case .makeRequired(let name, let entity, let value):
      try fill(name, of: entity, value)
      try action.apply(to: &draft)
    case .changeType(let name, let type, let entity, let mapping, let failure):
      try draft.checkTypeChange(of: name, in: entity, failure)
      try changeType(of: name, in: entity, to: type, mapping, failure)
    case .set(let name, let entity, let value, let condition, let mapping):
      try action.apply(to: &draft)
      try set(name, of: entity, to: value, where: condition, mapping)
    case .rows(let entity, let closure): try changeRows(of: entity, try closure.run())
    case .sql(let sql, let kind):
      try flush()
      stores = [:]
      changesRows = true
      func execute() throws { try transaction.execute(sql, for: kind) }
      if let parts { try parts.operation { try execute() } } else { try execute() }
    case .run(let closure):
      let body = try closure.run()
      try withStore { store in try store.write { try body($0) } }
    case .check(let condition, let entity): try check(condition, entity)
    case .removeDuplicates(let names, let entity, let keeping):
      try removeDuplicates(of: names, in: entity, keeping)
    case .split(let split):
      try draft.addTarget(of: split)
      let source = try draft.entity(split.entity)
      try operation(isFlat: true) { tx in try tx.split(split, source) }
      try draft.dropMoved(by: split)
    case .changeKey, .merge, .inherit, .disinherit:
      var draft = draft
      try action.apply(to: &draft) { moved, body in
        self.draft = moved
        try operation(isFlat: true, body)
        moved = self.draft
      }
      self.draft = draft
    case .fold(let fold): try copyAlongLink(try draft.copy(of: fold))
    case .move(let move): try copyAlongLink(try draft.copy(of: move))
    case .fill(let name, let entity, let closure):
      try action.apply(to: &draft)
      let stored = try draft.entity(entity)
      let body = try closure.run()
      try operation { tx in try tx.fill(name, of: stored, body) }
    case .renameEntity, .renameAttribute, .renameRelationship, .dropEntity, .dropAttributes,
      .dropRelationship, .addAttribute, .makeOptional, .moveLinks:
      try action.apply(to: &draft)
    }
  }

  /// Makes the changes of the draft in the store.
  private func flush() throws {
    let changes = draft.changes
    if let parts {
      try parts.change(to: draft.schema) { try flush(changes) }
    } else {
      try flush(changes)
    }
    let kinds = draft.renamedKinds
    var next = SchemaDraft(draft.schema)
    next.version = draft.version
    next.linkMoves = draft.linkMoves
    draft = next
    for kind in kinds {
      guard let root = draft.schema[kind.root] else { continue }
      let attribute = "\(root.modelName)$kind"
      try operation(isFlat: true) { tx in
        try tx.updateInParts(
          DynamicQuery(
            root.modelName,
            where: .compare(.attribute(attribute), .equal, .value(.string(kind.from)), [])),
          [attribute: .value(.string(kind.to))])
      }
    }
  }

  private func flush(_ changes: SchemaChanges) throws {
    if !changes.isEmpty || draft.schema != transaction.schema {
      stores = [:]
      try transaction.change(changes)
    }
  }

  /// Changes rows of the store as it is after the steps so far.
  private func operation(
    isFlat: Bool = false, _ body: (WriteTransaction) throws -> Void
  ) throws {
    try withStore(isFlat: isFlat) { store in try store.operation(body) }
  }

  /// Changes rows by a store with the schema after the steps so far.
  private func withStore(
    isFlat: Bool = false, _ body: (MigrationStore) throws -> Void
  ) throws {
    try flush()
    changesRows = true
    if let parts {
      try parts.operation { try body(store(isFlat: isFlat)) }
    } else {
      try body(store(isFlat: isFlat))
    }
  }

  private func store(isFlat: Bool) throws -> MigrationStore {
    if let store = stores[isFlat] { return store }
    let store = MigrationStore(
      try transaction.writer(), draft.schema, isFlat: isFlat, parts: parts)
    stores[isFlat] = store
    return store
  }

  /// The column of an attribute, and the root that holds it.
  private func column(
    _ name: String, of entity: String
  ) throws -> (location: SchemaDraft.ColumnLocation, root: StoredEntity, column: StoredColumn) {
    let location = try draft.location(name, of: entity)
    let root = draft.schema.entities[location.root]
    guard let column = root.column(named: location.name) else {
      throw draft.fault("the store has no such column", entity, [name])
    }
    return (location, root, root.columns[column])
  }

  private func changeType(
    of name: String, in entity: String, to type: AttributeType, _ mapping: ValueMapping,
    _ failure: MappingFailure
  ) throws {
    let (location, root, column) = try column(name, of: entity)
    let isRequired =
      try draft.entity(entity).column(ofAttribute: name).map {
        try !draft.entity(entity).columns[$0].isOptional
      } ?? false
    let shadow = StoredColumn(
      "\(location.name)$", type, attribute: "\(column.attribute)$", isOptional: true)
    try draft.add(shadow, to: location.root)
    var retained: String?
    if case .keepIn(let other) = failure {
      let location = try draft.location(other, of: entity)
      retained = root.column(named: location.name).map { root.columns[$0].attribute }
    }
    try operation(isFlat: true) { tx in
      let mapped = MappedColumn(
        entity: root.modelName, attribute: name, source: column.attribute,
        target: shadow.attribute, type: type, retained: retained, mapping: mapping, failure: failure
      )
      let isThere = Condition.compare(
        .attribute(column.attribute), .notEqual, .value(.null), [])
      try tx.map(mapped, where: isThere)
    }
    let target = try draft.location(name, of: entity)
    draft.replace(target, by: shadow.name, type)
    if isRequired { try draft.setOptional(name, in: entity, false) }
  }

  private func fill(_ name: String, of entity: String, _ value: StoredValue?) throws {
    _ = try column(name, of: entity)
    let isNil = Condition.compare(.attribute(name), .equal, .value(.null), [])
    try operation { tx in
      let query = DynamicQuery(entity, where: isNil)
      if let value {
        try tx.updateInParts(query, [name: .value(value)])
      } else {
        try tx.expectNone(query, .missingValue, "the value is nil", [name])
      }
    }
  }

  private func set(
    _ name: String, of entity: String, to value: String, where condition: String?,
    _ mapping: ValueMapping
  ) throws {
    try operation { tx in
      var query = try DynamicQuery(entity, in: tx.store.schema, where: condition)
      query.deleted = .included
      let operand = try operand(value, of: entity, in: tx.store.schema)
      if mapping.isExact, try tx.assigns(operand, to: name, of: entity) {
        try tx.updateInParts(query, [name: operand])
      } else {
        try tx.set(name, query, operand, mapping)
      }
    }
  }

  private func operand(
    _ text: String, of entity: String, in schema: StoredSchema
  ) throws -> Operand {
    var parser = try FormatParser(text, for: .stored(try draft.entity(entity), schema))
    return try parser.operand()
  }

  /// Looks through the links and the rules of entities whose rows were written.
  private func checkEnd(_ written: Set<String>) throws {
    if options.links != .off {
      for slot in LinkColumns.all(of: draft.schema)
      where !slot.mayDangle
        && (written.contains(slot.referrer.modelName) || written.contains(slot.owner.modelName))
      {
        try operation { tx in try tx.checkLinks(of: slot, options.links) }
      }
    }
    if options.validation == .off || written.isEmpty { return }
    // The last transaction finds them all, since the findings of an earlier one would be lost.
    try flush()
    try parts?.enter()
    let store = try store(isFlat: false)
    for entity in declared.everyEntity where written.contains(entity.modelName) {
      let parent = entity.parent.flatMap { declared.entity(named: $0) }
      for rule in entity.rules where parent?.rules.contains(rule) != true {
        try store.operation { tx in findings += try tx.rows(of: entity, breaking: rule) }
      }
    }
    findings = Array(findings.prefix(WriteTransaction.namedRows))
    if options.validation == .throw, !findings.isEmpty {
      throw StoreError(
        .validationFailed, "rows break validation rules", failures: findings)
    }
  }

  private func check(_ condition: String, _ entity: String) throws {
    try operation { tx in
      var query = try DynamicQuery(entity, in: tx.store.schema, where: condition)
      query.condition = .not(query.condition)
      try tx.expectNone(query, .validationFailed, "the row does not fit: \(condition)", [])
    }
  }

  private func changeRows(
    of entity: String, _ body: @Sendable (inout DynamicRow) throws -> Void
  ) throws {
    let stored = try draft.entity(entity)
    try operation { tx in try tx.changeRows(of: stored, body) }
  }

  /// Copies columns from one end of a to-one to the other.
  private func copyAlongLink(_ copy: LinkedCopy) throws {
    try draft.addColumns(of: copy)
    try withStore { _ in
      let store = MigrationStore(
        try transaction.writer(), copy.extended(draft.schema), isFlat: true, parts: parts)
      try store.operation { tx in try copy.run(in: tx) }
    }
    try draft.finish(copy)
  }

  private func removeDuplicates(
    of names: [String], in entity: String, _ keeping: MigrationStep.RetainedDuplicate
  ) throws {
    let stored = try draft.entity(entity)
    try operation { tx in try tx.removeDuplicates(of: names, in: stored, keeping) }
  }
}
