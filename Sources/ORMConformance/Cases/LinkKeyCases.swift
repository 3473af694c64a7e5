internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 2.9: the key of a to-one through the relationship, and its cost.
  static let linkKeys: [ConformanceCase] = [
    ConformanceCase(
      "the key of a to-one is the column of its link, and no target is read", "2.8", "2.9", "3.4"
    ) { context in
      let store = try context.openSeats()
      func answers(
        _ query: Query<Seat>, _ keys: [Int64], reading most: Int, line: Int = #line
      ) throws {
        try context.expectEqual(try store.fetch(query).map(\.id), keys, line: line)
        let explanation = try store.explain(query, analyze: true)
        try context.expect(explanation.related.isEmpty, "\(explanation)", line: line)
        guard let read = explanation.rowsRead else { return }
        try context.expect(read <= most, "\(read) rows read: \(explanation)", line: line)
      }
      let second = Array(Int64(11)...20)
      try answers(Seat.all.where { $0.hall.id == 2 }, second, reading: 10)
      try answers(Seat.all.where { $0.hall == 2 }, second, reading: 10)
      try answers(Seat.all.where(\.hall.id == 2), second, reading: 10)
      try answers(Seat.all.where("hall.id == 2"), second, reading: 10)
      try answers(Seat.all.where("hall == 2"), second, reading: 10)
      // Which index a plan takes of so few rows is its own affair; no hall is read.
      try answers(Seat.all.where { $0.hall.id > 3 }, Array(31...40), reading: 42)
      try answers(Seat.all.where { $0.hall.id.isIn([2, 9]) }, second, reading: 42)
      try answers(Seat.all.where { $0.hall == nil }, [41, 42], reading: 42)
      try answers(Seat.all.where { $0.hall.id == nil }, [41, 42], reading: 42)
      try answers(Seat.all.where { $0.hall.id != 2 && $0.id > 38 }, [39, 40, 41, 42], reading: 42)
      try answers(Seat.all.where { !($0.hall.id == 4) && $0.id > 38 }, [41, 42], reading: 42)
      try answers(
        Seat.all.sorted(by: .descending(\.hall.id)).limit(3), [40, 39, 38], reading: 42)
      try answers(
        Seat.all.sorted(by: .ascending(\.hall.id)).limit(3), [41, 42, 1], reading: 42)
      // A composite key, part by part.
      try answers(Seat.all.where { $0.zone.id.land == "IS" && $0.id < 7 }, [2, 4, 6], reading: 42)
      try answers(
        Seat.all.where { $0.zone == Zone.ID(land: "NO", number: 1) && $0.id < 7 }, [1, 3, 5],
        reading: 42)
      try answers(Seat.all.where { $0.zone == nil }, [41, 42], reading: 42)
      let groups = try store.fetch(Seat.all.grouped(by: \.hall.id) { $0.count() })
      try context.expectEqual(groups.map(\.0), [nil, 1, 2, 3, 4])
      try context.expectEqual(groups.map(\.1), [2, 10, 10, 10, 10])
      let seat = try context.unwrap(try store.find(Seat.self, 12), "a seat")
      let inSecond = Seat.all.where { $0.hall.id == 2 }.filter
      try context.expect(try inSecond.matches(seat), "in memory")
    },
    ConformanceCase("the key of a hidden or deleted target is nil", "2.9", "5.9") { context in
      let store = try context.openSeats()
      try store.delete(Usher.self, id: 1)
      try store.delete(Donor.self, id: 1)
      let both = Seat.all.where { $0.id <= 4 }
      func keys(_ query: Query<Seat>) throws -> [Int64] { try store.fetch(query).map(\.id) }
      try context.expectEqual(try keys(both.where { $0.usher.id == 1 }), [])
      try context.expectEqual(try keys(both.where { $0.usher.id == 2 }), [2, 4])
      try context.expectEqual(try keys(both.where { $0.usher.id == nil }), [1, 3])
      try context.expectEqual(try keys(both.where { $0.usher == nil }), [1, 3])
      try context.expectEqual(try keys(both.where { $0.usher.id != 1 }), [1, 2, 3, 4])
      try context.expectEqual(try keys(both.sorted(by: .ascending(\.usher.id))), [1, 3, 2, 4])
      try context.expectEqual(
        try store.fetch(both.grouped(by: \.usher.id) { $0.count() }).map(\.0), [nil, 2])
      try context.expectEqual(
        try keys(both.where { $0.usher.id == 1 }.includingDeleted(related: true)), [1, 3])
      try context.expectEqual(try keys(both.where { $0.donor.id == 1 }), [])
      try context.expectEqual(try keys(both.where { $0.donor.id == nil }), [1, 3])
      try context.expectEqual(try keys(both.sorted(by: .descending(\.donor.id))), [4, 2, 3, 1])
      try store.insert(Donor(id: 1))
      try context.expectEqual(try keys(both.where { $0.donor.id == 1 }), [1, 3])
    },
    ConformanceCase("a unique rule over the key of a to-one", "5.1", "2.9") { context in
      let store = try context.openSeats()
      try context.expectError(.duplicate, entity: "Seat") {
        try store.insert(Seat(50, row: 3, hall: .key(2)))
      }
      try store.insert(Seat(50, row: 30, hall: .key(2)))
      // Nil is never a duplicate.
      try store.insert([Seat(51, row: 1), Seat(52, row: 1)])
      try context.expectError(.duplicate, entity: "Seat") {
        try store.update(Seat.all.where { $0.id == 51 }) {
          $0.hall = .key(2)
        }
      }
      try context.expectEqual(try store.count(Seat.all), 45)
    },
  ]
}

extension ConformanceContext {
  /// Four halls with ten seats each, of rows 0 to 9, and two seats without a hall or a zone; odd seats
  /// have usher and donor 1 and zone NO 1, even ones usher and donor 2 and zone IS 2.
  fileprivate func openSeats() throws -> any Store {
    let store = try open(Seat.self, Hall.self, Zone.self, Usher.self, Donor.self)
    try store.save((1...4).map { Hall(id: $0) })
    try store.save([
      Zone(id: .init(land: "NO", number: 1)), Zone(id: .init(land: "IS", number: 2)),
    ])
    try store.save([Usher(id: 1), Usher(id: 2)])
    try store.save([Donor(id: 1), Donor(id: 2)])
    try store.save(
      (1...40).map { number in
        let isOdd = number % 2 == 1
        return Seat(
          Int64(number), row: (number - 1) % 10, hall: .key(Int64((number - 1) / 10 + 1)),
          zone: .key(.init(land: isOdd ? "NO" : "IS", number: isOdd ? 1 : 2)),
          usher: .key(isOdd ? 1 : 2), donor: .key(isOdd ? 1 : 2))
      } + [Seat(41), Seat(42, row: 1)])
    return store
  }
}
