import OrderedEngine

/// A table with one element for each keyspace.
///
/// An array holds the low numbers that an engine gives out, a dictionary any other.
struct KeyspaceTable<Element> {
  /// Keyspaces below this lie in the array.
  private static var lowLimit: Keyspace { 1024 }

  private var low: [Element?] = []
  private var high: [Keyspace: Element] = [:]

  subscript(keyspace: Keyspace) -> Element? {
    get {
      if keyspace < Self.lowLimit {
        return Int(keyspace) < low.count ? low[Int(keyspace)] : nil
      }
      return high[keyspace]
    }
    set {
      guard keyspace < Self.lowLimit else {
        high[keyspace] = newValue
        return
      }
      if Int(keyspace) >= low.count {
        low.append(contentsOf: repeatElement(nil, count: Int(keyspace) + 1 - low.count))
      }
      low[Int(keyspace)] = newValue
    }
  }

  /// Every keyspace that has something, in order.
  var pairs: [(keyspace: Keyspace, element: Element)] {
    let first = low.enumerated().compactMap { index, element in
      element.map { (keyspace: Keyspace(index), element: $0) }
    }
    return first + high.sorted { $0.key < $1.key }.map { (keyspace: $0.key, element: $0.value) }
  }
}

extension KeyspaceTable: Sendable where Element: Sendable {}
