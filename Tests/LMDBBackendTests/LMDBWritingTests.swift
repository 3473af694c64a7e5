import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Appending, keyspaces and savepoints as the file has them.
@Suite struct LMDBWritingTests {
  let folder = TestFolder()
  typealias Contract = OrderedStoreContract<LMDBMap>

  /// Runs `body` in a savepoint that is undone.
  private func undone(_ batch: LMDBBatch, _ body: () throws -> Void) throws {
    do {
      try batch.savepoint {
        try body()
        throw Interruption(number: 1)
      }
    } catch is Interruption {}
  }

  @Test func ascendingKeysFillThePages() throws {
    func pages(_ order: [Int]) throws -> Int {
      let map = try LMDBMap(path: folder.newPath())
      try map.write { batch in
        for number in order {
          try batch.put(Contract.key(number), Bytes(repeating: 1, count: 100), in: 1)
        }
      }
      defer { try? map.close() }
      return try map.statistics().pages
    }
    // An entry takes 8 bytes of header, 8 of key, 100 of value and 2 for its offset: 34 fit in the
    // 4,080 of a page, so 20,000 need 589 pages. Halved pages would be twice as many.
    let count = 20_000
    let full = try pages(Array(0..<count))
    #expect(full >= 589 && full < 620)
    #expect(try pages(Array(stride(from: count - 1, through: 0, by: -1))) > 1_000)
  }

  /// What is taken for the last key must hold after removals, savepoints and other writes.
  @Test func keysStayInOrderWhateverTheAppendingAssumed() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.write { batch in
      for letter in ["m", "n", "o"] { try batch.put(letter, "1", in: 1) }
      // An ascending pair below the last key.
      for letter in ["a", "b", "c"] { try batch.put(letter, "1", in: 1) }
      try batch.put("z", "1", in: 1)
      #expect(try batch.remove("z", in: 1))
      try batch.put("y", "1", in: 1)
      #expect(try !batch.insert("y", "2", in: 1))
      #expect(try batch.insert("zz", "1", in: 1))
    }
    try map.write { batch in
      // The keyspace looks empty in the savepoint, and is not after it.
      try undone(batch) {
        try batch.removeAll(in: 1)
        try batch.put("d", "x", in: 1)
        try batch.put("e", "x", in: 1)
      }
      for letter in ["d", "e", "f"] { try batch.put(letter, "1", in: 1) }
      try batch.put("zzz", "1", in: 1)
    }
    let letters = ["a", "b", "c", "d", "e", "f", "m", "n", "o", "y", "zz", "zzz"]
    try map.read { try $0.expect(letters.map { Pair($0, "1") }, in: 1) }
    try map.close()
    try LMDBFile.check(path)
  }

  /// A long list of free pages takes pages of its own.
  @Test func thousandsOfPagesThatAreFreedAreUsedAgain() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    func fill() throws {
      try map.write { batch in
        for number in 0..<6_000 {
          try batch.put(Contract.key(number), Bytes(repeating: 1, count: 3_000), in: 1)
        }
      }
    }
    try fill()
    let pages = try map.statistics().pages
    for _ in 0..<3 {
      try map.write { try $0.removeAll(in: 1) }
      #expect(try map.statistics().freePages > 6_000)
      try LMDBFile.check(path)
      try fill()
    }
    // What a commit freed is used again by the commit after the next.
    #expect(try map.statistics().pages < pages * 2 + 200)
    try map.close()
    try LMDBFile.check(path)
  }

  @Test func keyspacesMadeInWhatIsUndoneAreNotThere() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.write { batch in
      try undone(batch) {
        try batch.put("k", "1", in: 1)
        try batch.put("k", "2", in: 2)
      }
      try batch.expect([], in: 1)
      try batch.put("k", "3", in: 3)
      try batch.savepoint { try batch.put("k", "2", in: 2) }
    }
    let batch = try map.batch(wait: 1)
    try batch.put("k", "4", in: 4)
    batch.end()
    try map.write { try $0.put("k", "5", in: 5) }
    try map.read { snapshot in
      for keyspace: Keyspace in [1, 4] { try snapshot.expect([], in: keyspace) }
      for keyspace: Keyspace in [2, 3, 5] {
        try snapshot.expect([Pair("k", "\(keyspace)")], in: keyspace)
      }
    }
    // Keyspace 0 is every file's.
    #expect(try map.statistics().keyspaces == 4)
    try map.close()
    try LMDBFile.check(path)
  }

  @Test func moreKeyspacesThanTheFileHasRoomForAreFull() throws {
    var options = LMDBMap.Options()
    options.maximumKeyspaces = 8
    let map = try LMDBMap(path: folder.newPath(), options: options)
    var code: StoreError.Code?
    do {
      try map.write { batch in
        for keyspace: Keyspace in 1..<20 { try batch.put("k", "v", in: keyspace) }
      }
    } catch let error as StoreError {
      code = error.code
    }
    #expect(code == .full)
    try map.letters("a")
    try map.close()
  }

  @Test func aSavepointThatWritesNothingIsFree() throws {
    let map = try LMDBMap(path: folder.newPath())
    try map.letters("a")
    let number = try map.read { $0.commitNumber }
    let batch = try map.batch(wait: 1)
    try batch.savepoint { try batch.savepoint { try batch.expect([Pair("a", "a!")], in: 1) } }
    try batch.commit()
    try map.read { #expect($0.commitNumber == number, "nothing was written") }
    try map.letters("b")
    try map.read { #expect($0.commitNumber == number.map { $0 + 1 }) }
    try map.close()
  }

  /// A batch larger than the library keeps in memory is written out before the commit, and can be
  /// undone all the same.
  @Test func aVeryLargeBatchWithASavepointIsWhole() throws {
    let path = folder.newPath()
    var options = LMDBMap.Options()
    options.durability = .off
    let map = try LMDBMap(path: path, options: options)
    let value = Bytes(repeating: 3, count: 4_000)
    try map.write { batch in
      // 140,000 pages; the library's list of changed ones takes 131,071.
      for number in 0..<140_000 { try batch.put(Contract.key(number), value, in: 1) }
      try batch.savepoint {
        for number in 200_000..<201_000 { try batch.put(Contract.key(number), value, in: 1) }
      }
      try undone(batch) {
        for number in 0..<1_000 { _ = try batch.remove(Contract.key(number), in: 1) }
        for number in 300_000..<301_000 { try batch.put(Contract.key(number), value, in: 1) }
      }
    }
    try map.read { (snapshot) throws in
      #expect(try snapshot.count(of: 1) == 141_000)
      #expect(try snapshot.value(Contract.key(0), in: 1) == value)
      #expect(try snapshot.value(Contract.key(300_000), in: 1) == nil)
    }
    try map.close()
    try LMDBFile.check(path)
  }

  /// Keyspaces are made while others read: what a snapshot sees of them is all or nothing.
  @Test func keyspacesMadeWhileOthersReadAreSeenWhole() throws {
    let map = try LMDBMap(path: folder.newPath())
    let keyspaces: Range<Keyspace> = 1..<150
    let failures = SharedList<String>()
    DispatchQueue.concurrentPerform(iterations: 5) { worker in
      do {
        if worker == 0 {
          for keyspace in keyspaces {
            try map.write { batch in
              try batch.put("k", "v", in: keyspace)
              try batch.put("number", "\(keyspace)", in: 0)
            }
          }
          return
        }
        while true {
          let last = try map.read { snapshot in
            let last = try snapshot.value("number", in: 0).flatMap { Keyspace($0) } ?? 0
            for keyspace in keyspaces.suffix(160) {
              let found = try snapshot.value("k", in: keyspace)
              if (found != nil) != (keyspace <= last) {
                failures.add("\(keyspace) of \(last): \(found ?? "")")
              }
            }
            return last
          }
          if last == keyspaces.upperBound - 1 { return }
        }
      } catch {
        failures.add("\(error)")
      }
    }
    #expect(failures.all == [])
    try map.close()
  }
}
