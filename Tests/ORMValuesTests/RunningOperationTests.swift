import TestSupport
import Testing

@testable import ORMValues

/// Waits and sorts that end with the operation of their thread.
@Suite struct RunningOperationTests {
  @Test("6.10: a wait between two attempts ends at the deadline")
  func deadline() {
    let start = ContinuousClock.now
    let error = #expect(throws: StoreError.self) {
      try RunningOperation.run(within: .milliseconds(20)) {
        try RunningOperation.sleep(for: .seconds(600))
      }
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(ContinuousClock.now - start < .seconds(300))
  }

  @Test("6.4: a wait between two attempts ends by a cancellation")
  func cancellation() {
    let asked = Lock(0)
    #expect(throws: CancellationError.self) {
      try RunningOperation.run(
        unless: {
          asked.withLock {
            $0 += 1
            return $0 > 2
          }
        }
      ) {
        try RunningOperation.sleep(for: .seconds(600))
      }
    }
    #expect(asked.withLock { $0 } == 3)
  }

  @Test(
    "a wait without an operation, or shorter than the operation's time, is as long as asked for")
  func whole() throws {
    for within in [nil, Duration.seconds(600)] {
      let start = ContinuousClock.now
      try RunningOperation.run(within: within) {
        try RunningOperation.sleep(for: .milliseconds(15))
      }
      #expect(ContinuousClock.now - start >= .milliseconds(15))
    }
    let start = ContinuousClock.now
    try RunningOperation.sleep(for: .milliseconds(15))
    #expect(ContinuousClock.now - start >= .milliseconds(15))
    try RunningOperation.sleep(for: .seconds(-1))
  }

  @Test("6.4: a sort of few elements, whose comparisons may be long, is ended as well")
  func sorts() throws {
    // The scope asks once before its body.
    for questions in 2...5 {
      let asked = Lock(0)
      var elements = (0..<300).map { ($0 * 7_919) % 300 }
      var comparisons = 0
      #expect(throws: CancellationError.self) {
        try RunningOperation.run(
          unless: {
            asked.withLock {
              $0 += 1
              return $0 >= questions
            }
          }
        ) {
          try elements.sortStoppably {
            comparisons += 1
            return $0 < $1
          }
        }
      }
      #expect(comparisons == (questions - 1) * 64 - 1)
    }
  }

  @Test("a sort in an operation that goes on, and one without an operation, put all in order")
  func sorted() throws {
    let elements = (0..<300).map { ($0 * 7_919) % 300 }
    var (alone, inside) = (elements, elements)
    try alone.sortStoppably(by: <)
    try RunningOperation.run(within: .seconds(600)) { try inside.sortStoppably(by: <) }
    #expect(alone == Array(0..<300))
    #expect(inside == Array(0..<300))
  }
}
