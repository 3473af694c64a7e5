internal import Dispatch
internal import ORM

extension ConformanceCase {
  /// Clauses 5.5, 6.2 and 8.1: read and write blocks with a completion handler.
  static let completionBlocks: [ConformanceCase] = [
    ConformanceCase(async: "blocks hand their results to a completion handler", "5.5", "6.2") {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      let written: Int = try await withCheckedThrowingContinuation { done in
        store.write(on: .global()) { tx in
          try tx.save([Snack(1, "a"), Snack(2, "b")])
          return try tx.count(Snack.self)
        } completion: {
          done.resume(with: $0)
        }
      }
      try context.expectEqual(written, 2)
      let names: [String] = try await withCheckedThrowingContinuation { done in
        store.read(consistency: .latestCommit, on: .global()) { tx in
          try tx.fetch(Snack.all).map(\.name)
        } completion: {
          done.resume(with: $0)
        }
      }
      try context.expectEqual(names, ["a", "b"])
    },
    ConformanceCase(async: "without a queue, the handler runs on the main queue", "6.2") {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
      let (count, isMain): (Int, Bool) = try await withCheckedThrowingContinuation { done in
        store.write { tx in
          try tx.save(Snack(1))
          return try tx.count(Snack.self)
        } completion: { result in
          let isMain = DispatchQueue.getSpecific(key: key) == true
          done.resume(with: result.map { ($0, isMain) })
        }
      }
      try context.expectEqual(count, 1)
      try context.expect(isMain, "the main queue")
      let found: Int64? = try await withCheckedThrowingContinuation { done in
        store.read {
          try $0.first(Snack.all)?.id
        } completion: {
          done.resume(with: $0)
        }
      }
      try context.expectEqual(found, 1)
    },
    ConformanceCase(async: "a block that throws is undone, and its error handed over", "5.5", "8.1")
    {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      try await context.expectErrorAsync(.duplicate) {
        let _: Void = try await withCheckedThrowingContinuation { done in
          store.write(on: .global()) { tx in
            try tx.save(Snack(1))
            try tx.insert(Snack(1))
          } completion: {
            done.resume(with: $0.map { _ in })
          }
        }
      }
      try context.expectEqual(try await store.count(Snack.self), 0)
    },
    ConformanceCase(
      async: "a block is pending from the call on; its reads see the default store", "6.2"
    ) {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      store.write(on: .global()) { tx in try tx.save(Snack(1, "a")) }
      try context.expectEqual(try await store.count(Snack.self), 1)
      let name: String? = try await Persistence.with(store) {
        try await withCheckedThrowingContinuation { done in
          store.read(on: .global()) { _ in
            try Snack.first { $0.id == 1 }?.name
          } completion: {
            done.resume(with: $0)
          }
        }
      }
      try context.expectEqual(name, "a")
    },
  ]
}
