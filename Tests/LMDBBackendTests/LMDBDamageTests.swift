import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Files that are not ours, are newer, cut off or damaged: clause 7.3.
@Suite struct LMDBDamageTests {
  let folder = TestFolder(inMemory: true)

  /// A closed file with large and small values, several levels of pages, and free pages.
  private func makeFile(rows: Int = 3_000) throws -> (path: String, bytes: Data) {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.write { batch in
      for number in 0..<rows {
        let size = number % 97 == 0 ? 9_000 : number % 120
        try batch.put(
          OrderedStoreContract<LMDBMap>.key(number), Bytes(repeating: 9, count: size), in: 1)
        try batch.put("text \(number)", "\(number)", in: 2)
      }
    }
    for part in 0..<3 {
      try map.write { batch in
        for number in stride(from: part, to: rows, by: 7) {
          _ = try batch.remove(OrderedStoreContract<LMDBMap>.key(number), in: 1)
        }
      }
    }
    try map.close()
    return (path, try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func outcome(_ path: String) -> String {
    do {
      let map = try LMDBMap(path: path)
      try map.close()
      return "opened"
    } catch {
      return (error as? StoreError)?.code.rawValue ?? "\(error)"
    }
  }

  /// Writes bytes as a new file, and expects that opening refuses it and leaves it alone.
  private func expect(_ bytes: Data, _ code: StoreError.Code, _ note: String) throws {
    let path = folder.newPath()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(outcome(path) == code.rawValue, "\(note)")
    #expect(throws: StoreError.self) { try LMDBFile.check(path) }
    let after = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(after == bytes, "the file is left as it was: \(note)")
    #expect(!FileManager.default.fileExists(atPath: path + "-lock"), "nothing is put beside it")
    // It can be opened again as soon as it is repaired.
    try? FileManager.default.removeItem(atPath: path)
    #expect(outcome(path) == "opened", "\(note)")
  }

  @Test func filesOfOthersAreNotADatabase() throws {
    try expect(Data(), .notADatabase, "empty")
    try expect(Data("text".utf8), .notADatabase, "short text")
    try expect(Data("SQLite format 3\0".utf8) + Data(count: 8_176), .notADatabase, "SQLite")
    try expect(Data(count: 1 << 20), .notADatabase, "nothing but zeros")
    var generator = SeededGenerator.printed("filesOfOthers")
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try expect(Data(noise), .notADatabase, "noise")
  }

  @Test func aSoundFileOfAnotherProgramIsNotADatabase() throws {
    // The name of the database of keyspace 0, changed to one that another program might use.
    var (_, bytes) = try makeFile(rows: 10)
    while let place = bytes.range(of: Data("s0000000".utf8)) {
      bytes.replaceSubrange(place, with: Data("settings".utf8))
    }
    try expect(bytes, .notADatabase, "other names")
  }

  @Test func aFileCutOffAnywhereIsCorruptOrLacksNothing() throws {
    let (path, bytes) = try makeFile(rows: 400)
    let whole = try LMDBMap(path: path).read { snapshot in
      try (snapshot.entries(in: 1), snapshot.entries(in: 2))
    }
    var refused = 0
    for length in stride(from: 0, to: bytes.count, by: 4_096).flatMap({ [$0, $0 + 100] }) {
      let cut = folder.newPath()
      try bytes.prefix(length).write(to: URL(fileURLWithPath: cut))
      do {
        let map = try LMDBMap(path: cut)
        let found = try map.read { try ($0.entries(in: 1), $0.entries(in: 2)) }
        #expect(found == whole, "cut at \(length)")
        try map.close()
      } catch let error as StoreError {
        refused += 1
        #expect([.corrupt, .notADatabase].contains(error.code), "cut at \(length)")
        if length >= 152 { #expect(error.code == .corrupt, "cut at \(length)") }
        let after = try Data(contentsOf: URL(fileURLWithPath: cut))
        #expect(after == bytes.prefix(length))
      }
    }
    #expect(refused > bytes.count / 4_096, "most cuts hurt")
  }

  /// Another process opens files with bytes changed at random, and reads and writes all it can.
  ///
  /// A damaged page makes the library end the process, or read where it should not.
  @Test func noDamageEndsTheProcess() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let (_, bytes) = try makeFile(rows: 300)
    let pages = bytes.count / 4_096
    var paths: [String] = []
    for _ in 0..<250 {
      var damaged = bytes
      let page = Int.random(in: 0..<pages, using: &generator)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // Half of the changes are to what pages begin with, where the structure is.
        let reach = Bool.random(using: &generator) ? 160 : 4_096
        let place = page * 4_096 + Int.random(in: 0..<reach, using: &generator)
        damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
      }
      paths.append(folder.newPath())
      try damaged.write(to: URL(fileURLWithPath: paths[paths.count - 1]))
    }
    let helper = try HelperProcess(["lmdb", "exercise", folder.path])
    try helper.finish(paths)
    let outcomes = helper.lines()
    #expect(helper.exits(), "seed \(seed), file \(paths[min(outcomes.count, paths.count - 1)])")
    #expect(outcomes.count == paths.count + 1, "seed \(seed)")
    let counts = Dictionary(grouping: outcomes) { $0 }.mapValues(\.count)
    let known: Set = ["ok", "corrupt", "notADatabase", "unsupportedVersion"]
    #expect(Set(counts.keys).isSubset(of: known), "seed \(seed): \(counts)")
    #expect(counts["corrupt", default: 0] > 10, "seed \(seed): \(counts)")
  }

  /// Pages that are changed after they were checked, under an open snapshot, are read no further
  /// than pages go.
  @Test func noDamageUnderASnapshotIsFollowed() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let (path, bytes) = try makeFile(rows: 2_000)
    let map = try LMDBMap(path: path)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    var refused = 0
    for _ in 0..<300 {
      let snapshot = try map.snapshot()
      defer { snapshot.end() }
      // Where the trees begin is known from here on.
      #expect(try snapshot.count(of: 1) == snapshot.entries(in: 1).count)
      _ = try snapshot.count(of: 2)
      let page = Int.random(in: 2..<bytes.count / 4_096, using: &generator)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let reach = Bool.random(using: &generator) ? 160 : 4_096
        let place = page * 4_096 + Int.random(in: 0..<reach, using: &generator)
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: [UInt8.random(in: 0...255, using: &generator)])
      }
      do {
        try readInAllWays(snapshot, &generator)
      } catch let error as StoreError {
        #expect(error.code == .corrupt, "seed \(seed)")
        refused += 1
      }
      try file.seek(toOffset: UInt64(page * 4_096))
      try file.write(contentsOf: bytes[page * 4_096..<(page + 1) * 4_096])
    }
    #expect(refused > 30, "seed \(seed)")
    let snapshot = try map.snapshot()
    #expect(try snapshot.entries(in: 2).count == 2_000)
    snapshot.end()
    try map.close()
  }

  private func readInAllWays(
    _ snapshot: LMDBSnapshot, _ generator: inout SeededGenerator
  ) throws {
    for keyspace: Keyspace in [1, 2] {
      _ = try snapshot.entries(in: keyspace)
      _ = try snapshot.reversedEntries(in: keyspace)
      let cursor = try snapshot.cursor(in: keyspace)
      for _ in 0..<20 {
        let number = Int.random(in: 0..<2_000, using: &generator)
        let key =
          keyspace == 1 ? OrderedStoreContract<LMDBMap>.key(number) : Bytes("text \(number)".utf8)
        _ = try snapshot.value(key, in: keyspace)
        try key.withUnsafeBytes {
          if try cursor.seek($0) { _ = try cursor.move(by: 100) }
          _ = try snapshot.estimatedCount(of: keyspace, from: $0, to: nil)
        }
      }
    }
  }

  @Test func aSoundFileStaysSoundHoweverItIsWritten() throws {
    let path = folder.newPath()
    let contract = OrderedStoreContract<LMDBMap> { try LMDBMap(path: path) }
    try contract.compareWithModel(seed: runSeed(), batches: 60)
    try LMDBFile.check(path)
  }
}
