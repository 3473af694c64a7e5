import OrderedEngine

/// What belongs to each space: an array for the low numbers that an engine gives out, a dictionary
/// for any other.
struct SpaceTable<Element> {
  /// Spaces below this lie in the array.
  private static var lowLimit: Space { 1024 }

  private var low: [Element?] = []
  private var high: [Space: Element] = [:]

  subscript(space: Space) -> Element? {
    get {
      if space < Self.lowLimit {
        return Int(space) < low.count ? low[Int(space)] : nil
      }
      return high[space]
    }
    set {
      guard space < Self.lowLimit else {
        high[space] = newValue
        return
      }
      if Int(space) >= low.count {
        low.append(contentsOf: repeatElement(nil, count: Int(space) + 1 - low.count))
      }
      low[Int(space)] = newValue
    }
  }

  /// Every space that has something, in order.
  var pairs: [(space: Space, element: Element)] {
    let first = low.enumerated().compactMap { index, element in
      element.map { (space: Space(index), element: $0) }
    }
    return first + high.sorted { $0.key < $1.key }.map { (space: $0.key, element: $0.value) }
  }
}

extension SpaceTable: Sendable where Element: Sendable {}
