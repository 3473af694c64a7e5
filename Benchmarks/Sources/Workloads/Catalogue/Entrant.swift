/// A contestant with its rooms, which are opened, and filled, when a workload first asks.
package final class Entrant {
  package let name: String
  private let makers: [Room: () throws -> Any]
  private var rooms: [Room: Any] = [:]
  private var filled: Set<Dataset> = []

  package init(name: String, _ makers: [Room: () throws -> Any]) {
    self.name = name
    self.makers = makers
  }

  /// Whether the contestant has a room; it need not know every operation there.
  package func has(_ room: Room) -> Bool { makers[room] != nil }

  /// The room, if it is there and knows the operations.
  package func open<Operations>(_ room: Room, as operations: Operations.Type) throws -> Operations?
  {
    if let open = rooms[room] { return open as? Operations }
    guard let maker = makers[room] else { return nil }
    let open = try maker()
    rooms[room] = open
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
