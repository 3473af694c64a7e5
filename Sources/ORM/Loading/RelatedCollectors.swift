@_spi(Records) internal import ORMCore
@_spi(Records) internal import ORMStorage

/// Decodes targets from rows that hold the key of their owner.
struct TargetCollector<OwnerID: PrimaryKey, Target: PrimaryKeyed>: RowVisitor {
  private let entity: StoredEntity
  /// The columns of the owner's key.
  private let columns: [Int]
  private let sink: TargetSink<OwnerID, Target>
  private let isHooked = Target.hasLoadHook
  private var decoded: DecodedLinks<Target>

  init(_ sink: TargetSink<OwnerID, Target>, entity: StoredEntity, columns: [Int]) {
    self.entity = entity
    self.columns = columns
    self.sink = sink
    decoded = DecodedLinks(of: entity)
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    guard sink.turn(try OwnerID.read(from: row, at: columns)) else { return .next }
    var target: Target = try entity.model(from: row, isHooked: isHooked)
    if decoded.isNeeded { try decoded.repair(&target) }
    sink.take(consume target)
    return .next
  }

  mutating func visit(record: RecordReader) throws -> VisitStep {
    if isHooked || decoded.isNeeded { return try visit(record) }
    do {
      try sink.takeRecord(record, columns)
    } catch {
      throw entity.unmapped(error, Target.self, record)
    }
    return .next
  }
}

/// Decodes targets that several owners may have, each from the first row that it is in.
struct SharedTargetCollector<OwnerID: PrimaryKey, Target: PrimaryKeyed>: RowVisitor {
  /// The columns of the owner's key.
  let columns: [Int]
  /// The columns of the target's key.
  let key: [Int]
  let sink: TargetSink<OwnerID, Target>
  var targets: TargetCollector<OwnerID, Target>

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    guard sink.turn(try OwnerID.read(from: row, at: columns)) else { return .next }
    if sink.takeKnown(try Target.ID.read(from: row, at: key)) { return .next }
    return try targets.visit(row)
  }

  mutating func visit(record: RecordReader) throws -> VisitStep {
    guard sink.turn(try OwnerID.read(from: record, at: columns)) else { return .next }
    if sink.takeKnown(try Target.ID.read(from: record, at: key)) { return .next }
    return try targets.visit(record: record)
  }
}

/// Takes the keys of targets alone.
struct TargetKeyCollector<OwnerID: PrimaryKey, Target: PrimaryKeyed>: RowVisitor {
  /// The columns of the owner's key.
  let columns: [Int]
  /// The columns of the target's key.
  let key: [Int]
  let sink: TargetSink<OwnerID, Target>

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    if sink.turn(try OwnerID.read(from: row, at: columns)) {
      sink.takeKey(try Target.ID.read(from: row, at: key))
    }
    return .next
  }
}

/// Decodes the rows of a model.
struct ObjectCollector<Target: PrimaryKeyed>: RowVisitor {
  private let entity: StoredEntity
  private let take: (consuming Target) -> Void
  private let isHooked = Target.hasLoadHook
  private var decoded: DecodedLinks<Target>

  init(entity: StoredEntity, take: @escaping (consuming Target) -> Void) {
    self.entity = entity
    self.take = take
    decoded = DecodedLinks(of: entity)
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var target: Target = try entity.model(from: row, isHooked: isHooked)
    if decoded.isNeeded { try decoded.repair(&target) }
    take(consume target)
    return .next
  }
}

/// Decodes those rows of a model whose keys are wanted.
struct WantedCollector<Target: PrimaryKeyed>: RowVisitor {
  private var wanted = KeyPositions(of: Target.self)
  /// The columns of the key.
  private let key: [Int]
  private var objects: ObjectCollector<Target>

  init(_ wanted: [Target.ID], key: [Int], objects: ObjectCollector<Target>) {
    for (position, id) in wanted.enumerated() { _ = self.wanted.insert(id, at: position) }
    self.key = key
    self.objects = objects
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    guard wanted.knows(try Target.ID.read(from: row, at: key)) else { return .next }
    return try objects.visit(row)
  }
}

/// A visitor that collects the key of a to-one from the rows that hold it.
struct KeyCollector<End: RelationshipEnd>: RowVisitor where End.Model: PrimaryKeyed {
  let end: End
  /// The columns of the owner's key, and of the target's.
  let columns: (own: [Int], target: [Int])
  let owners: GraphTable<End.Model>

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    let owner = try End.Model.ID.read(from: row, at: columns.own)
    guard let position = owners.objects.position(of: owner) else { return .next }
    let isNone = try columns.target.contains { try row.isNull(at: $0) }
    let ids = isNone ? [] : [try End.Target.ID.read(from: row, at: columns.target)]
    owners.objects.change(at: position) { end.setFetched(ids, in: &$0) }
    return .next
  }
}
