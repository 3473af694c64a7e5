import MemoryBackend
import ORM
import ORMCore

// Must not compile: each line marked below goes past the transaction scheduler, and with it past
// validation, hooks and relationships. `Tests/Dependents/run` type-checks the file and counts errors.

func bypasses(_ store: some Store, _ turn: borrowing WriteTurn) throws {
  _ = try store.reader()  // refused
  _ = try store.reader(ReadTurn())  // refused
  _ = try store.writer(WriteTurn())  // refused
  try store.close(CloseTurn())  // refused
  _ = store.runtime.transactions  // refused
  try store.write { try $0.writer.commit() }  // refused
}

// A turn cannot be stored for later.
final class Keeper {
  var turn: WriteTurn?

  func keep(_ turn: borrowing WriteTurn) {  // refused
    self.turn = turn
  }
}

func closes(_ store: some Store) throws { try store.close() }
