public import ORMStorage

/// The operations on the to-one of every object of a graph, and on every target.
///
/// Generic code that is called through a witness table looks its types up at every step, which costs
/// more than all that is done here. These functions are made where the relationship is declared, in
/// the program, whose types are known there: so they are compiled for them.
@usableFromInline
package struct ToOneWork<Model, Target: PrimaryKeyed>: Sendable {
  @usableFromInline package typealias Slot = LinkSlot<Model, ToOne<Target>>
  @usableFromInline package typealias Targets = LinkTargets<Target.ID>

  /// Ties a link to a graph.
  let attach: @Sendable (Slot, FetchGraph, Targets?, inout Model) -> Void
  /// Makes an attachment that ties the links of objects to a graph, by the objects' positions.
  let attachment: @Sendable (Slot, [Targets?]) -> LinkAttachment<Model>
  /// Gives objects the links of others.
  let copy: @Sendable (Slot, [Model], inout [Model], _ keepsSet: Bool) -> Void
  /// Detaches links: they become as a fresh row would give them.
  let detach: @Sendable (Slot, inout [Model], _ holdsKey: Bool) -> Void
  /// Returns those positions whose objects' links are not known.
  package let unknown: @Sendable (Slot, [Model], _ positions: [Int]) -> [Int]
  /// The keys of the targets of the objects at positions, as far as they are known.
  package let keys: @Sendable (Slot, [Model], _ positions: [Int]) -> [Target.ID?]
  /// The keys, each once, that a graph does not know.
  package let wanted: @Sendable ([Target.ID?], GraphTable<Target>) -> [Target.ID]
  /// The values of keys.
  package let values: @Sendable ([Target.ID]) throws -> [[StoredValue]]
  /// Makes a closure that takes targets into a graph.
  package let sink: @Sendable (GraphTable<Target>) -> (consuming Target) -> Void
  /// The positions of those keys that are there, each once; the others are noted as missing.
  package let positions: @Sendable ([Target.ID?], GraphTable<Target>) -> [Int]

  @inlinable
  package init() {
    self.init(
      attach: { Self.tie($0, $1, $2, &$3) },
      attachment: { slot, targets in
        // Owners that hold the key themselves need no list.
        if targets.isEmpty {
          return LinkAttachment(each: { graph, model in Self.tie(slot, graph, nil, &model) })
        }
        return LinkAttachment { graph, position, model in
          Self.tie(slot, graph, position < targets.count ? targets[position] : nil, &model)
        }
      },
      copy: { slot, others, models, keepsSet in
        for (index, other) in others.enumerated() {
          if keepsSet, slot.value(in: models[index]).isSet { continue }
          slot.set(slot.value(in: other), in: &models[index])
        }
      },
      detach: { slot, models, holdsKey in
        for index in models.indices {
          if !holdsKey {
            slot.set(.notLoaded, in: &models[index])
          } else if case let link = slot.value(in: models[index]), !link.isUnknown {
            slot.set(ToOne(.fetched(link.id, nil)), in: &models[index])
          }
        }
      },
      unknown: { slot, models, positions in
        positions.filter {
          slot.value(in: models[$0]).isUnknown
        }
      },
      keys: { slot, models, positions in positions.map { slot.value(in: models[$0]).id } },
      wanted: { keys, table in
        var wanted: [Target.ID] = []
        var seen = KeyPositions(of: Target.self)
        for key in keys {
          guard let key, !table.objects.knows(key) else { continue }
          if seen.insert(key, at: wanted.count) == wanted.count { wanted.append(key) }
        }
        return wanted
      },
      values: { keys in try keys.map { try $0.keyValues() } },
      sink: { table in { _ = table.objects.insert($0) } },
      positions: { keys, table in
        var isSeen = Array(repeating: false, count: table.objects.all.count)
        var positions: [Int] = []
        for key in keys {
          guard let key else { continue }
          guard let position = table.objects.position(of: key) else {
            table.objects.noteMissing(key)
            continue
          }
          if isSeen[position] { continue }
          isSeen[position] = true
          positions.append(position)
        }
        return positions
      })
  }

  @usableFromInline
  init(
    attach: @escaping @Sendable (Slot, FetchGraph, Targets?, inout Model) -> Void,
    attachment: @escaping @Sendable (Slot, [Targets?]) -> LinkAttachment<Model>,
    copy: @escaping @Sendable (Slot, [Model], inout [Model], Bool) -> Void,
    detach: @escaping @Sendable (Slot, inout [Model], Bool) -> Void,
    unknown: @escaping @Sendable (Slot, [Model], [Int]) -> [Int],
    keys: @escaping @Sendable (Slot, [Model], [Int]) -> [Target.ID?],
    wanted: @escaping @Sendable ([Target.ID?], GraphTable<Target>) -> [Target.ID],
    values: @escaping @Sendable ([Target.ID]) throws -> [[StoredValue]],
    sink: @escaping @Sendable (GraphTable<Target>) -> (consuming Target) -> Void,
    positions: @escaping @Sendable ([Target.ID?], GraphTable<Target>) -> [Int]
  ) {
    self.attach = attach
    self.attachment = attachment
    self.copy = copy
    self.detach = detach
    self.unknown = unknown
    self.keys = keys
    self.wanted = wanted
    self.values = values
    self.sink = sink
    self.positions = positions
  }

  @inlinable
  static func tie(_ slot: Slot, _ graph: FetchGraph, _ targets: Targets?, _ model: inout Model) {
    slot.change(in: &model) { $0.tie(to: graph, targets) }
  }
}
