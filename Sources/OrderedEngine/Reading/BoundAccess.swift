/// Which rows are read, and in which order, with every value bound: what a plan comes to for one
/// request.
struct BoundAccess {
  /// How rows are reached.
  enum Path {
    /// Not at all.
    case nothing
    /// By whole primary keys, in their order.
    case keys([[UInt8]])
    /// By ranges of the primary keys, in their order.
    case rows([KeyRange])
    /// By ranges of an index's entries, in their order.
    case index(IndexStorage, [KeyRange])
  }

  var path: Path
  /// Whether from the last to the first.
  var isReversed = false
}

/// A range of keys: from the first, with it, to the last, without it; empty bytes for the first of
/// all, nil for no end.
struct KeyRange: Hashable {
  var lower: [UInt8] = []
  var upper: [UInt8]?

  /// Every key.
  static let everything = KeyRange()
}
