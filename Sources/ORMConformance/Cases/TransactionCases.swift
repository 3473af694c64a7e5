internal import Foundation
internal import ORM

/// An error that the bodies of the cases throw.
private struct Undo: Error, Equatable {
  var number = 0
}

extension ConformanceCase {
  /// Clauses 5.5 and 6.3: transactions, savepoints, reentrance.
  static let transactions: [ConformanceCase] = [
    ConformanceCase("a write block is all or nothing, and its error comes out as thrown", "5.5") {
      context in
      let store = try context.open(Snack.self, Note.self)
      try store.save(Snack(1, "a"))
      do {
        try store.write { tx in
          try tx.save(Snack(1, "b"))
          try tx.save(Snack(2, "c"))
          try tx.insert(Note(text: "n"))
          try tx.deleteAll(Snack.self)
          throw Undo(number: 42)
        }
        try context.expect(false, "the error comes out")
      } catch let error as Undo {
        try context.expectEqual(error, Undo(number: 42))
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
      try context.expectEqual(try store.count(Note.self), 0)
      let result = try store.write { tx in
        try tx.save(Snack(2, "b"))
        try tx.insert(Note(text: "m"))
        return try tx.count(Snack.self)
      }
      try context.expectEqual(result, 2, "what the body gives")
      try context.expectEqual(try store.count(Note.self), 1)
    },
    ConformanceCase("an operation that throws changes nothing, and the block may go on", "5.5") {
      context in
      let store = try context.open(Account.self)
      try store.write { tx in
        try tx.save([Account(1, 1), Account(2, 2)])
        try context.expectError(.duplicate) { try tx.save(Account(3, 1)) }
        try context.expectError(.duplicate) { try tx.save([Account(3, 3), Account(4, 2)]) }
        try context.expectError(.duplicate) { try tx.update(Account.all) { $0.number = 5 } }
        try context.expectError(.notFound) { try tx.update([Account(1, 9), Account(7, 7)]) }
        try context.expectError(.duplicate) { try tx.insert([Account(8, 8), Account(1, 10)]) }
        try context.expectEqual(try tx.fetch(Account.all), [Account(1, 1), Account(2, 2)])
        try tx.save(Account(3, 3))
      }
      try context.expectEqual(try store.fetch(Account.all).map(\.number), [1, 2, 3])
    },
    ConformanceCase("savepoints nest; what is thrown undoes only its own", "5.5", "6.3") {
      context in
      let store = try context.open(Snack.self)
      try store.write { tx in
        try tx.save(Snack(1, "a"))
        do {
          try tx.savepoint { tx in
            try tx.save(Snack(1, "b"))
            try tx.save(Snack(2, "c"))
            _ = try tx.savepoint { try $0.delete(Snack.self, id: 1) }
            try context.expectEqual(try tx.fetch(Snack.all).map(\.id), [2])
            throw Undo(number: 1)
          }
          try context.expect(false, "the error comes out")
        } catch let error as Undo {
          try context.expectEqual(error.number, 1)
        }
        try context.expectEqual(try tx.fetch(Snack.all), [Snack(1, "a")])
        let value = try tx.savepoint { tx in
          try tx.save(Snack(3, "d"))
          do {
            try tx.savepoint { tx in
              try tx.save(Snack(4, "e"))
              throw Undo()
            }
          } catch is Undo {}
          return 7
        }
        try context.expectEqual(value, 7)
        try context.expectEqual(
          try tx.fetch(Snack.all.where { $0.name > "a" }).map(\.id), [3], "indexes are undone too")
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a"), Snack(3, "d")])
    },
    ConformanceCase("a write block inside a write block is a savepoint", "6.3") { context in
      let store = try context.open(Snack.self)
      try store.write { _ in
        try store.save(Snack(1))
        do {
          try store.write { tx in
            try tx.save(Snack(2))
            throw Undo()
          }
        } catch is Undo {}
        try context.expectEqual(try store.count(Snack.self), 1)
        _ = try store.write { try $0.save(Snack(3)) }
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 3])
      do {
        try store.write { _ in
          _ = try store.write { try $0.save(Snack(4)) }
          throw Undo()
        }
      } catch is Undo {}
      try context.expectEqual(try store.count(Snack.self), 2, "the outer block undoes the inner")
    },
    ConformanceCase("a read block inside a write block sees the write", "6.3") { context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1))
      try store.write { tx in
        try tx.save(Snack(2))
        try context.expectEqual(try store.read { try $0.count(Snack.self) }, 2)
        try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 2])
        try tx.delete(Snack.self, id: 1)
        try context.expectEqual(try store.find(Snack.self, 1), nil)
      }
    },
    ConformanceCase("a write block inside a read block throws reentrancy", "6.3") { context in
      let store = try context.open(Snack.self)
      let other = try context.open(Snack.self)
      try store.save(Snack(1))
      try store.read { tx in
        try context.expectError(.reentrancy) { try store.save(Snack(2)) }
        try context.expectError(.reentrancy) { try store.write { _ in } }
        _ = try store.read { _ in
          try context.expectError(.reentrancy) { try store.deleteAll(Snack.self) }
        }
        try context.expectError(.reentrancy) { try store.close() }
        try other.save(Snack(5))
        try context.expectEqual(try tx.count(Snack.self), 1)
      }
      try store.write { tx in
        _ = try store.read { _ in try tx.save(Snack(3)) }
        try context.expectError(.reentrancy) { try store.close() }
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 3])
      try context.expectEqual(try other.fetch(Snack.all).map(\.id), [5])
    },
    ConformanceCase("a transaction used after its block throws transactionEnded", "6.3") {
      context in
      let store = try context.open(Snack.self)
      var outlived: WriteTransaction?
      var outlivedReader: ReadTransaction?
      try store.write { tx in
        try tx.save(Snack(1))
        outlived = tx
      }
      try store.read { outlivedReader = $0 }
      let writer = try context.unwrap(outlived, "the transaction")
      let reader = try context.unwrap(outlivedReader, "the transaction")
      try context.expectError(.transactionEnded) { try writer.save(Snack(2)) }
      try context.expectError(.transactionEnded) { try writer.fetch(Snack.all) }
      try context.expectError(.transactionEnded) { try writer.deleteAll(Snack.self) }
      try context.expectError(.transactionEnded) { try writer.savepoint { _ in } }
      try context.expectError(.transactionEnded) { try reader.count(Snack.self) }
      try context.expectError(.transactionEnded) { try reader.find(Snack.self, 1) }
      do {
        try store.write { tx in
          outlived = tx
          throw Undo()
        }
      } catch is Undo {}
      let failed = try context.unwrap(outlived, "the transaction")
      try context.expectError(.transactionEnded) { try failed.save(Snack(3)) }
      _ = try store.write { _ in
        try context.expectError(.transactionEnded) { try failed.save(Snack(3)) }
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1)])
    },
    ConformanceCase("a transaction belongs to its thread", "6.3") { context in
      let store = try context.open(Snack.self)
      try store.write { tx in
        try tx.save(Snack(1))
        nonisolated(unsafe) let foreign = tx
        let error = try elsewhere { () -> StoreError.Code? in
          do {
            _ = try foreign.count(Snack.self)
            return nil
          } catch let error as StoreError { return error.code }
        }
        try context.expectEqual(error, .transactionEnded)
        let seen = try elsewhere { try store.count(Snack.self) }
        try context.expectEqual(seen, 0, "another thread's reads are not in the block")
      }
      try context.expectEqual(try store.count(Snack.self), 1)
    },
    ConformanceCase("a writer that waits longer than writerWait throws busy", "6.3") { context in
      var options = StoreOptions()
      options.writerWait = .milliseconds(300)
      let store = try context.open(Snack.self, options: options)
      let held = try HeldWriter(store) { try $0.save(Snack(1)) }
      let start = ContinuousClock.now
      try context.expectError(.busy) { try store.save(Snack(2)) }
      let waited = ContinuousClock.now - start
      try context.expect(waited >= .milliseconds(290), "it waited")
      try context.expectEqual(try store.count(Snack.self), 0, "reads go on")
      try held.finish()
      try store.save(Snack(3))
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [1, 3])
    },
  ]
}
