import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// How much memory streaming takes over what was resident before, and how much a row in a memory
/// store: `Benchmarks memory [ROWS] [NAME ...]`, each store in a process of its own.
///
/// Memory that no file backs is what a program has to find; pages of files that are mapped are the
/// engine's cache and the system's, which takes them back when it needs them.
struct MemoryBench {
  let rows: Int
  let output: Output
  let path: (String) -> String

  static let names = ["Strata SQLite", "Strata LMDB", "Strata memory"]
  private static let batch = 10_000

  /// Asks a child for each store.
  func run(_ names: [String], child: (String) throws -> [String: Int]) throws {
    var record = MemoryRecord(rows: rows, stores: names)
    for name in names { record.figures.append(try child(name)) }
    record.table.forEach(output.say)
    try output.write(record, as: "memory-\(rows)")
    try output.write(record.table.joined(separator: "\n"), as: "memory-\(rows).md")
  }

  /// Measures one store in this process, and prints the figures.
  func measure(_ name: String) async throws {
    let schema = try Schema(PlainPlayer.self)
    func open() throws -> any Store {
      switch name {
      case "Strata SQLite": try SQLiteStore(path: path("m.sqlite"), schema: schema)
      case "Strata LMDB": try LMDBStore(path: path("m.lmdb"), schema: schema)
      default: MemoryStore(schema: schema)
      }
    }
    var store = try open()
    ProcessMemory.resetPeak()
    let empty = ProcessMemory.anonymous
    try fill(store)
    if let memory = store as? MemoryStore {
      ProcessMemory.resetPeak()
      report(.held, ProcessMemory.anonymous - empty)
      try memory.write(to: path("m.image"))
      report(.encoded, try MemoryImage.encodedBytes(path("m.image")))
    } else {
      try await store.close()
      store = try open()
    }
    try await stream(store)
    try await store.close()
  }

  private func fill(_ store: any Store) throws {
    for first in stride(from: 1, through: rows, by: Self.batch) {
      try store.insert(
        (first...min(rows, first + Self.batch - 1)).map { PlainPlayer(PlayerData(id: Int64($0))) })
    }
  }

  private func stream(_ store: any Store) async throws {
    ProcessMemory.resetPeak()
    let before = (anonymous: ProcessMemory.anonymous, all: ProcessMemory.now)
    var most = before.anonymous
    var seen = 0
    var sum = 0
    let began = Time.now()
    for try await player in store.stream(PlainPlayer.all) {
      sum &+= player.data.checksum
      seen += 1
      if seen.isMultiple(of: 50_000) { most = max(most, ProcessMemory.anonymous) }
    }
    let took = Time.now().since(began, units: rows)
    guard seen == rows else { throw Disagreement(description: "\(seen) rows of \(rows)") }
    report(.streaming, most - before.anonymous)
    report(.streamingWithFiles, ProcessMemory.peak - before.all)
    report(.nanoseconds, Int(took.cpu * 1e9))
  }

  private func report(_ figure: MemoryRecord.Figure, _ number: Int) {
    output.say("\(figure.rawValue) \(number)")
  }
}
