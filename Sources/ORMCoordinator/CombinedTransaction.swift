internal import ORMStorage

/// The transactions of openings of several stores as one.
///
/// Its schema is that of all members together. A change is split by member: an entity stays in the
/// member that has it, and a new one goes to its configuration.
final class CombinedTransaction: SchemaTransaction {
  private let layout: MemberLayout
  private let transactions: [Int: any SchemaTransaction]
  private let options: StoreOptions
  private(set) var schema: StoredSchema
  /// The members of the entities, by their stored names as of the last change.
  private var memberIndexes: [String: Int] = [:]
  private var current: TransactionsWriter?
  /// The members whose rows were changed.
  private var written: Set<Int> = []
  private let before: [Int: [StoredEntity]]

  init(
    _ layout: MemberLayout, _ transactions: [Int: any SchemaTransaction], _ options: StoreOptions
  ) {
    self.layout = layout
    self.transactions = transactions
    self.options = options
    schema = StoredSchema(entities: [])
    before = transactions.mapValues { $0.schema.ofProgram.entities }
    for (member, transaction) in transactions.sorted(by: { $0.key < $1.key }) {
      let part = transaction.schema.ofProgram
      schema.entities += part.entities
      for entity in part.entities { memberIndexes[entity.name] = member }
      schema.raiseVersions(to: part)
    }
    // The journal's member has the migrations that the whole went through.
    schema.migrations = transactions[layout.journal]?.schema.migrations
    schema.aliases = transactions[layout.journal]?.schema.aliases
    schema.forgetAliases()
  }

  /// Throws `schemaMismatch` for entities that are not in the configurations that name them.
  func checkMembers() throws {
    let failures = schema.entities.compactMap { entity -> StoreError? in
      guard let memberIndex = memberIndexes[entity.name],
        let wanted = layout.memberIndexes[entity.name],
        memberIndex != wanted
      else { return nil }
      return StoreError(
        .schemaMismatch,
        "its rows are in the configuration \(layout.names[memberIndex]), and the program has it in "
          + "\(layout.names[wanted])", entity: entity.modelName)
    }
    guard failures.isEmpty else {
      throw StoreError(
        .schemaMismatch, "the configurations do not fit the stores", failures: failures)
    }
  }

  /// The members that have other rows, entities or columns than before.
  var affected: Set<Int> {
    noteWritten()
    return written.union(
      transactions.filter { before[$0.key] != $0.value.schema.ofProgram.entities }.keys)
  }

  func change(_ changes: SchemaChanges) throws {
    endWriter()
    var changes = changes
    changes.union.forgetAliases()
    var after: [String: Int] = [:]
    for entity in changes.union.entities {
      let memberIndex = changes.nameBefore(ofEntity: entity.name).flatMap { memberIndexes[$0] }
      after[entity.name] = memberIndex ?? layout.memberIndexes[entity.name] ?? layout.journal
    }
    for (member, transaction) in transactions.sorted(by: { $0.key < $1.key }) {
      let part = changes.part(
        of: member, before: memberIndexes, after: after, in: transaction.schema)
      if part.isEmpty, part.union == transaction.schema { continue }
      try transaction.change(part)
    }
    memberIndexes = after
    schema = changes.union
  }

  /// Moves the rows of links to the configurations in which the layout has them, and returns whether
  /// there were any: a plan may have changed the entities between which they lead.
  func moveLinks() throws -> Bool {
    endWriter()
    var hasMoved = false
    for entity in schema.entities where entity.isInternal {
      guard let memberIndex = memberIndexes[entity.name],
        let wanted = layout.memberIndexes[entity.name],
        memberIndex != wanted, let source = transactions[memberIndex],
        let target = transactions[wanted]
      else { continue }
      let rows = try source.writer().rows(of: FetchRequest(of: entity))
      var changes = SchemaChanges(union: target.schema)
      changes.union.entities.append(entity)
      changes.addedEntities = [entity.name]
      try target.change(changes)
      try target.writer().put(rows, in: Array(entity.columns.indices), of: entity, .insert)
      changes = SchemaChanges(union: source.schema)
      changes.union.entities.removeAll { $0.name == entity.name }
      changes.droppedEntities = [entity.name]
      try source.change(changes)
      memberIndexes[entity.name] = wanted
      hasMoved = true
    }
    return hasMoved
  }

  func writer() throws -> any StoreWriter {
    endWriter()
    let writer = TransactionsWriter(
      RequestRouting(schema, memberIndexes, layout.names), transactions, options)
    current = writer
    try writer.beginAll()
    return writer
  }

  func execute(_ sql: String, for kind: String) throws {
    endWriter()
    var failure: (any Error)?
    for (member, transaction) in transactions.sorted(by: { $0.key < $1.key }) {
      do {
        try transaction.execute(sql, for: kind)
        written.insert(member)
        return
      } catch let error as StoreError where error.code == .invalidPlan { failure = error }
    }
    throw failure ?? StoreError(.invalidPlan, "the statements are for stores of the kind \(kind)")
  }

  /// The writer of one member, for the coordinator's own rows there.
  func writer(of member: Int) throws -> (any StoreWriter)? {
    endWriter()
    return try transactions[member]?.writer()
  }

  /// Notes the members whose rows were changed, and forgets the writer.
  private func endWriter() {
    noteWritten()
    current = nil
  }

  private func noteWritten() {
    guard let current else { return }
    for (number, member) in current.members where member.changes != 0 { written.insert(number) }
  }
}

/// A writer over the writers of the openings' transactions, which end with these.
private final class TransactionsWriter: CombinedWriter {
  private let transactions: [Int: any SchemaTransaction]

  init(
    _ routing: RequestRouting, _ transactions: [Int: any SchemaTransaction], _ options: StoreOptions
  ) {
    self.transactions = transactions
    super.init(routing, largestValue: options.maximumValueSize)
  }

  /// Begins every member now, since a member that begins inside of a savepoint cannot be rolled back to
  /// it.
  func beginAll() throws { for member in transactions.keys { _ = try writer(of: member) } }

  override func begin(_ member: Int) throws -> any StoreWriter {
    guard let transaction = transactions[member] else {
      throw StoreError(
        .invalidPlan, "a configuration in memory that is new cannot be migrated",
        entity: nil)
    }
    return try transaction.writer()
  }

  override func end() {}
}

extension StoredSchema {
  /// The schema without the coordinator's own entities.
  fileprivate var ofProgram: StoredSchema {
    var schema = self
    schema.entities.removeAll(where: CoordinatorEntity.isEntity)
    return schema
  }

  /// Forgets every alias, and admits no program that needs one: the journal has the names of programs
  /// (`keepsNames`), and this schema lacks its entity.
  fileprivate mutating func forgetAliases() {
    guard let version, let last = aliases?.map(\.version).max() else { return }
    aliases = nil
    limit(
      writers: max(minimumWriter ?? version, last), readers: max(minimumReader ?? version, last))
  }

  /// Takes the higher versions of two schemas.
  fileprivate mutating func raiseVersions(to other: StoredSchema) {
    guard let version = other.version else { return }
    let writers = max(minimumWriter ?? self.version ?? 0, other.minimumWriter ?? version)
    let readers = max(minimumReader ?? self.version ?? 0, other.minimumReader ?? version)
    self.version = max(self.version ?? version, version)
    limit(writers: writers, readers: readers)
  }
}

extension SchemaChanges {
  /// The part of the changes that concerns a member.
  ///
  /// - Parameters:
  ///   - before: the members of entities by their names before.
  ///   - after: the members of entities by their names afterwards.
  ///   - stored: the schema of the member.
  fileprivate func part(
    of member: Int, before: [String: Int], after: [String: Int], in stored: StoredSchema
  ) -> SchemaChanges {
    func isHere(_ part: Part) -> Bool { after[part.entity] == member }
    var union = union
    union.entities.removeAll { after[$0.name] != member }
    union.entities += stored.entities.filter(CoordinatorEntity.isEntity)
    var changes = SchemaChanges(union: union)
    if !stored.entities.contains(where: CoordinatorEntity.isEntity) {
      changes.union.entities.append(CoordinatorEntity.entity)
      changes.addedEntities.append(CoordinatorEntity.name)
    }
    changes.addedEntities += addedEntities.filter { after[$0] == member }
    changes.droppedEntities = droppedEntities.filter { before[$0] == member }
    changes.renamedEntities = renamedEntities.filter { after[$0.key] == member }
    changes.addedColumns = addedColumns.filter(isHere)
    changes.addedIndexes = addedIndexes.filter(isHere)
    changes.droppedIndexes = droppedIndexes.filter(isHere)
    changes.droppedColumns = droppedColumns.filter(isHere)
    changes.renamedColumns = renamedColumns.filter { isHere($0.key) }
    changes.renamedIndexes = renamedIndexes.filter { isHere($0.key) }
    changes.alteredColumns = alteredColumns.filter(isHere)
    return changes
  }
}
