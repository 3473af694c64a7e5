internal import ORMCore

/// A check that reads a whole store and reports its faults.
struct StoreCheck {
  let transaction: ReadTransaction
  private var report = StoreReport()
  /// The number of rows that are held in memory at once.
  private static var batch: Int { 2_000 }

  init(_ transaction: ReadTransaction) { self.transaction = transaction }

  /// The report; `models` are decoded beside their values.
  ///
  /// - Throws: errors that are no faults of the content: a transaction that ended, a closed store.
  mutating func run(decoding models: [any Persistable.Type]) throws -> StoreReport {
    let schema = transaction.store.schema
    var faults: [StoreError] = []
    do {
      try transaction.live().verify { faults.append($0) }
    } catch let error as StoreError where error.isAboutContent {
      // The rest would fail too.
      for fault in faults + [error] { report.add(fault) }
      return report
    }
    for entity in schema.entities { try read(entity) }
    for model in models { try decode(model) }
    for slot in LinkColumns.all(of: schema) { try reporting(slot.referrer) { try $0.check(slot) } }
    let rules = try transaction.store.relationshipRules()
    for entity in schema.everyEntity {
      for relationship in entity.relationships {
        guard let rule = rules.count(of: relationship.name, in: entity) else { continue }
        try reporting(entity) { try $0.check(rule) }
      }
    }
    for link in try transaction.store.derivations().links {
      try reporting(link.owner) { try $0.check(link) }
    }
    for fault in faults {
      if fault.code == .overcountedContent {
        report.overcountedContents += 1
      } else if !report.faults.contains(fault) {
        report.add(fault)
      }
    }
    if let files = try transaction.store.layers()?.external?.files {
      report.unusedContents = try files.countUnused(transaction.live())
    }
    return report
  }

  /// Runs a part of the check; an error of the store about its content becomes a fault.
  private mutating func reporting(
    _ entity: StoredEntity, _ body: (inout StoreCheck) throws -> Void
  ) throws {
    do {
      try body(&self)
    } catch let error as StoreError where error.isAboutContent {
      // An earlier part may have reported it already.
      if !report.faults.contains(error) { report.add(error.filling(entity: entity.modelName)) }
    }
  }

  /// Reads every value of every row.
  private mutating func read(_ entity: StoredEntity) throws {
    var visitor = RowInspector(entity: entity)
    do {
      try transaction.live().visit(FetchRequest(of: entity), &visitor)
    } catch let error as StoreError where error.isAboutContent {
      visitor.faults.append(error.filling(entity: entity.modelName))
    }
    for fault in visitor.faults { report.add(fault) }
    report.rows.append(.init(entity: entity.modelName, count: visitor.count))
  }

  /// Makes every row of a model into one.
  private mutating func decode<Model: Persistable>(_ model: Model.Type) throws {
    let plan = try transaction.store.plan(of: model)
    var visitor = ModelInspector<Model>(entity: plan.entity)
    try reporting(plan.entity) { check in
      try check.transaction.live().visit(FetchRequest(of: plan.entity), &visitor)
    }
    for fault in visitor.faults where !report.faults.contains(fault) { report.add(fault) }
  }

  /// Every key of another leads to a row, and to one of its own where only one may hold it.
  private mutating func check(_ slot: LinkColumns) throws {
    let key = slot.referrer.key
    let order = slot.columns.map {
      SortTerm(.attribute(slot.referrer.columns[$0].attribute))
    }
    var before: [StoredValue]?
    try inBatches(
      of: slot.referrer, key + slot.columns, sorted: slot.isOne ? order : []
    ) { check, rows in
      let keys = rows.map { Array($0[key.count...]) }
      let whole = keys.filter { !$0.contains(where: \.isNull) }
      let existing = try check.transaction.existingKeys(of: slot.owner, among: whole)
      for (row, target) in zip(rows, keys) {
        let nils = target.filter(\.isNull).count
        if nils == target.count { continue }
        func fail(_ code: StoreError.Code, _ message: String) {
          check.report.add(
            StoreError(
              code, message, entity: slot.referrer.modelName, key: Array(row[..<key.count]),
              attributes: slot.referrer.modelName == slot.entity
                ? [slot.relationship] : slot.columns.map { slot.referrer.columns[$0].attribute },
              values: target))
        }
        if nils > 0 {
          fail(.corrupt, "only some attributes of the key of a \(slot.owner.modelName) are set")
        } else if !existing.contains(GroupKey(target)) {
          if slot.mayDangle {
            check.report.danglingLinks += 1
          } else {
            fail(
              .missingTarget,
              "\(slot.entity).\(slot.relationship): the \(slot.owner.modelName) does not exist")
          }
        }
        if slot.isOne {
          if let before, GroupKey(before) == GroupKey(target) {
            fail(
              .duplicate,
              "another \(slot.referrer.modelName) is linked to the same object, and only one may "
                + "be")
          }
          before = target
        }
      }
    }
  }

  /// Every visible owner has as many visible targets as it may have.
  private mutating func check(_ rule: CountRule) throws {
    try inBatches(of: rule.owner, rule.owner.key, seeing: .hidden) { check, keys in
      let counts = try check.transaction.targetCounts(of: rule, owners: keys)
      for key in keys {
        let count = counts[GroupKey(key)] ?? 0
        if !rule.range.contains(count) { check.report.add(rule.failure(count, key: key)) }
      }
    }
  }

  /// Reports each derived attribute that differs from the value computed from its targets.
  private mutating func check(_ link: DerivedLink) throws {
    try inBatches(of: link.owner, link.owner.key) { check, keys in
      for owner in try link.owners(keys, asking: true, in: check.transaction.live())
      where !owner.isRight {
        for fault in link.faults(of: owner) { check.report.add(fault) }
      }
    }
  }

  /// Passes columns of every visible row of an entity to a closure, in batches.
  private mutating func inBatches(
    of entity: StoredEntity, _ columns: [Int], sorted order: [SortTerm] = [],
    seeing deleted: DeletedRows = .included,
    _ body: (inout StoreCheck, [[StoredValue]]) throws -> Void
  ) throws {
    let output = columns.map { Operand.attribute(entity.columns[$0].attribute) }
    let cursor = try transaction.live().cursor(
      FetchRequest(
        entity: entity.name, output: .values(output),
        condition: entity.condition(seeing: deleted) ?? .constant(true),
        sort: SortTerm.total(order, entity: entity)))
    var isAtEnd = false
    while !isAtEnd {
      var visitor = ValueBatch(size: Self.batch)
      isAtEnd = try !cursor.visit(&visitor)
      if !visitor.rows.isEmpty { try body(&self, visitor.rows) }
    }
  }
}

extension StoreError {
  /// True if the error reports the content of a store, and not its use.
  fileprivate var isAboutContent: Bool {
    [.corrupt, .decoding, .invalidValue, .missingValue, .tooLarge, .engine].contains(code)
  }
}
