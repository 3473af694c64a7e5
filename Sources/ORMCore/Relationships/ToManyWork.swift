public import ORMStorage

/// The operations on the to-many of every object of a graph, and on every target.
///
/// Compiled for its types where the relationship is declared, as ``ToOneWork`` is.
@usableFromInline
package struct ToManyWork<Model: PrimaryKeyed, Target: PrimaryKeyed>: Sendable {
  @usableFromInline package typealias Slot = LinkSlot<Model, ToMany<Target>>
  @usableFromInline package typealias Targets = LinkTargets<Target.ID>
  @usableFromInline package typealias Links = GraphLinks<Target>

  /// Ties a link to a graph.
  let attach: @Sendable (Slot, FetchGraph, Targets?, inout Model) -> Void
  /// Ties the links of objects to a graph, by the objects' positions.
  let attachment: @Sendable (Slot, [Targets?]) -> LinkAttachment<Model>
  /// Gives objects the links of others.
  let copy: @Sendable (Slot, [Model], inout [Model], _ keepsSet: Bool) -> Void
  /// Makes links unknown.
  let forget: @Sendable (Slot, inout [Model]) -> Void
  /// Puts objects into a graph; gives the position of each.
  package let take: @Sendable ([Model], GraphTable<Model>) -> [Int]
  /// The owners whose links were not read before, noted as having none until they are read.
  package let unread: @Sendable ([Int], Links) -> [Int]
  /// The keys of objects.
  package let keys: @Sendable ([Int], GraphTable<Model>) throws -> [[StoredValue]]
  /// Makes a sink for the rows of one request; `isInRuns` if each brings an object of its own.
  package let sink:
    @Sendable (
      GraphTable<Model>, _ asked: [Int], Links, GraphTable<Target>, _ isInRuns: Bool
    ) -> TargetSink<Model.ID, Target>
  /// The positions of the targets of owners, each once.
  package let level: @Sendable ([Int], Links, GraphTable<Target>) -> [Int]

  @inlinable
  package init() {
    self.init(
      attach: { Self.tie($0, $1, $2, &$3) },
      attachment: { slot, targets in
        LinkAttachment { graph, position, model in
          guard position < targets.count, let found = targets[position] else { return }
          Self.tie(slot, graph, found, &model)
        }
      },
      copy: { slot, others, models, keepsSet in
        for (index, other) in others.enumerated() {
          if keepsSet, slot.value(in: models[index]).isSet { continue }
          slot.set(slot.value(in: other), in: &models[index])
        }
      },
      forget: { slot, models in
        for index in models.indices { slot.set(.notLoaded, in: &models[index]) }
      },
      take: { models, table in
        table.objects.reserve(models.count)
        var positions: [Int] = []
        positions.reserveCapacity(models.count)
        for model in models { positions.append(table.objects.insert(model)) }
        return positions
      },
      unread: { owners, links in
        var new: [Int] = []
        new.reserveCapacity(owners.count)
        for owner in owners where links.targets(at: owner) == nil {
          new.append(owner)
          links.note(LinkTargets([]), at: owner)
        }
        return new
      },
      keys: { owners, table in
        var keys: [[StoredValue]] = []
        keys.reserveCapacity(owners.count)
        for owner in owners { keys.append(try table.objects.all[owner].id.keyValues()) }
        return keys
      },
      sink: { owners, asked, links, targets, isInRuns in
        TargetSink(OwnerRun(owners, asked: asked, links, targets, isInRuns: isInRuns))
      },
      level: { owners, links, targets in
        var isSeen = Array(repeating: false, count: targets.objects.all.count)
        var positions: [Int] = []
        for owner in owners {
          for id in links.targets(at: owner)?.ids ?? [] {
            guard let position = targets.objects.position(of: id), !isSeen[position] else {
              continue
            }
            isSeen[position] = true
            positions.append(position)
          }
        }
        return positions
      })
  }

  @usableFromInline
  init(
    attach: @escaping @Sendable (Slot, FetchGraph, Targets?, inout Model) -> Void,
    attachment: @escaping @Sendable (Slot, [Targets?]) -> LinkAttachment<Model>,
    copy: @escaping @Sendable (Slot, [Model], inout [Model], Bool) -> Void,
    forget: @escaping @Sendable (Slot, inout [Model]) -> Void,
    take: @escaping @Sendable ([Model], GraphTable<Model>) -> [Int],
    unread: @escaping @Sendable ([Int], Links) -> [Int],
    keys: @escaping @Sendable ([Int], GraphTable<Model>) throws -> [[StoredValue]],
    sink:
      @escaping @Sendable (GraphTable<Model>, [Int], Links, GraphTable<Target>, Bool) ->
      TargetSink<Model.ID, Target>,
    level: @escaping @Sendable ([Int], Links, GraphTable<Target>) -> [Int]
  ) {
    self.attach = attach
    self.attachment = attachment
    self.copy = copy
    self.forget = forget
    self.take = take
    self.unread = unread
    self.keys = keys
    self.sink = sink
    self.level = level
  }

  @inlinable
  static func tie(_ slot: Slot, _ graph: FetchGraph, _ targets: Targets?, _ model: inout Model) {
    guard let targets else { return }
    slot.change(in: &model) { $0.tie(to: graph, targets) }
  }
}
