import Foundation
package import ORMCore

/// The longest that a test waits for an event; only a failure takes that long.
///
/// A task may wait for a thread of the pool until several other tests have ended.
package let testPatience = Duration.seconds(600)

/// Waits on the calling thread until a condition holds.
///
/// A machine under load may be late by seconds, so that no test depends on the time of an event.
///
/// - Returns: false if it did not hold in time.
@discardableResult
package func waited(
  atMost limit: Duration = testPatience, for condition: () throws -> Bool
) rethrows -> Bool {
  let end = ContinuousClock.now + limit
  while try !condition() {
    if end <= .now { return false }
    usleep(5_000)
  }
  return true
}

/// Waits in a task until a condition holds; false if it did not in time.
@discardableResult
package func eventually(
  atMost limit: Duration = testPatience, isolation: isolated (any Actor)? = #isolation,
  for condition: () throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + limit
  while try !condition() {
    if end <= .now { return false }
    try await Task.sleep(for: .milliseconds(5))
  }
  return true
}

/// Runs a body until it throws none of some errors, which a store with short waits throws on a machine
/// under load.
@discardableResult
package func patiently<Result>(
  passing codes: Set<StoreError.Code> = [.busy, .connectionLost, .cannotOpen],
  _ body: () throws -> Result
) throws -> Result {
  let end = ContinuousClock.now + testPatience
  while true {
    do {
      return try body()
    } catch let error as StoreError where codes.contains(error.code) && end > .now {
      usleep(20_000)
    }
  }
}
