internal import ORMCore

/// The targets of one relationship on their way into a graph: of those owners whose links it has
/// not read before.
struct TargetReading<Owner: PrimaryKeyed, Target: PrimaryKeyed> {
  /// The sink that receives the rows.
  let sink: TargetSink<Owner.ID, Target>
  /// The keys of the owners to be asked for.
  let keys: [[StoredValue]]
  private let work: ToManyWork<Owner, Target>
  private let owners: [Int]
  private let links: GraphLinks<Target>
  private let targets: GraphTable<Target>

  /// - Parameter isInRuns: whether each row brings an object of its own.
  init<End: RelationshipEnd>(
    _ end: End, of owners: [Int], in graph: GraphBuilder, isInRuns: Bool = false
  ) throws where End.Model == Owner, End.Target == Target {
    let table = graph.table(of: Owner.self)
    // A to-one whose key the target holds is read the same way.
    work = (end as? ToManyEnd<Owner, Target>)?.work ?? ToManyWork()
    self.owners = owners
    links = table.links(of: end)
    targets = graph.table(of: Target.self)
    let new = work.unread(owners, links)
    keys = try work.keys(new, table)
    sink = work.sink(table, new, links, targets, isInRuns)
  }

  /// Notes the targets of the last owner; gives the positions of the targets of all owners, each once.
  ///
  /// - Parameter isShared: whether several owners may have one target.
  func finish(isShared: Bool) -> [Int] {
    let level = sink.finish()
    if !isShared, keys.count == owners.count { return level }
    return work.level(owners, links, targets)
  }
}
