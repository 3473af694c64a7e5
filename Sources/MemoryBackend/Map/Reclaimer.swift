/// Decides when nodes and blobs that a commit replaced may be freed.
///
/// One born at b and replaced at commit c is seen by the snapshots of generation g, b ≤ g < c. It waits
/// on the newest open one of these; when that one ends, on the next older one that sees it; and is freed
/// when none is left. So an old snapshot retains the nodes that it sees and no others, however many
/// commits follow it. A pure value: it frees nothing itself, and its owner's lock guards it.
struct Reclaimer {
  /// The open snapshots of one generation.
  private struct View {
    var generation: UInt64
    var snapshots: Int
    /// The nodes and blobs retained for these snapshots.
    var waiting: [Piece] = []
  }

  /// Oldest first.
  private var views: [View] = []

  /// The number of nodes and blobs that wait.
  var waitingCount: Int { views.reduce(0) { $0 + $1.waiting.count } }

  /// True if no snapshot is open.
  var isIdle: Bool { views.isEmpty }

  /// Notes a snapshot of the newest generation.
  mutating func open(_ generation: UInt64) {
    if views.last?.generation == generation {
      views[views.count - 1].snapshots += 1
    } else {
      views.append(View(generation: generation, snapshots: 1))
    }
  }

  /// Notes the end of a snapshot; returns the pieces to be freed.
  mutating func close(_ generation: UInt64) -> [Piece] {
    guard let index = views.firstIndex(where: { $0.generation == generation }) else { return [] }
    views[index].snapshots -= 1
    guard views[index].snapshots == 0 else { return [] }
    let waiting = views.remove(at: index).waiting
    return assign(waiting, before: index)
  }

  /// Takes the pieces that the newest commit replaced; returns those to be freed at once.
  mutating func retire(_ pieces: [Piece]) -> [Piece] {
    assign(pieces, before: views.count)
  }

  /// Puts each piece on the newest view, among those before `index`, that sees it.
  private mutating func assign(
    _ pieces: [Piece], before index: Int
  ) -> [Piece] {
    // One that the newest of them does not see, no older one does.
    guard index > 0 else { return pieces }
    let newest = views[index - 1].generation
    return pieces.filter { piece in
      guard piece.birth <= newest else { return true }
      views[index - 1].waiting.append(piece)
      return false
    }
  }
}
