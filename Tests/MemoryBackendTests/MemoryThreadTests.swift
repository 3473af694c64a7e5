import Foundation
import MemoryBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Readers on other threads, while one writes.
///
/// Clause 6.1.
@Suite struct MemoryThreadTests {
  /// Every commit moves amounts between accounts and rewrites some nodes; every snapshot must see
  /// the whole sum, however it is read and wherever it is ended.
  @Test func everySnapshotSeesAWholeCommit() async throws {
    let map = MemoryMap()
    let accounts = 1_500
    try map.write { batch in
      for number in 0..<accounts { try batch.put(Pair.key(number), amount(100), in: 1) }
    }
    let course = Course()
    let seed = runSeed()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          repeat {
            let snapshot = try map.snapshot()
            let sum = try snapshot.entries(in: 1).reduce(0) { $0 + Int($1.value[0]) }
            // The rest may run on another thread.
            await Task.yield()
            let again = try snapshot.reversedEntries(in: 1).reduce(0) { $0 + Int($1.value[0]) }
            snapshot.end()
            await Task.yield()
            if sum != accounts * 100 || again != sum {
              course.wrong.withLock { $0.append(sum) }
            }
          } while !course.isDone.withLock { $0 }
        }
      }
      group.addTask {
        defer { course.isDone.withLock { $0 = true } }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<120 {
          await Task.yield()
          let batch = try map.batch(wait: 0)
          for _ in 0..<20 {
            let from = Pair.key(.random(in: 0..<accounts, using: &random))
            let to = Pair.key(.random(in: 0..<accounts, using: &random))
            guard from != to, let one = try batch.value(from, in: 1)?[0],
              let two = try batch.value(to, in: 1)?[0], one > 0, two < 255
            else { continue }
            _ = try batch.remove(from, in: 1)
            try batch.put(to, amount(two + 1), in: 1)
            try batch.put(from, amount(one - 1), in: 1)
          }
          if random.chance(5) { batch.end() } else { try batch.commit() }
        }
      }
      try await group.waitForAll()
    }
    #expect(course.wrong.withLock { $0 } == [], "seed \(seed)")
    try map.checkInvariants()
  }

  /// The state that the threads share.
  private final class Course: Sendable {
    let isDone = Lock(false)
    let wrong = Lock<[Int]>([])
  }

  /// The amount, and filling of a length that follows from it, so that entries change their size.
  private func amount(_ amount: UInt8) -> Bytes {
    Bytes(repeating: amount, count: 1 + Int(amount) % 40)
  }
}
