package import ORM

/// Numbered transactions of several rows, of which any prefix can be recognised.
///
/// Number 4, 8, 12… deletes the group of the one before, which has the greatest keys; every other
/// writes a group of its own number. Each leaves a ``Journal``.
package enum Numbered {
  /// Returns whether the transaction of this number writes a group, or deletes the one before.
  package static func writes(_ number: Int) -> Bool { number % 4 != 0 }

  /// The number of rows in the group of this number.
  package static func count(_ number: Int) -> Int { 1 + number % 5 }

  /// Runs the next transaction, and gives its number.
  package static func next(in store: any Store) throws -> Int {
    try store.write { transaction in
      let last = try transaction.first(Journal.all.sorted(by: .descending(\.id)))
      let number = (last?.id ?? 0) + 1
      var greatest = last?.greatest ?? 0
      if writes(number) {
        for place in 0..<count(number) {
          let entry = try transaction.insert(Entry(number, place))
          guard entry.id == greatest + 1 else {
            throw StoreError(.duplicate, "the key after \(greatest) is \(entry.id)")
          }
          greatest = entry.id
        }
      } else {
        try transaction.delete(Entry.all.where { $0.group == number - 1 })
      }
      try transaction.insert(Journal(number, greatest: greatest))
      return number
    }
  }

  /// The groups there are after the transactions up to a number.
  package static func groups(after last: Int) -> [Int] {
    guard last > 0 else { return [] }
    return (1...last).filter { writes($0) && ($0 == last || writes($0 + 1)) }
  }
}
