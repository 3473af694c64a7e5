package import ORMValues

/// The first rows in an order, out of any number of them: holds no more than are wanted.
///
/// A heap with the last of its rows on top, so that a row that is none of the first costs one
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

  /// Adds a row with these sort keys; `row` is called only for one that is added.
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

  /// The sign of the order of a row and one of the heap.
  private func compare(_ keys: [StoredValue], _ number: Int, _ other: Item) -> Int {
    for (position, term) in order.enumerated() {
      let order = term.order(keys[position], other.keys[position])
      if order != 0 { return order }
    }
    return number - other.number
  }

  private func isAfter(_ index: Int, _ other: Int) -> Bool {
    compare(heap[index].keys, heap[index].number, heap[other]) > 0
  }

  private mutating func rise() {
    var index = heap.count - 1
    while index > 0, isAfter(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink() {
    var index = 0
    while true {
      var last = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if isAfter(child, last) { last = child }
      }
      if last == index { return }
      heap.swapAt(index, last)
      index = last
    }
  }
}
