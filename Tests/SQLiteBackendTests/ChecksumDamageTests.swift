import Foundation
import ORM
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Files with a damaged byte whose rows have checksums: clause 7.3.
///
/// `STRATA_DAMAGED_FILES` files, 100 unless set.
@Suite struct ChecksumDamageTests {
  private let folder: TestFolder
  private let rows = (1...60).map { Entry.sample($0) }
  private let boxes = (1...60).map { Box($0) }
  private let shelves = [Shelf(id: 1, name: "shelf 1"), Shelf(id: 2, name: "shelf 2")]

  init() throws { folder = TestFolder(inMemory: true) }

  /// The outcome of all reads of a file.
  private struct Reads {
    var wrong: [String] = []
    /// True if each read gave all that it should.
    var isWhole = true

    /// Compares what a read gave with what it should give.
    mutating func add<Row: Equatable>(
      _ expected: [Row], _ isRight: (Row) -> Bool, _ read: () throws -> [Row]
    ) {
      guard let rows = try? read() else {
        isWhole = false
        return
      }
      wrong += rows.filter { !isRight($0) }.map { "\($0)" }
      if rows != expected { isWhole = false }
    }
  }

  private func open(_ path: String, _ checksums: Bool) throws -> SQLiteStore {
    var sqlite = SQLiteOptions()
    sqlite.checksums = checksums
    return try SQLiteStore(
      path: path, schema: Schema(Entry.self, Counter.self, Shelf.self, Box.self), sqlite: sqlite)
  }

  @Test("No damaged byte gives a wrong value, or lets check() call a damaged file sound")
  func damage() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let given = ProcessInfo.processInfo.environment["STRATA_DAMAGED_FILES"]
    let count = given.flatMap { Int($0) } ?? 100
    for checksums in [true, false] {
      let whole = folder.file("whole \(checksums)")
      let store = try open(whole, checksums)
      try store.insert(rows)
      try store.insert((1...100).map { Counter($0, value: $0 * 7) })
      try store.insert(shelves)
      try store.insert(boxes)
      try store.close()
      let content = try bytes(whole)
      var refused = 0, unsound = 0, wrong = 0, unseen = 0
      for number in 0..<(checksums ? count : count / 4) {
        var damaged = content
        let place = Int.random(in: 0..<content.count, using: &generator)
        damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
        let note = "seed \(seed), file \(number), byte \(place) is \(damaged[place])"
        let path = try folder.write(damaged, "damaged")
        defer {
          for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
          }
        }
        guard let store = try? open(path, checksums) else {
          refused += 1
          continue
        }
        let isSound = (try? store.check().isSound) ?? false
        if !isSound { unsound += 1 }
        let reads = read(store)
        if !reads.wrong.isEmpty { wrong += 1 }
        if isSound, !reads.isWhole { unseen += 1 }
        if checksums {
          #expect(reads.wrong.isEmpty, "\(note)")
          #expect(!isSound || reads.isWhole, "\(note): sound, and reads lack something")
        }
        try store.close()
      }
      print(
        "checksums \(checksums): \(refused) refused, \(unsound) found by check(), \(wrong) with",
        "wrong values, \(unseen) with wrong or missing values and a sound check")
    }
  }

  /// Reads rows by key, all at once, by conditions, as values and with their links.
  private func read(_ store: SQLiteStore) -> Reads {
    let entries = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    let known = Set(boxes)
    func isRight(_ row: Entry) -> Bool { entries[row.id] == row }
    func isRight(_ box: Box) -> Bool {
      known.contains(box) && box.shelf.loaded.map { $0.name == "shelf \($0.id)" } ?? true
    }
    var reads = Reads()
    for row in rows {
      reads.add([row], isRight) { try store.find(Entry.self, row.id).map { [$0] } ?? [] }
    }
    reads.add(rows, isRight) { try store.fetch(Entry.all) }
    reads.add(rows.filter { $0.group == 2 }, isRight) {
      try store.fetch(Entry.all.where { $0.group == 2 })
    }
    reads.add(rows.map(\.text), { text in rows.contains { $0.text == text } }) {
      try store.fetch(Entry.all.select(\.text))
    }
    reads.add((1...100).map { $0 * 7 }, { $0 % 7 == 0 && (7...700).contains($0) }) {
      try store.fetch(Counter.all.select(\.value))
    }
    // By key: land and number.
    let ordered = boxes.filter { $0.id.land == "IS" } + boxes.filter { $0.id.land == "NO" }
    for box in boxes {
      reads.add([box], isRight) { try store.find(Box.self, box.id).map { [$0] } ?? [] }
    }
    reads.add(ordered, isRight) {
      try store.fetch(Box.all.prefetch(\.shelf))
    }
    reads.add(ordered.filter { $0.tags.contains("tag 3") }, isRight) {
      try store.fetch(
        Box.all.where { $0.tags.contains("tag 3") })
    }
    reads.add([boxes[6]], isRight) {
      try store.fetch(Box.all.where { $0.name.beginsWith("BOX NUMBER 7", .caseInsensitive) })
    }
    reads.add(ordered.filter { $0.shelf.id == 1 } + ordered.filter { $0.shelf.id == 2 }, isRight) {
      try store.fetch(Shelf.all.prefetch(\.boxes)).flatMap { try $0.boxes.get() }
    }
    return reads
  }
}
