public import ORMStorage

/// A sink for the rows of one relationship, sorted by owner.
///
/// Each target goes into the graph, and its key into the links of its owner.
@usableFromInline
package struct TargetSink<OwnerID: PrimaryKey, Target: PrimaryKeyed> {
  /// Goes to the owner of a row; says whether it was asked for.
  package let turn: (OwnerID) -> Bool
  /// Takes a target that the graph may have.
  package let take: (consuming Target) -> Void
  /// Takes the target of a record, which goes to the owner whose key stands in these columns;
  /// compiled for that one type of row.
  package let takeRecord: (RecordReader, _ columns: [Int]) throws -> Void
  /// Takes a target by its key, where the graph has it; says whether it has.
  package let takeKnown: (Target.ID) -> Bool
  /// Takes the key of a target whose object is not read.
  package let takeKey: (Target.ID) -> Void
  /// Notes the targets of the last owner; gives the positions of all targets.
  package let finish: () -> [Int]

  @inlinable
  package init<Owner: PrimaryKeyed>(_ run: OwnerRun<Owner, Target>) where Owner.ID == OwnerID {
    self.init(
      turn: { run.turn(to: $0) }, take: { run.take($0) },
      takeRecord: { try run.take(record: $0, columns: $1) }, takeKnown: { run.takeKnown($0) },
      takeKey: { run.ids.append($0) },
      finish: {
        run.end()
        return run.isInRuns ? Array(run.targets.objects.all.indices) : run.level
      })
  }

  @usableFromInline
  init(
    turn: @escaping (OwnerID) -> Bool, take: @escaping (consuming Target) -> Void,
    takeRecord: @escaping (RecordReader, [Int]) throws -> Void,
    takeKnown: @escaping (Target.ID) -> Bool, takeKey: @escaping (Target.ID) -> Void,
    finish: @escaping () -> [Int]
  ) {
    self.turn = turn
    self.take = take
    self.takeRecord = takeRecord
    self.takeKnown = takeKnown
    self.takeKey = takeKey
    self.finish = finish
  }
}

/// The targets of one owner after the other, as rows sorted by owner give them.
///
/// Used by one thread, and by nothing that it calls, so exclusive access to the properties that every row
/// reads is not checked at run time.
@usableFromInline
package final class OwnerRun<Owner: PrimaryKeyed, Target: PrimaryKeyed> {
  /// The positions of the targets.
  @usableFromInline var level: [Int] = []
  /// The keys of the owner's targets.
  @usableFromInline var ids: [Target.ID] = []
  /// The position of the first of them, as long as they are consecutive.
  @usableFromInline var first: Int?
  @exclusivity(unchecked) @usableFromInline var owner: Owner.ID?
  /// The owner's position; nil where it was not asked for.
  @exclusivity(unchecked) @usableFromInline var position: Int?
  /// True for each position whose owner is asked for and had no rows yet: of several requests with lists of
  /// the parts of keys, one may find the rows of an owner that another asks for.
  @usableFromInline var isAsked: [Bool]
  /// True if the graph had no target before, so that every row brings a new one.
  @usableFromInline let areNew: Bool
  /// True if each owner's targets are all the objects from a position on.
  ///
  /// They are then new and belong to no other owner, and nothing is noted for each.
  @usableFromInline let isInRuns: Bool
  /// The position from which on all objects are the current owner's targets, if `isInRuns`.
  @usableFromInline var start = 0
  /// True if Swift's equality decides whether two rows are of one owner.
  @usableFromInline let isPlain: Bool
  @usableFromInline let owners: GraphTable<Owner>
  @usableFromInline let links: GraphLinks<Target>
  @usableFromInline let targets: GraphTable<Target>

  @inlinable
  init(
    _ owners: GraphTable<Owner>, asked: [Int], _ links: GraphLinks<Target>,
    _ targets: GraphTable<Target>, isInRuns: Bool
  ) {
    self.owners = owners
    self.links = links
    self.targets = targets
    isPlain = owners.objects.hasPlainKeys
    areNew = targets.objects.all.isEmpty
    self.isInRuns = isInRuns && areNew
    var isAsked = Array(repeating: false, count: owners.objects.all.count)
    for owner in asked { isAsked[owner] = true }
    self.isAsked = isAsked
  }

  /// Goes to the owner of a row; says whether it was asked for.
  @inlinable
  func turn(to owner: Owner.ID) -> Bool {
    if isPlain, owner == self.owner { return position != nil }
    var next = owners.objects.position(of: owner)
    if let found = next, found >= isAsked.count || !isAsked[found] { next = nil }
    if next != position {
      end()
      position = next
    }
    self.owner = owner
    return next != nil
  }

  /// Takes a target.
  @inlinable
  func take(_ target: consuming Target) {
    if isInRuns {
      _ = targets.objects.append(target)
      return
    }
    let id = target.id
    note(id, at: areNew ? targets.objects.append(target) : targets.objects.insert(target))
  }

  /// Takes the target of a record, where its owner was asked for.
  @inlinable
  func take(record: RecordReader, columns: [Int]) throws {
    guard turn(to: try Owner.ID.read(from: record, at: columns)) else { return }
    take(try Target(row: record))
  }

  /// Takes a target that the graph has; says whether it has.
  @inlinable
  func takeKnown(_ id: Target.ID) -> Bool {
    guard let known = targets.objects.position(of: id) else { return false }
    note(id, at: known)
    return true
  }

  @inlinable
  func note(_ id: Target.ID, at position: Int) {
    if ids.isEmpty {
      first = position
    } else if let first, first + ids.count != position {
      self.first = nil
    }
    level.append(position)
    ids.append(id)
  }

  /// Notes the targets of the owner, in an array of just that size.
  @inlinable
  func end() {
    if isInRuns { return endRun() }
    if let position { isAsked[position] = false }
    if let position, !ids.isEmpty {
      let list = ids.withUnsafeBufferPointer { Array($0) }
      links.append(first.map { LinkTargets(list, from: $0) } ?? LinkTargets(list), at: position)
    }
    ids.removeAll(keepingCapacity: true)
    first = nil
  }

  /// Notes that the owner has all objects since its first.
  @inlinable
  func endRun() {
    let targets = targets.objects.all[start...]
    if let position { isAsked[position] = false }
    if let position, !targets.isEmpty {
      links.append(LinkTargets(targets.map(\.id), from: start), at: position)
    }
    start += targets.count
  }
}
