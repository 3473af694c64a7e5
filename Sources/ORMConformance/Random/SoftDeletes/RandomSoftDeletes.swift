internal import FoundationEssentials
internal import ORM

extension RandomRun {
  /// Saves, deletes, restores and purges: after each step, all rows, the visible ones, and the results of
  /// queries over relationships are those of the naive model.
  public static let softDeletes = RandomRun(
    "soft deletes", ["5.7", "5.8", "2.9"], usualCount: 36
  ) { round in
    var entities = VentureSetup.models.map { $0.describedEntity }
    for entity in entities.indices where entities[entity].name == "Sticker" {
      entities[entity].relationships[0].deleteRule = .deny
    }
    let store = try round.store(try Schema(entities: entities), durability: .full)
    var graph = SoftGraph()
    if round.size != nil {
      // A large round begins with the chores of four ventures.
      func venture(_ key: Int) -> Int64 { Int64(key % 4 + 1) }
      for id in SoftStep.ids {
        let step = SoftStep.save(.init(kind: .venture, id: Int64(id)), owner: nil)
        _ = try (step.run(on: &graph), step.run(on: store))
      }
      for key in round.largeKeys {
        try graph.save(.init(kind: .chore, id: Int64(key)), owner: venture(key))
      }
      try store.save(round.largeKeys.map { Chore(Int64($0), venture: .key(venture($0))) })
    }
    try round.measure(store)
    for number in 0..<round.repetitions(30, ofRows: 200) {
      let step = SoftStep.make(&round.random)
      round.steps.append("\(step)")
      let expected = RandomRound.outcome { try step.run(on: &graph) }
      try RandomDifference.check(
        "outcome", RandomRound.outcome { try step.run(on: store) }, expected)
      try RandomDifference.check(
        lines: lines(of: store, byPages: round.readsPages(number)), lines(of: graph), "the rows")
    }
    try round.check(store, decoding: VentureSetup.models)
  }

  /// Describes the objects, one in a line: owner, object it was hidden with, and objects seen from
  /// it.
  private static func lines(of graph: SoftGraph) -> [String] {
    typealias Object = SoftGraph.Object
    let together = Dictionary(
      grouping: graph.rows.keys.filter { graph.rows[$0]?.hidden != nil }
    ) { graph.rows[$0]?.hidden }
    func visible(_ kind: SoftGraph.Kind, of id: Int64) -> [Int64] {
      graph.rows.filter {
        $0.key.kind == kind && $0.value.owner == id && $0.value.hidden == nil
      }.map(\.key.id).sorted()
    }
    return graph.rows.keys.sorted().map { object in
      guard let row = graph.rows[object] else { return "" }
      var line = "\(object.kind) \(object.id) owner \(row.owner ?? 0)"
      if let operation = row.hidden, let first = together[operation]?.min() {
        line += " hidden with \(first.kind) \(first.id)"
      }
      switch object.kind {
      case .venture:
        line += " chores \(visible(.chore, of: object.id)) memos \(visible(.memo, of: object.id))"
        line += " leader \(visible(.leader, of: object.id))"
        let stickers = graph.stuck.filter {
          $0.value.contains(object.id) && graph.isVisible(Object(kind: .sticker, id: $0.key))
        }.keys.sorted()
        line += " stickers \(stickers)"
      case .sticker:
        line += " on \((graph.stuck[object.id] ?? []).sorted())"
      case .stage:
        let chore = row.owner.map { Object(kind: .chore, id: $0) }
        let venture = chore.flatMap { graph.isVisible($0) ? graph.rows[$0]?.owner : nil }
        let isThere = venture.map { graph.isVisible(Object(kind: .venture, id: $0)) } ?? false
        line += " of \(isThere ? venture ?? 0 : 0)"
      default: break
      }
      return line
    }
  }

  /// The same read from a store.
  ///
  /// - Parameter byPages: whether as pages, whose links a store may read with their rows.
  private static func lines(of store: any Store, byPages: Bool) throws -> [String] {
    try store.read { tx in
      func rows<Model: Persistable>(_ query: Query<Model>) throws -> [Model] {
        try tx.fetch(byPages ? query.limit(1_000) : query)
      }
      var lines: [(object: SoftGraph.Object, owner: Int64?, timestamp: Date?, more: String)] = []
      func add(
        _ kind: SoftGraph.Kind, _ id: Int64, _ owner: Int64?, _ timestamp: Date?,
        _ more: String = ""
      ) {
        lines.append((.init(kind: kind, id: id), owner, timestamp, more))
      }
      for row in try tx.fetch(Patron.all) { add(.client, row.id, nil, nil) }
      for row in try tx.fetch(Jotting.all) { add(.memo, row.id, row.venture.id, nil) }
      for row in try tx.fetch(Deed.all.includingDeleted()) {
        add(.deed, row.id, row.client.id, row.deletedAt)
      }
      for row in try tx.fetch(Leader.all.includingDeleted()) {
        add(.leader, row.id, row.venture.id, row.deletedAt)
      }
      for row in try tx.fetch(Chore.all.includingDeleted()) {
        add(.chore, row.id, row.venture.id, row.deletedAt)
      }
      let seen = Dictionary(
        uniqueKeysWithValues: try tx.fetch(
          Stage.all.includingDeleted().select { ($0.id, $0.chore.venture.id) }))
      for row in try tx.fetch(Stage.all.includingDeleted()) {
        add(.stage, row.id, row.chore.id, row.deletedAt, " of \((seen[row.id] ?? nil) ?? 0)")
      }
      let stickers = Sticker.all.includingDeleted(related: true).prefetch(\.ventures)
      for row in try rows(stickers) {
        let ids = (row.ventures.ids ?? []).sorted()
        add(.sticker, Int64(row.id) ?? 0, nil, row.deletedAt, " on \(ids)")
      }
      let ventures = Venture.all.includingDeleted()
      let counts = Dictionary(
        uniqueKeysWithValues: try tx.fetch(
          ventures.select { ($0.id, $0.chores.count) }))
      for row in try rows(ventures.prefetch(\.chores, \.memos, \.leader, \.stickers)) {
        let chores = (row.chores.ids ?? []).sorted()
        guard chores.count == counts[row.id] else {
          throw StoreError(.engine, "\(row.id) has \(counts[row.id] ?? -1) chores, not \(chores)")
        }
        var text = " chores \(chores) memos \((row.memos.ids ?? []).sorted())"
        text += " leader \(row.leader.id.map { [$0] } ?? [])"
        text += " stickers \((row.stickers.ids ?? []).compactMap { Int64($0) }.sorted())"
        add(.venture, row.id, row.client.id, row.deletedAt, text)
      }
      let together = Dictionary(grouping: lines.filter { $0.timestamp != nil }, by: \.timestamp)
      return lines.sorted { $0.object < $1.object }.map { line in
        var text = "\(line.object.kind) \(line.object.id) owner \(line.owner ?? 0)"
        if let timestamp = line.timestamp, let first = together[timestamp]?.map(\.object).min() {
          text += " hidden with \(first.kind) \(first.id)"
        }
        return text + line.more
      }
    }
  }
}
