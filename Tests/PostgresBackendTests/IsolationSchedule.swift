import Dispatch
import Foundation
import ORM
import Synchronization
import Testing

/// Transactions whose steps run in a given order, on threads of their own.
///
/// What comes out must be what the committed transactions do one after another, in some order: their
/// observations and the rows at the end. That is all the anomalies are about, so no test says which
/// of two transactions has to win.
struct IsolationSchedule: CustomTestStringConvertible {
  /// A step of a transaction.
  enum Step {
    case read(Int64)
    /// Reads the rows whose values are multiples of a number.
    case readMultiples(Int)
    case set(Int64, Int)
    /// Adds to the value that was read of a row.
    case add(Int64, Int)
    case insert(Int64, Int)
    case deleteMultiples(Int)
    /// Adds to the values of all rows.
    case addToAll(Int)
    case nothing
    /// Throws, so that everything is undone.
    case abort
  }

  let testDescription: String
  let transactions: [[Step]]
  /// The transaction whose next step comes.
  let order: [Int]

  init(_ name: String, _ transactions: [[Step]], _ order: [Int]) {
    testDescription = name
    self.transactions = transactions
    self.order = order
  }

  /// The rows at the beginning.
  static let rows: [Int64: Int] = [1: 10, 2: 20]

  struct Undo: Error {}

  /// The outcome of one transaction: what it saw, or nil if it did not commit.
  typealias Outcome = [[Int64: Int]]?

  // MARK: The model

  /// Runs one transaction on rows in memory.
  static func run(_ steps: [Step], on rows: inout [Int64: Int]) -> [[Int64: Int]] {
    var seen: [[Int64: Int]] = []
    for step in steps {
      switch step {
      case .read(let id): seen.append(rows.filter { $0.key == id })
      case .readMultiples(let number): seen.append(rows.filter { $0.value % number == 0 })
      case .set(let id, let value): if rows[id] != nil { rows[id] = value }
      case .add(let id, let value): rows[id]? += value
      case .insert(let id, let value): rows[id] = value
      case .deleteMultiples(let number): rows = rows.filter { $0.value % number != 0 }
      case .addToAll(let value): rows = rows.mapValues { $0 + value }
      case .nothing, .abort: break
      }
    }
    return seen
  }

  /// Returns whether outcomes and rows are those of the committed transactions in some order.
  func isSerial(_ outcomes: [Outcome], _ rows: [Int64: Int]) -> Bool {
    let committed = outcomes.indices.filter { outcomes[$0] != nil }
    return Self.permutations(committed).contains { order in
      var state = Self.rows
      for number in order
      where Self.run(transactions[number], on: &state) != outcomes[number] ?? [] {
        return false
      }
      return state == rows
    }
  }

  private static func permutations(_ numbers: [Int]) -> [[Int]] {
    if numbers.isEmpty { return [[]] }
    return numbers.flatMap { first in
      permutations(numbers.filter { $0 != first }).map { [first] + $0 }
    }
  }

  // MARK: The store

  /// Runs the schedule on stores of one namespace, a transaction each; a step that has to wait for
  /// another transaction is left behind.
  func run(on stores: [any Store]) throws -> (outcomes: [Outcome], rows: [Int64: Int]) {
    let steps = transactions.map { _ in DispatchSemaphore(value: 0) }
    let done = transactions.map { _ in DispatchSemaphore(value: 0) }
    let outcomes = Mutex<[Outcome]>(transactions.map { _ in nil })
    let errors = Mutex<[any Error]>([])
    let group = DispatchGroup()
    for number in transactions.indices {
      let store = stores[number % stores.count]
      let (list, go, ended) = (transactions[number], steps[number], done[number])
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do {
          let seen = try store.write { tx in
            var seen: [[Int64: Int]] = []
            for step in list {
              if tx.attempt == 1 { go.wait() }
              defer { if tx.attempt == 1 { ended.signal() } }
              try Self.run(step, in: tx, &seen)
            }
            return seen
          }
          outcomes.withLock { $0[number] = seen }
        } catch is Undo {
        } catch let error as StoreError where error.code == .contended {
        } catch {
          errors.withLock { $0.append(error) }
        }
      }
    }
    for number in order {
      steps[number].signal()
      _ = done[number].wait(timeout: .now() + .milliseconds(150))
    }
    // Whatever was left behind goes on.
    for semaphore in steps { for _ in 0..<20 { semaphore.signal() } }
    group.wait()
    if let error = errors.withLock({ $0.first }) { throw error }
    let rows = try stores[0].fetch(Tally.all)
    return (
      outcomes.withLock { $0 },
      Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.value) })
    )
  }

  private static func run(
    _ step: Step, in tx: WriteTransaction, _ seen: inout [[Int64: Int]]
  ) throws {
    func note(_ rows: [Tally]) {
      seen.append(Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.value) }))
    }
    switch step {
    case .read(let id): note(try tx.find(Tally.self, id).map { [$0] } ?? [])
    case .readMultiples(let number):
      note(try tx.fetch(Tally.all).filter { $0.value % number == 0 })
    case .set(let id, let value):
      try tx.update(Tally.all.where { $0.id == id }) { $0.value = value }
    case .add(let id, let value):
      if var row = try tx.find(Tally.self, id) {
        row.value += value
        try tx.save(row)
      }
    case .insert(let id, let value): try tx.insert(Tally(id: id, value: value))
    case .deleteMultiples(let number):
      let rows = try tx.fetch(Tally.all).filter { $0.value % number == 0 }
      try tx.delete(Tally.self, ids: rows.map(\.id))
    case .addToAll(let value):
      try tx.update(Tally.all) { $0[\.value] = $0[\.value] + value }
    case .nothing: break
    case .abort: throw Undo()
    }
  }

  // MARK: The anomalies

  /// The anomalies of the literature, as Hermitage tests databases for them.
  static let all: [IsolationSchedule] = [
    IsolationSchedule(
      "G0, write cycles", [[.set(1, 11), .set(2, 21)], [.set(1, 12), .set(2, 22)]], [0, 1, 0, 1]),
    IsolationSchedule(
      "G1a, aborted reads",
      [[.set(1, 101), .nothing, .abort], [.readMultiples(1), .nothing, .readMultiples(1)]],
      [0, 1, 0, 0, 1, 1]),
    IsolationSchedule(
      "G1b, intermediate reads",
      [[.set(1, 101), .nothing, .set(1, 11)], [.readMultiples(1), .nothing, .readMultiples(1)]],
      [0, 1, 0, 0, 1, 1]),
    IsolationSchedule(
      "G1c, circular information flow", [[.set(1, 11), .read(2)], [.set(2, 22), .read(1)]],
      [0, 1, 0, 1]),
    IsolationSchedule(
      "OTV, observed transaction vanishes",
      [
        [.set(1, 11), .set(2, 19), .nothing], [.set(1, 12), .set(2, 18), .nothing],
        [.read(1), .read(2), .read(2), .read(1)],
      ], [0, 0, 1, 0, 2, 1, 2, 1, 2, 2]),
    IsolationSchedule(
      "PMP, predicate-many-preceders, read",
      [[.readMultiples(30), .readMultiples(3)], [.insert(3, 30)]], [0, 1, 0]),
    IsolationSchedule(
      "PMP, predicate-many-preceders, write",
      [[.addToAll(10), .nothing], [.readMultiples(20), .deleteMultiples(20), .nothing]],
      [0, 1, 1, 0, 1]),
    IsolationSchedule(
      "P4, lost update", [[.read(1), .add(1, 1)], [.read(1), .add(1, 5)]], [0, 1, 0, 1]),
    IsolationSchedule(
      "G-single, read skew",
      [[.read(1), .nothing, .read(2)], [.read(1), .read(2), .set(1, 12), .set(2, 18)]],
      [0, 1, 1, 1, 1, 0, 0]),
    IsolationSchedule(
      "G-single, predicates", [[.readMultiples(5), .readMultiples(3)], [.set(2, 12)]], [0, 1, 0]),
    IsolationSchedule(
      "G-single, write by a predicate",
      [[.read(1), .deleteMultiples(20), .nothing], [.read(1), .set(1, 12), .set(2, 18)]],
      [0, 1, 1, 1, 0, 0]),
    IsolationSchedule(
      "G-single, interleaved with a write",
      [[.read(1), .set(2, 19)], [.set(1, 12), .set(2, 18)]], [0, 1, 1, 0]),
    IsolationSchedule(
      "G2-item, write skew",
      [[.read(1), .read(2), .set(1, 11)], [.read(1), .read(2), .set(2, 21)]], [0, 1, 0, 1, 0, 1]),
    IsolationSchedule(
      "G2, anti-dependency cycle",
      [[.readMultiples(3), .insert(3, 30)], [.readMultiples(3), .insert(4, 42)]], [0, 1, 0, 1]),
    IsolationSchedule(
      "G2, two edges", [[.readMultiples(1), .set(1, 0)], [.set(2, 25)], [.readMultiples(1)]],
      [0, 1, 2, 0]),
  ]
}
