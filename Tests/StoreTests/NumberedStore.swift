import ORM
import StoreModels
import Testing

extension Numbered {
  /// Expects the transactions up to `reported` in a store, and perhaps some whose report was not read;
  /// runs one more, closes the store, and returns its number.
  static func expect(
    in store: any Store, reported: Int, _ comment: @autoclosure () -> String
  ) throws -> Int {
    let number = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
    #expect(number >= reported, "\(comment())")
    #expect(try store.fetch(Journal.all).map(\.id) == Array(1..<number + 1), "\(comment())")
    let rows = try store.fetch(Entry.all).map { entry in
      var entry = entry
      entry.id = 0
      return entry
    }
    let expected = groups(after: number).flatMap { group in
      (0..<count(group)).map { Entry(group, $0) }
    }
    #expect(rows == expected, "\(comment())")
    for group in groups(after: number).suffix(3) {
      let found = try store.count(Entry.all.where { $0.group == group })
      #expect(found == count(group), "the index agrees; \(comment())")
    }
    // It throws if a key is not one more than the greatest ever committed.
    let next = try next(in: store)
    #expect(next == number + 1, "\(comment())")
    let report = try store.check()
    #expect(report.isSound, "\(comment()): \(report)")
    try store.close()
    return next
  }
}
