internal import ORM
internal import ORMCore
internal import ORMObservation
internal import Observation
internal import Synchronization

/// The number of changes that were reported to a reader of a tracked property.
private final class Awakenings: Sendable {
  private let number = Atomic(0)

  var count: Int { number.load(ordering: .sequentiallyConsistent) }
  func add() { number.add(1, ordering: .sequentiallyConsistent) }
}

extension ConformanceContext {
  /// Waits on the main actor until a condition of a live query holds.
  @MainActor
  fileprivate func wait<Model, Section>(
    _ live: LiveQuery<Model, Section>, until holds: (LiveQuery<Model, Section>) -> Bool
  ) async {
    while !holds(live) {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (live.lastChange == nil, live.error == nil, live.isLoading)
        } onChange: {
          continuation.resume()
        }
      }
    }
  }

  @MainActor
  fileprivate func checkLiveQuery() async throws {
    let store = try open(Snack.self)
    try await store.insert([Snack(1, "a", taste: "hot"), Snack(2, "b", taste: "sour")])
    let ascending = Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name))
    let query = LiveQuery(store, ascending, sectionedBy: \.taste)
    try expect(query.isLoading && query.rows.isEmpty, "it begins to load")
    await wait(query) { !$0.isLoading }
    try expectEqual(query.rows.map(\.id), [1, 2])
    try expectEqual(query.sections.map(\.title), ["hot", "sour"])
    try expect(query.lastChange?.isFirst == true, "the first change")
    let errors = Awakenings()
    withObservationTracking {
      _ = query.error == nil
    } onChange: {
      errors.add()
    }
    try await store.insert(Snack(3, "c", taste: "hot"))
    await wait(query) { $0.rows.count == 3 }
    try expectEqual(query.lastChange?.steps.insertedRows, [at(0, 1)])
    try expectEqual(errors.count, 0, "readers of other properties are not told")
    query.query = Snack.all.sorted(by: .descending(\.taste), .ascending(\.name))
    try expect(query.isLoading && query.rows.count == 3, "the rows stay until others are there")
    await wait(query) { !$0.isLoading }
    try expectEqual(query.rows.map(\.id), [2, 1, 3])
    try expectEqual(query.lastChange?.batch.movedSections.count, 1, "sections in another order")
    try expectEqual(query.lastChange?.steps.movedRows.count, 0)
    query.query = Snack.all
    await wait(query) { $0.error != nil }
    try expectEqual((query.error as? StoreError)?.code, .invalidCondition)
    try expect(!query.isLoading && query.rows.count == 3, "the rows stay")
    query.query = ascending.where { $0.taste == "hot" }
    try expect(query.error == nil, "begun anew")
    await wait(query) { !$0.isLoading }
    try expectEqual(query.rows.map(\.id), [1, 3])
    try expectEqual(query.lastChange?.steps.deletedSections, [0])
    let all = LiveQuery(store, Snack.all)
    await wait(all) { !$0.isLoading }
    try expectEqual(all.sections.map(\.count), [3])
    let scheduler = store.runtime.transactions
    try expectEqual(scheduler.observerCount, 2)
  }
}

extension ConformanceCase {
  /// Section 11: queries that views observe.
  static let liveQueries: [ConformanceCase] = [
    ConformanceCase(async: "a live query follows the store and its query", "11.8", "11.14") {
      context in
      try await context.checkLiveQuery()
    }
  ]
}
