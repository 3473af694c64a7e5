package import ORMValues

/// The first rows in an order, out of any number of them: holds no more than are wanted.
///
/// A heap with the last of those kept on top, so that a row that is none of the first costs one
/// comparison. Rows that are equal in the order stay as they came.
package struct TopRows<Row> {
  private let limit: Int
  private let order: [BoundSortTerm]
  private var heap: [Item] = []
  private var added = 0

  private struct Item {
    var keys: [StoredValue]
    var number: Int
    var row: Row
  }

  /// Creates an empty list that keeps at most `limit` rows.
  package init(_ limit: Int, by order: [BoundSortTerm]) {
    self.limit = limit
    self.order = order
  }

  /// Adds a row with these sort keys; `row` is called only for one that is kept.
  package mutating func add(
    _ keys: [StoredValue], _ row: @autoclosure () throws -> Row
  ) rethrows {
    added += 1
    if heap.count < limit {
      heap.append(Item(keys: keys, number: added, row: try row()))
      // Without a limit nothing is ever pushed out, and there is no need of a heap.
      if limit < .max { rise() }
    } else if limit > 0, compare(keys, added, heap[0]) < 0 {
      heap[0] = Item(keys: keys, number: added, row: try row())
      sink()
    }
  }

  /// The rows in order.
  package func sorted() throws -> [Row] {
    var sorted = heap
    try sorted.sortStoppably { compare($0.keys, $0.number, $1) < 0 }
    return sorted.map(\.row)
  }

  /// The sign of the order of a row and one that is kept.
  private func compare(_ keys: [StoredValue], _ number: Int, _ other: Item) -> Int {
    for (place, term) in order.enumerated() {
      let order = term.order(keys[place], other.keys[place])
      if order != 0 { return order }
    }
    return number - other.number
  }

  private func isAfter(_ place: Int, _ other: Int) -> Bool {
    compare(heap[place].keys, heap[place].number, heap[other]) > 0
  }

  private mutating func rise() {
    var place = heap.count - 1
    while place > 0, isAfter(place, (place - 1) / 2) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink() {
    var place = 0
    while true {
      var last = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
        if isAfter(child, last) { last = child }
      }
      if last == place { return }
      heap.swapAt(place, last)
      place = last
    }
  }
}
