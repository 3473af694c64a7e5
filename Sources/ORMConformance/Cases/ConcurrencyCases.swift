internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 6.1, 6.2, 6.5 and 6.6: isolation, order of reads and writes, notices, durability.
  static let concurrency: [ConformanceCase] = [
    ConformanceCase("a reader's snapshot is fixed when its block begins", "6.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a"), Snack(2, "b")])
      try store.read { tx in
        // The writer is not blocked by the open reader.
        try elsewhere {
          try store.save([Snack(1, "changed"), Snack(3, "c")])
          try store.delete(Snack.self, id: 2)
        }
        try context.expectEqual(try tx.fetch(Snack.all), [Snack(1, "a"), Snack(2, "b")])
        try context.expectEqual(try tx.find(Snack.self, 3), nil)
        try context.expectEqual(try tx.count(Snack.all.where { $0.name == "b" }), 1)
        try context.expectEqual(
          try store.read { try $0.count(Snack.self) }, 2, "a block inside shares the snapshot")
        try context.expectEqual(try store.find(Snack.self, 1)?.name, "a")
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "changed"), Snack(3, "c")])
    },
    ConformanceCase(
      "the writer does not block readers, who do not see what is not committed", "6.1"
    ) { context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1, "a"))
      let held = try HeldWriter(store) { tx in
        try tx.save([Snack(1, "b"), Snack(2)])
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
      try context.expectEqual(try elsewhere { try store.count(Snack.self) }, 1)
      try held.finish()
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "b"), Snack(2)])
    },
    ConformanceCase("writers come one at a time, each on what the last one left", "6.1") {
      context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1, stock: 0))
      let jobs = (0..<4).map { _ in
        Job {
          for _ in 0..<25 {
            try store.write { tx in
              guard var snack = try tx.find(Snack.self, 1) else { return }
              snack.stock = (snack.stock ?? 0) + 1
              try tx.save(snack)
            }
          }
        }
      }
      for job in jobs { try job.value() }
      try context.expectEqual(try store.find(Snack.self, 1)?.stock, 100)
    },
    ConformanceCase("readers beside writers see whole commits only", "6.1", "6.2") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, stock: 0), Snack(2, stock: 100)])
      let isOver = Shared(false)
      let readers = (0..<3).map { _ in
        Job {
          var last = 0
          var count = 0
          while !isOver.value || count == 0 {
            count += 1
            let stocks = try store.fetch(Snack.all).compactMap(\.stock)
            guard stocks.reduce(0, +) == 100, stocks[0] >= last else { return "\(stocks)" }
            last = stocks[0]
          }
          return "whole"
        }
      }
      for number in 1...60 {
        try store.write { tx in
          try tx.save(Snack(1, stock: number))
          try tx.save(Snack(2, stock: 100 - number))
        }
        try context.expectEqual(
          try elsewhere { try store.find(Snack.self, 1)?.stock ?? -1 }, number,
          "a read after a write sees it, on every thread")
      }
      isOver.change { $0 = true }
      for reader in readers { try context.expectEqual(try reader.value(), "whole") }
    },
    ConformanceCase("readers beyond the pool wait in turn", "6.1") { context in
      var options = StoreOptions()
      options.readers = 2
      let store = try context.open(Snack.self, options: options)
      try store.save(Snack(1))
      let release = Latch()
      let begun = [Latch(), Latch()]
      let readers = begun.map { latch in
        Job {
          try store.read { tx in
            latch.open()
            try release.wait()
            return try tx.count(Snack.self)
          }
        }
      }
      for latch in begun { try latch.wait() }
      let third = Job { try store.count(Snack.self) }
      Thread.sleep(forTimeInterval: 0.05)
      try context.expect(!third.isDone, "the third waits")
      try store.save(Snack(2))
      release.open()
      for reader in readers { try context.expectEqual(try reader.value(), 1) }
      try context.expectEqual(try third.value(), 2)
    },
    ConformanceCase("fire-and-forget save, then find, finds", "6.2") { context in
      let store = try context.open(Snack.self)
      for number in 1...50 {
        store.write(on: .global()) { try $0.save(Snack(Int64(number))) }
        try context.expectEqual(try store.find(Snack.self, Int64(number))?.id, Int64(number))
        store.write(on: .global()) { try $0.save([Snack(Int64(1000 + number))]) }
        try context.expectEqual(
          try elsewhere { try store.count(Snack.all.where { $0.id > 1000 }) }, number,
          "on every thread")
      }
      store.write(on: .global()) { tx in try tx.delete(Snack.all.where { $0.id > 1000 }) }
      try context.expectEqual(try store.count(Snack.self), 50)
    },
    ConformanceCase("pending writes: reads wait for them, consistency and blocks do not", "6.2") {
      context in
      let store = try context.open(Snack.self)
      let held = try HeldWriter(store) { try $0.save(Snack(1)) }
      let outcome = Shared<[String]>([])
      let done = Latch()
      store.write(on: .global()) {
        try $0.save(Snack(2))
      } completion: { result in
        outcome.change { $0.append("\((try? result.get().id) ?? -1)") }
        done.open()
      }
      try context.expectEqual(
        try store.read(consistency: .latestCommit) { try $0.count(Snack.self) }, 0, "consistency")
      let waiting = Job { try store.fetch(Snack.all).map(\.id) }
      Thread.sleep(forTimeInterval: 0.05)
      try context.expect(!waiting.isDone, "a read waits for the pending write")
      try held.finish()
      try context.expectEqual(try waiting.value(), [1, 2])
      try done.wait()
      try context.expectEqual(outcome.value, ["2"], "the handler is called once")
      try store.read { tx in
        store.write(on: .global()) { try $0.save(Snack(3)) }
        try context.expectEqual(try store.count(Snack.self), 2, "inside a block")
        try context.expectEqual(try tx.count(Snack.self), 2)
      }
      try store.write { tx in
        store.write(on: .global()) { try $0.save(Snack(4)) }
        try context.expectEqual(try tx.find(Snack.self, 4), nil)
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 2, 3, 4])
    },
    ConformanceCase("completion overloads report their results and failures once", "6.2", "8.1") {
      context in
      let store = try context.open(Snack.self)
      let seen = Shared<[String]>([])
      let queue = DispatchQueue(label: "results")
      let done = DispatchGroup()
      for _ in 1...4 { done.enter() }
      @Sendable func report(_ text: String) {
        seen.change { $0.append(text) }
        done.leave()
      }
      store.write(on: queue) {
        try $0.save(Snack(1, "a"))
      } completion: {
        report("saved \((try? $0.get().id) ?? -1)")
      }
      store.write(on: queue) {
        try $0.insert(Snack(1, "b"))
      } completion: { result in
        if case .failure(let error) = result {
          report("\((error as? StoreError)?.code.rawValue ?? "?")")
        }
      }
      store.read(on: queue) {
        try $0.fetch(Snack.all)
      } completion: {
        report("fetched \((try? $0.get().map(\.name)) ?? [])")
      }
      store.read(on: queue) {
        try $0.find(Snack.self, 1)
      } completion: {
        report("found \((try? $0.get()?.name) ?? "?")")
      }
      try context.expect(
        done.wait(timeout: .now() + longestWait) == .success, "every handler is called")
      try context.expectEqual(
        seen.value.sorted(), ["duplicate", #"fetched ["a"]"#, "found a", "saved 1"])
    },
    ConformanceCase("a completion overload without a handler reports its failure to onError", "8.1")
    { context in
      let seen = Shared<[StoreError.Code?]>([])
      let finished = Latch()
      var options = StoreOptions()
      options.onError = { error in
        seen.change { $0.append((error as? StoreError)?.code) }
        finished.open()
      }
      let store = try context.open(Snack.self, options: options)
      try store.save(Snack(1))
      store.write(on: .global()) { try $0.insert(Snack(1)) }
      try finished.wait()
      try context.expectEqual(seen.value, [.duplicate])
    },
    ConformanceCase("commits are announced once each, in order, after they are durable", "6.5") {
      context in
      let store = try context.open(Snack.self, Note.self)
      let notices = Notices(store)
      let counts = Shared<[Int]>([])
      let observation = store.runtime.transactions.observeCommits { _ in
        let count = try? store.count(Snack.self)
        counts.change { $0.append(count ?? -1) }
      }
      try store.save(Snack(1))
      struct Undo: Error {}
      do {
        try store.write { tx in
          try tx.save(Snack(2))
          throw Undo()
        }
      } catch is Undo {}
      try store.write { tx in
        try tx.insert(Note(text: "a"))
        try tx.save(Snack(3))
      }
      _ = try store.count(Snack.self)
      try store.write { tx in
        do {
          try tx.savepoint { tx in
            try tx.save(Snack(4))
            throw Undo()
          }
        } catch is Undo {}
        try tx.insert(Note(text: "b"))
      }
      let seen = notices.wait(for: 3)
      try context.expectEqual(seen.map(\.entities), [["Snack"], ["Snack", "Note"], ["Note"]])
      try context.expectEqual(seen.map(\.sequence), [1, 2, 3])
      try context.expectEqual(seen.map(\.isFromOtherProcess), [false, false, false])
      for (seen, least) in zip(counts.value, [1, 2, 2]) {
        try context.expect(seen >= least, "the commit is visible when it is announced")
      }
      observation.cancel()
    },
    ConformanceCase("committed rows are there after reopening, at every durability", "6.6") {
      context in
      for durability in [StoreOptions.Durability.full, .normal, .off] {
        var options = StoreOptions()
        options.durability = durability
        var store = try context.open(Snack.self, Word.self, options: options)
        try store.save((1...20).map { Snack(Int64($0), "\($0)", price: Double($0), tags: ["t"]) })
        try store.update(Snack.all.where { $0.id > 10 }) { $0.taste = "x" }
        try store.delete(Snack.all.where { $0.id == 5 })
        try store.save(Word(1, "e\u{301}\0"))
        let before = try store.fetch(Snack.all)
        store = try context.reopen(store, Snack.self, Word.self, options: options)
        try context.expectEqual(try store.fetch(Snack.all), before, "\(durability)")
        try context.expectEqual(try store.fetch(Word.all), [Word(1, "e\u{301}\0")])
        try context.expectEqual(try store.count(Snack.all.where { $0.tags.contains("t") }), 19)
        try context.expectEqual(
          try store.fetch(Snack.all.where { $0.price > 19 }).map(\.id), [20])
        try store.save(Snack(5))
        store = try context.reopen(store, Snack.self, Word.self, options: options)
        try context.expectEqual(try store.count(Snack.self), 20)
      }
    },
  ]
}
