internal import ORMValues

/// The values found for links, so that rows with the same target ask for it once.
///
/// It serves one request on one snapshot, and forgets everything once it is full.
struct RelatedMemo {
  private var integers = IntegerPositions()
  private var others: [GroupKey: Int] = [:]
  private var values: [StoredValue] = []

  /// The most values kept: about 3 MiB of them.
  private static let capacity = 1 << 16

  /// The place of a link's value, and whether what it leads to is still to be found and set.
  mutating func place(of key: StoredValue) -> (place: Int, isNew: Bool) {
    if values.count >= Self.capacity { self = RelatedMemo() }
    let next = values.count
    let place: Int
    if case .int(let key) = key {
      place = integers.position(of: key, next: next)
    } else {
      let key = GroupKey([key])
      place = others[key] ?? next
      if place == next { others[key] = next }
    }
    if place < next { return (place, false) }
    values.append(.null)
    return (next, true)
  }

  subscript(place: Int) -> StoredValue {
    get { values[place] }
    set { values[place] = newValue }
  }
}
