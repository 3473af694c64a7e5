import Foundation
import Synchronization

/// Bodies that run over and over, each on a thread of its own, for the same stretch of time.
enum Threads {
  /// The number of runs of each body, a second.
  static func rates(
    seconds: Double, _ bodies: [@Sendable (_ round: Int) throws -> Void]
  ) throws -> [Double] {
    let runs = Runs(bodies.count)
    let group = DispatchGroup()
    for (index, body) in bodies.enumerated() {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        let end = Time.now().wall + seconds
        var count = 0
        do {
          while Time.now().wall < end {
            try body(count)
            count += 1
          }
          runs.set(index, count)
        } catch {
          runs.fail(error)
        }
      }
    }
    group.wait()
    return try runs.get().map { Double($0) / seconds }
  }

  /// The counts of the threads, under their lock.
  private final class Runs: Sendable {
    private let state: Mutex<(counts: [Int], failure: (any Error)?)>

    init(_ count: Int) { state = Mutex((Array(repeating: 0, count: count), nil)) }

    func set(_ index: Int, _ count: Int) { state.withLock { $0.counts[index] = count } }

    func fail(_ error: any Error) { state.withLock { $0.failure = error } }

    func get() throws -> [Int] {
      try state.withLock { state in
        if let failure = state.failure { throw failure }
        return state.counts
      }
    }
  }
}
