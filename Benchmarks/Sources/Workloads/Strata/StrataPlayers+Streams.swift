import Dispatch
import ORM

extension StrataPlayers: StreamOperations, LoopOperations {
  package func stream() throws -> Int {
    try waiting { [store] in
      var sum = 0
      for try await player in store.stream(Player.all) { sum &+= player.data.checksum }
      return sum
    }
  }

  package func insertOneByOne(_ players: [PlayerData]) -> Action {
    let models = players.map(PlainPlayer.init)
    return {
      try store.write { transaction in
        for model in models { try transaction.insert(model) }
      }
      return models.count
    }
  }
}

/// Blocks this thread until an asynchronous body has its result.
func waiting(_ body: @escaping @Sendable () async throws -> Int) throws -> Int {
  final class Box: @unchecked Sendable {
    // Set before the semaphore is signalled, read after it was waited for.
    var result: Result<Int, any Error>?
  }
  let box = Box()
  let semaphore = DispatchSemaphore(value: 0)
  Task.detached {
    do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
    semaphore.signal()
  }
  semaphore.wait()
  return try box.result?.get() ?? 0
}
