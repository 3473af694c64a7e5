/// A sorted array of pairs of a number and a place in the rows.
struct PlainIndex {
  private(set) var entries: [(number: Int64, place: Int)] = []

  init(_ rows: [PlayerData], _ number: (PlayerData) -> Int64?) {
    entries.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() {
      if let number = number(row) { entries.append((number, place)) }
    }
    entries.sort { $0.number != $1.number ? $0.number < $1.number : $0.place < $1.place }
  }

  /// The place of the first entry that is not below a number.
  func first(from number: Int64) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The places of the rows with this number, in their order.
  func places(of number: Int64) -> ArraySlice<(number: Int64, place: Int)> {
    entries[first(from: number)..<first(from: number + 1)]
  }
}
