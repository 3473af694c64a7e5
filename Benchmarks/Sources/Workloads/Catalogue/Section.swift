/// A part that a contestant keeps apart: each section is a store, or a file, of its own.
package enum Section: String, CaseIterable, Sendable {
  case players, queries, numbers, graph, interceptors, growth, opening
}

/// Rows that a workload asks to be there.
package enum Dataset: Sendable {
  case plain, indexed, ranked, numbers, graph
}
