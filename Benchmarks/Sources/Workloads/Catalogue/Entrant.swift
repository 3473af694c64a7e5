/// A contestant with its sections, which are opened, and filled, when a workload first asks.
package final class Entrant {
  package let name: String
  private let makers: [Section: () throws -> Any]
  private var sections: [Section: Any] = [:]
  private var filled: Set<Dataset> = []

  package init(name: String, _ makers: [Section: () throws -> Any]) {
    self.name = name
    self.makers = makers
  }

  /// Returns whether the contestant has a section; it need not know every operation there.
  package func has(_ section: Section) -> Bool { makers[section] != nil }

  /// The section, if it is there and knows the operations.
  package func open<Operations>(_ section: Section, as operations: Operations.Type) throws
    -> Operations?
  {
    if let open = sections[section] { return open as? Operations }
    guard let maker = makers[section] else { return nil }
    let open = try maker()
    sections[section] = open
    return open as? Operations
  }

  /// Makes the rows of a data set be there.
  package func fill(_ sets: [Dataset], _ rows: Rows) throws {
    for set in sets where filled.insert(set).inserted {
      switch set {
      case .plain:
        let players = try open(.players, as: (any PlayerOperations).self)
        try players?.clearPlain()
        _ = try players?.plainInsert(rows.players)()
      case .indexed:
        let players = try open(.players, as: (any PlayerOperations).self)
        try players?.clearIndexed()
        _ = try players?.indexedInsert(rows.players)()
      case .ranked: try open(.queries, as: (any QueryOperations).self)?.fill(rows.players)
      case .numbers: try open(.numbers, as: (any NumberOperations).self)?.fill(rows.numbers)
      case .graph:
        try open(.graph, as: (any GraphOperations).self)?
          .fill(clubs: rows.clubs, size: Rows.clubSize, tags: Rows.tags)
      }
    }
  }

  /// Forgets that data sets are as they were filled.
  package func spoil(_ sets: [Dataset]) { filled.subtract(sets) }
}
