internal import ORMCore

/// What is read of the targets in rows.
enum TargetReading {
  /// Each is in one row, and decoded.
  case new
  /// What several owners have is in as many rows, and decoded once.
  case shared
  /// The key alone, in these columns.
  case keys([Int])
}

/// Collects targets in rows that hold the key of their owner: each into the graph, and its key into
/// the links of the owner.
struct OwnedCollector<End: RelationshipEnd>: RowVisitor where End.Model: PrimaryKeyed {
  let entity: StoredEntity
  /// The columns of the owner's key.
  let columns: [Int]
  let owners: GraphTable<End.Model>
  /// Which owners are asked for, by position.
  let isAsked: [Bool]
  let links: GraphLinks<End>
  let targets: GraphTable<End.Target>
  let reading: TargetReading
  /// The positions of the targets.
  var level: [Int] = []
  private var run: OwnerRun<End>
  private var decoded: DecodedLinks<End.Target>

  init(
    _ links: GraphLinks<End>, entity: StoredEntity, columns: [Int],
    owners: GraphTable<End.Model>, isAsked: [Bool], targets: GraphTable<End.Target>,
    reading: TargetReading
  ) {
    self.entity = entity
    self.columns = columns
    self.owners = owners
    self.isAsked = isAsked
    self.links = links
    self.targets = targets
    self.reading = reading
    run = OwnerRun(owners)
    decoded = DecodedLinks(of: entity)
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    let owner = try End.Model.ID.read(from: row, at: columns)
    guard run.turn(to: owner, owners, isAsked, links) else { return .next }
    switch reading {
    case .new: break
    case .shared:
      let key = try End.Target.ID.read(from: row, at: entity.key)
      if let known = targets.objects.positions.position(of: key) {
        level.append(known)
        run.ids.append(key)
        return .next
      }
    case .keys(let columns):
      run.ids.append(try End.Target.ID.read(from: row, at: columns))
      return .next
    }
    var target: End.Target = try entity.model(from: row)
    if decoded.isNeeded { try decoded.mend(&target) }
    level.append(targets.objects.insert(target))
    run.ids.append(target.id)
    return .next
  }

  /// Notes what the last owner has.
  mutating func finish() { run.end(links) }
}

/// The targets of one owner, as rows sorted by owner give them.
private struct OwnerRun<End: RelationshipEnd> where End.Model: PrimaryKeyed {
  var ids: [End.Target.ID] = []
  private var owner: End.Model.ID?
  private var position: Int?
  /// Whether Swift's equality tells whether two rows are of one owner.
  private let isPlain: Bool

  init(_ owners: GraphTable<End.Model>) { isPlain = owners.objects.positions.isPlain }

  /// Goes to the owner of a row; says whether it is asked for.
  mutating func turn(
    to owner: End.Model.ID, _ owners: GraphTable<End.Model>, _ isAsked: [Bool],
    _ links: GraphLinks<End>
  ) -> Bool {
    if isPlain, owner == self.owner { return position != nil }
    var next = owners.objects.positions.position(of: owner)
    if let found = next, found >= isAsked.count || !isAsked[found] { next = nil }
    if next != position {
      end(links)
      position = next
    }
    self.owner = owner
    return next != nil
  }

  /// Notes what the owner has, in an array of just that size.
  mutating func end(_ links: GraphLinks<End>) {
    if let position, !ids.isEmpty {
      links.value.append(ids.withUnsafeBufferPointer { Array($0) }, at: position)
    }
    ids.removeAll(keepingCapacity: true)
  }
}

/// Collects the rows of a model into a graph.
struct TargetCollector<Target: PrimaryKeyed>: RowVisitor {
  let entity: StoredEntity
  let targets: GraphTable<Target>
  private var decoded: DecodedLinks<Target>

  init(entity: StoredEntity, targets: GraphTable<Target>) {
    self.entity = entity
    self.targets = targets
    decoded = DecodedLinks(of: entity)
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var target: Target = try entity.model(from: row)
    if decoded.isNeeded { try decoded.mend(&target) }
    _ = targets.objects.insert(target)
    return .next
  }
}

/// Collects the key of a to-one from the rows of those who hold it.
struct KeyCollector<End: RelationshipEnd>: RowVisitor where End.Model: PrimaryKeyed {
  let end: End
  /// The columns of the owner's key, and of the target's.
  let columns: (own: [Int], target: [Int])
  let owners: GraphTable<End.Model>

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    let owner = try End.Model.ID.read(from: row, at: columns.own)
    guard let position = owners.objects.positions.position(of: owner) else { return .next }
    let isNone = try columns.target.contains { try row.isNull(at: $0) }
    let ids = isNone ? [] : [try End.Target.ID.read(from: row, at: columns.target)]
    owners.objects.change(at: position) { end.setFetched(ids, in: &$0) }
    return .next
  }
}
