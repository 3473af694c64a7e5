import ORM
import ORMCoordinator
import ORMCore
import ORMSessions
import SQLiteBackend
import TestSupport
import Testing

/// Operations of a coordinator that others come in the way of, in one of its members.
@Suite struct CoordinatorContentionTests {
  private let folder = TestFolder(inMemory: true)

  /// A coordinator of a model in each of two stores, of which the first keeps the journal, and the two.
  private func open() throws -> (StoreCoordinator, [FaultyStore]) {
    let members = Lock<[Int: FaultyStore]>([:])
    let paths = ["a", "b"].map { folder.file("\($0).sqlite") }
    func configuration(
      _ position: Int, _ model: any Persistable.Type
    ) -> StoreConfiguration {
      .configuration(["left", "right"][position], model) { schema, options in
        let store = FaultyStore(
          try SQLiteStore(path: paths[position], schema: schema, options: options))
        members.withLock { $0[position] = store }
        return store
      }
    }
    let store = try StoreCoordinator(
      Schema(Left.self, Right.self),
      configurations: [configuration(0, Left.self), configuration(1, Right.self)])
    return try (store, [0, 1].map { position in try #require(members.withLock { $0[position] }) })
  }

  @Test(
    "9.2: an operation is run again if others came in the way of a member's beginning",
    arguments: [0, 1])
  func beginning(_ member: Int) throws {
    let (store, members) = try open()
    members[member].conflict(at: .writer)
    if member == 0 { try store.save(Left(id: 1)) } else { try store.save(Right(id: 1)) }
    #expect(members[member].failures == 1)
    #expect(try store.count(Left.self) + store.count(Right.self) == 1)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "9.2: a read is run again if others came in the way of a member's snapshot", arguments: [0, 1])
  func reading(_ member: Int) throws {
    let (store, members) = try open()
    try store.save(Left(id: 1))
    try store.save(Right(id: 2))
    members[member].conflict(at: .reader)
    let ids = try member == 0 ? store.fetch(Left.all).map(\.id) : store.fetch(Right.all).map(\.id)
    #expect(ids == [Int64(member + 1)])
    #expect(members[member].failures == 1)
    try store.close()
  }

  @Test("9.2: an operation is run again if others came in the way of the journal's commit")
  func journal() throws {
    let (store, members) = try open()
    let session = Session(store)
    session.insert(Left(id: 1))
    session.insert(Right(id: 1))
    members[0].conflict(at: .commit)
    members[1].reset()
    #expect(try session.save())
    #expect(members.map(\.failures) == [1, 0])
    #expect(members.map { $0.count(of: .writer) } == [2, 2])
    #expect(try store.fetch(Left.all).map(\.id) == [1])
    #expect(try store.fetch(Right.all).map(\.id) == [1])
    try store.close()
  }

  @Test("9.2: an operation whose journal has committed is not run again, and is settled later")
  func decided() throws {
    let (store, members) = try open()
    let session = Session(store)
    session.insert(Left(id: 1))
    session.insert(Right(id: 1))
    members[0].reset()
    members[1].conflict(at: .commit)
    #expect(try session.save())
    #expect(members.map(\.failures) == [0, 1])
    #expect(members.map { $0.count(of: .writer) } == [1, 1])
    try store.save(Left(id: 2))
    #expect(try store.fetch(Left.all).map(\.id) == [1, 2])
    #expect(try store.fetch(Right.all).map(\.id) == [1])
    try store.close()
    let (again, _) = try open()
    #expect(try again.fetch(Right.all).map(\.id) == [1])
    #expect(try again.check().isSound)
    try again.close()
  }
}

private struct Left: PrimaryKeyed, Codable, Equatable {
  var id: Int64

  static let entity = Entity<Left>("Left") { .key("id", \.id) }
}

private struct Right: PrimaryKeyed, Codable, Equatable {
  var id: Int64

  static let entity = Entity<Right>("Right") { .key("id", \.id) }
}

extension FaultyStore {
  /// Lets the next step of a kind conflict, and begins all counts again.
  fileprivate func conflict(at step: StoreStep) {
    add(.conflict(step))
    reset()
  }
}
