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

  /// A coordinator of a model in each of two stores, of which the first keeps the journal.
  private func open(_ contention: [Contention]) throws -> StoreCoordinator {
    let paths = ["a", "b"].map { folder.file("\($0).sqlite") }
    func configuration(
      _ position: Int, _ model: any Persistable.Type
    ) -> StoreConfiguration {
      .configuration(["left", "right"][position], model) { schema, options in
        ContendedMember(
          try SQLiteStore(path: paths[position], schema: schema, options: options),
          contention[position])
      }
    }
    return try StoreCoordinator(
      Schema(Left.self, Right.self),
      configurations: [configuration(0, Left.self), configuration(1, Right.self)])
  }

  private func contentions() -> [Contention] { [Contention(), Contention()] }

  @Test(
    "9.2: an operation is run again if others came in the way of a member's beginning",
    arguments: [0, 1])
  func beginning(_ member: Int) throws {
    let contentions = contentions()
    let store = try open(contentions)
    contentions[member].fail(at: .beginning)
    if member == 0 { try store.save(Left(id: 1)) } else { try store.save(Right(id: 1)) }
    #expect(contentions[member].failures == 1)
    #expect(try store.count(Left.self) + store.count(Right.self) == 1)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "9.2: a read is run again if others came in the way of a member's snapshot", arguments: [0, 1])
  func reading(_ member: Int) throws {
    let contentions = contentions()
    let store = try open(contentions)
    try store.save(Left(id: 1))
    try store.save(Right(id: 2))
    contentions[member].fail(at: .reading)
    let ids = try member == 0 ? store.fetch(Left.all).map(\.id) : store.fetch(Right.all).map(\.id)
    #expect(ids == [Int64(member + 1)])
    #expect(contentions[member].failures == 1)
    try store.close()
  }

  @Test("9.2: an operation is run again if others came in the way of the journal's commit")
  func journal() throws {
    let contentions = contentions()
    let store = try open(contentions)
    let session = Session(store)
    session.insert(Left(id: 1))
    session.insert(Right(id: 1))
    contentions[0].fail(at: .commit)
    contentions[1].fail(at: nil)
    #expect(try session.save())
    #expect(contentions.map(\.failures) == [1, 0])
    #expect(contentions.map(\.writers) == [2, 2])
    #expect(try store.fetch(Left.all).map(\.id) == [1])
    #expect(try store.fetch(Right.all).map(\.id) == [1])
    try store.close()
  }

  @Test("9.2: an operation whose journal has committed is not run again, and is settled later")
  func decided() throws {
    let contentions = contentions()
    let store = try open(contentions)
    let session = Session(store)
    session.insert(Left(id: 1))
    session.insert(Right(id: 1))
    contentions[0].fail(at: nil)
    contentions[1].fail(at: .commit)
    #expect(try session.save())
    #expect(contentions.map(\.failures) == [0, 1])
    #expect(contentions.map(\.writers) == [1, 1])
    try store.save(Left(id: 2))
    #expect(try store.fetch(Left.all).map(\.id) == [1, 2])
    #expect(try store.fetch(Right.all).map(\.id) == [1])
    try store.close()
    let again = try open(self.contentions())
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

/// The contention of a store, and what came of it.
private final class Contention: Sendable {
  /// A step of a transaction.
  enum Step { case beginning, reading, commit }

  private struct State {
    var next: Step?
    var failures = 0
    var writers = 0
  }

  private let state = Lock(State())

  /// The number of steps that failed.
  var failures: Int { state.withLock { $0.failures } }
  /// The number of writers that were begun since the contention was set.
  var writers: Int { state.withLock { $0.writers } }

  /// Lets the next step of a kind fail, or none, and begins all counts again.
  func fail(at step: Step?) { state.withLock { $0 = State(next: step) } }

  /// Notes a writer.
  func noteWriter() { state.withLock { $0.writers += 1 } }

  /// Throws `contended` if the step is to fail.
  func check(_ step: Step) throws {
    let fails = state.withLock { state in
      guard state.next == step else { return false }
      state.next = nil
      state.failures += 1
      return true
    }
    if fails { throw StoreError(.contended, "others came in the way") }
  }
}

/// A member whose next step fails, as if others had come in its way.
private final class ContendedMember: Store {
  private let base: any Store
  private let contention: Contention

  init(_ base: any Store, _ contention: Contention) {
    self.base = base
    self.contention = contention
  }

  var schema: StoredSchema { base.schema }
  var runtime: StoreRuntime { base.runtime }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try contention.check(.reading)
    return try base.reader(turn)
  }

  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try contention.check(.beginning)
    contention.noteWriter()
    return ContendedMemberWriter(try base.writer(turn), contention)
  }

  func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

private final class ContendedMemberWriter: ForwardingWriter {
  let forwardedWriter: any StoreWriter
  private let contention: Contention
  private(set) var isContended = false

  init(_ base: any StoreWriter, _ contention: Contention) {
    forwardedWriter = base
    self.contention = contention
  }

  func commit() throws {
    do { try contention.check(.commit) } catch {
      isContended = true
      forwardedWriter.end()
      throw error
    }
    try forwardedWriter.commit()
  }
}
