/// The rows that are read, and their order, with every value bound: a plan applied to one request.
struct BoundAccess {
  /// The access path to the rows.
  indirect enum Path {
    /// No row is reached.
    case nothing
    /// Whole primary keys, in their order.
    case keys([[UInt8]])
    /// Ranges of the primary keys, in their order.
    case rows([KeyRange])
    /// Ranges of an index's entries, in their order.
    case index(IndexStorage, [KeyRange])
    /// The rows of any of several paths, in the order of the primary keys.
    case union([Path])
    /// The rows of any of several accesses that come in the request's order, merged in it.
    case merged([BoundAccess])
    /// The rows that all of several paths give, in the order of the primary keys.
    case intersection([Path])

    /// True if there are no rows.
    var isNothing: Bool { if case .nothing = self { true } else { false } }

    /// The ranges of an access to rows or to one index.
    var ranges: [KeyRange] {
      switch self {
      case .rows(let ranges), .index(_, let ranges): ranges
      case .nothing, .keys, .union, .merged, .intersection: []
      }
    }
  }

  var path: Path
  /// True if from the last to the first.
  var isReversed = false
}

/// A range of keys: from the first, with it, to the last, without it; empty bytes for the first of
/// all, nil for no end.
struct KeyRange: Hashable {
  var lower: [UInt8] = []
  var upper: [UInt8]?
}
