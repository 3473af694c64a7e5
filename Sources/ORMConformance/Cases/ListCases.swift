internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ListSteps {
  /// Makes a difference from the changes that it has.
  fileprivate init(_ change: (inout ListSteps) -> Void) {
    self.init()
    change(&self)
  }
}

extension ListBatch {
  /// Makes a batch from the changes that it has.
  fileprivate init(_ change: (inout ListBatch) -> Void) {
    self.init()
    change(&self)
  }
}

/// A row by its section and its position.
func at(_ section: Int, _ row: Int) -> ListPosition { ListPosition(section: section, row: row) }

/// A row that both lists have.
func move(_ from: ListPosition, _ to: ListPosition) -> ListMove<ListPosition> {
  ListMove(from: from, to: to)
}

extension ConformanceContext {
  /// Shows the only change since the last call, expects its steps and its batch, and the keys that the
  /// list then has.
  func expectChange<Model, Section, Value>(
    _ list: WatchedList<Model, Section, Value>, _ keys: [[Model.ID]], _ subject: String,
    steps: (inout ListSteps) -> Void, batch: (inout ListBatch) -> Void, file: String = #fileID,
    line: Int = #line
  ) throws {
    let changes = try list.take()
    try expectEqual(changes.count, 1, "\(subject): changes", file: file, line: line)
    try expectEqual(list.keys, keys, subject, file: file, line: line)
    try expectEqual(
      changes[0].steps, ListSteps(steps), "\(subject): steps", file: file, line: line)
    try expectEqual(
      changes[0].batch, ListBatch(batch), "\(subject): batch", file: file, line: line)
  }
}

extension ConformanceCase {
  /// Section 11: changes of observed lists.
  static let lists: [ConformanceCase] = [
    ConformanceCase("a list change leads from the list before to the list after", "11.8") {
      context in
      let store = try context.open(Snack.self)
      try store.insert([
        Snack(1, "a", taste: "salty"), Snack(2, "b", taste: "salty"), Snack(3, "c", taste: "sweet"),
      ])
      let query = Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name))
      let list = try WatchedList(store.observeList(query, sectionedBy: \.taste)) { $0 }
      try context.expectChange(list, [[1, 2], [3]], "the first change") {
        $0.insertedSections = [0, 1]
        $0.insertedRows = [at(0, 0), at(0, 1), at(1, 0)]
      } batch: {
        $0.insertedSections = [0, 1]
      }
      try context.expectEqual(list.values, ["salty", "sweet"])
      try store.insert(Snack(4, "aa", taste: "salty"))
      try context.expectChange(list, [[1, 4, 2], [3]], "a new row") {
        $0.insertedRows = [at(0, 1)]
      } batch: {
        $0.insertedRows = [at(0, 1)]
      }
      try store.patch(Snack.self, 3) { $0.name = "d" }
      try context.expectChange(list, [[1, 4, 2], [3]], "an update") {
        $0.updatedRows = [move(at(1, 0), at(1, 0))]
      } batch: {
        $0.updatedRows = [at(1, 0)]
      }
      try store.patch(Snack.self, 1) { $0.taste = "sweet" }
      try context.expectChange(list, [[4, 2], [1, 3]], "a move to another section") {
        $0.movedRows = [move(at(0, 0), at(1, 0))]
        $0.updatedRows = [move(at(0, 0), at(1, 0))]
      } batch: {
        $0.movedRows = [move(at(0, 0), at(1, 0))]
        $0.updatedAfterwards = [at(1, 0)]
      }
      try store.insert([Snack(5, "y", taste: "salty"), Snack(6, "z", taste: "salty")])
      try context.expectChange(list, [[4, 2, 5, 6], [1, 3]], "new rows at the end") {
        $0.insertedRows = [at(0, 2), at(0, 3)]
      } batch: {
        $0.insertedRows = [at(0, 2), at(0, 3)]
      }
      try store.patch(Snack.self, 4) { $0.name = "yy" }
      try context.expectChange(list, [[2, 5, 4, 6], [1, 3]], "one move, not two") {
        $0.movedRows = [move(at(0, 0), at(0, 2))]
        $0.updatedRows = [move(at(0, 0), at(0, 2))]
      } batch: {
        $0.movedRows = [move(at(0, 0), at(0, 2))]
        $0.updatedAfterwards = [at(0, 2)]
      }
      try store.write { tx in
        try tx.delete(Snack.self, id: 5)
        try tx.insert(Snack(7, "a", taste: "sweet"))
        try tx.patch(Snack.self, 6) { $0.price = 1 }
        try tx.patch(Snack.self, 3) { $0.taste = "salty" }
      }
      try context.expectChange(list, [[2, 3, 4, 6], [1, 7]], "several changes") {
        $0.deletedRows = [at(0, 1)]
        $0.insertedRows = [at(1, 1)]
        $0.movedRows = [move(at(1, 1), at(0, 1))]
        $0.updatedRows = [move(at(1, 1), at(0, 1)), move(at(0, 3), at(0, 3))]
      } batch: {
        $0.deletedRows = [at(0, 1)]
        $0.insertedRows = [at(1, 1)]
        $0.movedRows = [move(at(1, 1), at(0, 1))]
        $0.updatedRows = [at(0, 3)]
        $0.updatedAfterwards = [at(0, 1)]
      }
      try store.save(Snack(7, "a", taste: "sweet"))
      try store.write { tx in
        try? tx.savepoint { inner in
          try inner.delete(Snack.self, id: 7)
          throw StoreError(.invalidValue, "undone")
        }
      }
      try context.expectEqual(try list.take().count, 0, "commits that change nothing")
      try context.expectEqual(list.seen.fetchCount, 1, "cached")
      try store.deleteAll(Snack.self)
      try context.expectChange(list, [], "everything") {
        $0.deletedSections = [0, 1]
        $0.deletedRows = [at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(1, 0), at(1, 1)]
      } batch: {
        $0.deletedSections = [0, 1]
      }
    },
    ConformanceCase("a list without sections has one", "11.8") { context in
      let store = try context.open(Snack.self)
      let query = Snack.all.sorted(by: .descending(\.price))
      let list = try WatchedList(store.observeList(query)) { _ in 0 }
      try context.expectChange(list, [[]], "an empty list", steps: { _ in }, batch: { _ in })
      try store.insert([Snack(1, price: 1), Snack(2, price: 2), Snack(3, price: 2)])
      // In the direction of the last term, the keys of equal rows descend.
      try context.expectChange(list, [[3, 2, 1]], "ties") {
        $0.insertedRows = [at(0, 0), at(0, 1), at(0, 2)]
      } batch: {
        $0.insertedRows = [at(0, 0), at(0, 1), at(0, 2)]
      }
      try store.update(Snack.all.where { $0.id == 1 }) { $0.price = 2 }
      try context.expectChange(list, [[3, 2, 1]], "a tie more") {
        $0.updatedRows = [move(at(0, 2), at(0, 2))]
      } batch: {
        $0.updatedRows = [at(0, 2)]
      }
      try store.deleteAll(Snack.self)
      try context.expectChange(list, [[]], "no rows") {
        $0.deletedRows = [at(0, 0), at(0, 1), at(0, 2)]
      } batch: {
        $0.deletedRows = [at(0, 0), at(0, 1), at(0, 2)]
      }
    },
    ConformanceCase("a page of a list follows what enters and leaves it", "11.8", "3.3") {
      context in
      let store = try context.open(Snack.self)
      try store.insert([
        Snack(1, "a", taste: "salty"), Snack(2, "b", taste: "salty"), Snack(3, "c", taste: "sweet"),
        Snack(4, "d", taste: "sweet"),
      ])
      let query = Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name)).limit(3)
      let list = try WatchedList(store.observeList(query, sectionedBy: \.taste)) { $0 }
      _ = try list.take()
      try context.expectEqual(list.keys, [[1, 2], [3]])
      try store.insert(Snack(5, "a", taste: "bitter"))
      try context.expectChange(list, [[5], [1, 2]], "a row that pushes another out") {
        $0.insertedSections = [0]
        $0.deletedSections = [1]
        $0.insertedRows = [at(0, 0)]
        $0.deletedRows = [at(1, 0)]
      } batch: {
        $0.insertedSections = [0]
        $0.deletedSections = [1]
      }
      try store.insert(Snack(6, "e", taste: "sweet"))
      try context.expectEqual(try list.take().count, 0, "behind the end")
      try store.delete(Snack.self, id: 5)
      try context.expectChange(list, [[1, 2], [3]], "a row that returns") {
        $0.deletedSections = [0]
        $0.insertedSections = [1]
        $0.deletedRows = [at(0, 0)]
        $0.insertedRows = [at(1, 0)]
      } batch: {
        $0.deletedSections = [0]
        $0.insertedSections = [1]
      }
      try context.expectEqual(list.seen.fetchCount, 2)
    },
    ConformanceCase("hidden and restored rows leave lists and enter them", "11.8", "5.9") {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...4).map { Sketch(Int64($0), "d\($0)", size: $0 / 2) })
      let query = Sketch.all.sorted(by: .ascending(\.size))
      let list = try WatchedList(store.observeList(query, sectionedBy: \.size)) { $0 }
      _ = try list.take()
      try context.expectEqual(list.keys, [[1], [2, 3], [4]])
      try context.expectEqual(list.values, [0, 1, 2])
      try store.delete(Sketch.all.where { $0.id.isIn([1, 2]) })
      try context.expectChange(list, [[3], [4]], "hidden") {
        $0.deletedSections = [0]
        $0.deletedRows = [at(0, 0), at(1, 0)]
      } batch: {
        $0.deletedSections = [0]
        $0.deletedRows = [at(1, 0)]
      }
      try store.restore(Sketch.where { $0.id == 1 })
      try context.expectEqual(try list.take().map(\.steps.insertedSections), [[0]])
      try context.expectEqual(list.keys, [[1], [3], [4]])
    },
  ]
}
