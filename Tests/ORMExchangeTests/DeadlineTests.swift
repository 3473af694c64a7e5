import Foundation
import ORMExchange
import TestSupport
import Testing

/// Imports and exports that end by a deadline or a cancellation: clauses 6.4 and 6.10.
@Suite struct DeadlineTests {
  let folder = TestFolder()
  /// Records that no store imports in the time given.
  private static let lines = (1...200_000).map { #"{"id":\#($0),"stars":1}"# }
    .joined(separator: "\n")
  /// The bound for the end of what has 100 ms; machines under load take longer than that.
  private static let bound = Duration.seconds(20)

  private func time(_ body: () throws -> Void) rethrows -> Duration {
    try ContinuousClock().measure(body)
  }

  @Test(
    "6.10: An import ends by its deadline, and whole batches stay", arguments: ImportStore.allCases)
  func imports(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let source = ImportFrom.jsonLines(.text(Self.lines))
    let time = time {
      let error = storeError {
        try RunningOperation.run(within: .milliseconds(100)) {
          _ = try store.import(Rated.self, from: source)
        }
      }
      #expect(error?.code == .deadlineExceeded)
    }
    #expect(time < Self.bound)
    let count = try store.count(Rated.self)
    #expect(count < 200_000 && count % 1_000 == 0)
    // By names as well.
    let named = storeError {
      try RunningOperation.run(within: .milliseconds(100)) {
        _ = try store.import(entity: "Rated", from: source)
      }
    }
    #expect(named?.code == .deadlineExceeded)
    #expect(try store.check().isSound)
  }

  @Test("6.4: An import ends when its task is cancelled", arguments: ImportStore.allCases)
  func cancelledImports(kind: ImportStore) async throws {
    let store = try kind.open(folder)
    // The import cancels its task after a batch, however late other tasks get their turn.
    let running = Running()
    let task = Task {
      try await store.import(Rated.self, from: .jsonLines(.text(Self.lines))) {
        $0.progress = { _ in running.cancel() }
      }
    }
    running.set(task)
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.count(Rated.self) % 1_000 == 0)
  }

  @Test("6.10: Exports end by their deadline, and leave no file", arguments: ImportStore.allCases)
  func exports(kind: ImportStore) async throws {
    let store = try kind.open(folder)
    try await store.save((1...2_000).map { Rated(id: $0, stars: 1) })
    let target = ExportTo.jsonLines(folder.file("rated.jsonl"))
    let time = time {
      let error = storeError {
        try RunningOperation.run(within: .milliseconds(100)) {
          for _ in 0..<10_000 { try store.export(Rated.all, to: target) }
        }
      }
      #expect(error?.code == .deadlineExceeded)
      let late = storeError {
        try RunningOperation.run(within: .milliseconds(100)) {
          for _ in 0..<10_000 { try store.export(DynamicQuery("Rated"), to: target) }
        }
      }
      #expect(late?.code == .deadlineExceeded)
    }
    #expect(time < Self.bound * 2)
    #expect(try folder.names().filter { $0.hasSuffix(".tmp") } == [])
    let task = Task { while true { try await store.export(Rated.all, to: target) } }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

/// A task that another thread cancels.
private final class Running: Sendable {
  private let task = Lock<Task<ImportReport, any Error>?>(nil)

  func set(_ task: Task<ImportReport, any Error>) { self.task.withLock { $0 = task } }

  func cancel() { task.withLock { $0?.cancel() } }
}
