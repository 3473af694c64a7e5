extension Workloads {
  private typealias Graph = any GraphOperations

  /// Relationships: clubs of 20 members, all rows members.
  package var graph: [Workload] {
    let clubs = rows.clubs
    let members = clubs * Rows.clubSize
    // More links would only take longer.
    let linked = min(clubs, 1000)
    return [
      Workload(
        "graph", "prefetch as a graph", unit: "object", units: members, in: .graph, as: Graph.self,
        data: [.graph]
      ) { room, _ in { try room.prefetch() } },
      Workload(
        "load", "load a to-many for all clubs", unit: "object", units: members, in: .graph,
        as: Graph.self, data: [.graph]
      ) { room, _ in { try room.load(Array(1...Int64(clubs))) } },
      Workload(
        "any", "count with any", unit: "club", units: clubs, in: .graph, as: Graph.self,
        data: [.graph]
      ) { room, _ in { try room.countAny(age: 75) } },
      Workload(
        "attach", "attach many-to-many", unit: "link", units: linked * Rows.tags, in: .graph,
        as: Graph.self, spoils: [.graph]
      ) { room, _ in
        try room.fill(clubs: clubs, size: Rows.clubSize, tags: Rows.tags)
        return { try room.attach(clubs: linked, tags: Rows.tags) }
      },
      Workload(
        "cascade", "delete with a cascade", unit: "member", units: members, in: .graph,
        as: Graph.self, spoils: [.graph]
      ) { room, _ in
        try room.fill(clubs: clubs, size: Rows.clubSize, tags: Rows.tags)
        return { try room.deleteClubs() }
      },
      Workload(
        "save-graph", "save of one club with all members", unit: "object", units: members,
        in: .graph, as: (any GraphSavingOperations).self, spoils: [.graph]
      ) { room, _ in
        try room.clear()
        return room.save(members: members)
      },
    ]
  }
}
