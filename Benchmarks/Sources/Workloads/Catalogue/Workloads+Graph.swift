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
      ) { section, _ in { try section.prefetch() } },
      Workload(
        "load", "load a to-many for all clubs", unit: "object", units: members, in: .graph,
        as: Graph.self, data: [.graph]
      ) { section, _ in { try section.load(Array(1...Int64(clubs))) } },
      Workload(
        "any", "count with any", unit: "club", units: clubs, in: .graph, as: Graph.self,
        data: [.graph]
      ) { section, _ in { try section.countAny(age: 75) } },
      Workload(
        "attach", "attach many-to-many", unit: "link", units: linked * Rows.tags, in: .graph,
        as: Graph.self, spoils: [.graph]
      ) { section, _ in
        try section.fill(clubs: clubs, size: Rows.clubSize, tags: Rows.tags)
        return { try section.attach(clubs: linked, tags: Rows.tags) }
      },
      Workload(
        "cascade", "delete with a cascade", unit: "member", units: members, in: .graph,
        as: Graph.self, spoils: [.graph]
      ) { section, _ in
        try section.fill(clubs: clubs, size: Rows.clubSize, tags: Rows.tags)
        return { try section.deleteClubs() }
      },
      Workload(
        "save-graph", "save of one club with all members", unit: "object", units: members,
        in: .graph, as: (any GraphSavingOperations).self, spoils: [.graph]
      ) { section, _ in
        try section.clear()
        return section.save(members: members)
      },
    ]
  }
}
