import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import StoreModels
import Testing

/// The kinds of store that keep a file.
enum FileStore: String, CaseIterable, Sendable, CustomTestStringConvertible {
  /// Those that change their file in place.
  case sqlite, lmdb
  /// SQLite with checksums of rows.
  case checksums
  /// The memory store, which reads its image and writes it whole.
  case memory

  static let inPlace = [FileStore.sqlite, .lmdb]

  var kind: StoreKind {
    switch self {
    case .sqlite: .sqlite
    case .checksums: .sqliteWithChecksums
    case .lmdb: .lmdb
    case .memory: .memory
    }
  }

  /// True if the file is SQLite's.
  var isSQLite: Bool { self == .sqlite || self == .checksums }

  var testDescription: String { rawValue }

  /// The location of a file, as another process is told it.
  func location(_ path: String) -> String { "\(rawValue):\(path)" }

  /// Opens a file with the models of these tests.
  func open(
    _ path: String, _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    set(&options)
    return try StoreLocation(kind: kind, path: path)
      .open(schema: StoreModels.schema(), options: options)
  }

  /// Makes a closed file with the samples 1 to `count`, in which rows were also deleted, and gives
  /// its bytes.
  func makeSamples(_ count: Int64, at path: String) throws -> Data {
    let image = self == .memory ? MemoryStore(schema: try StoreModels.schema()) : nil
    let store = try image ?? open(path)
    try store.insert((1...count).map { Entry.sample($0) })
    try store.insert((0..<50).map { Entry(1_000, $0) })
    try store.delete(Entry.all.where { $0.group == 1_000 })
    try store.save(Counter(1, value: 7))
    try image?.write(to: path)
    try store.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }
}

/// The code of what `body` throws; nil when it throws nothing.
func code(_ body: () throws -> Void) -> StoreError.Code? {
  do {
    try body()
    return nil
  } catch let error as StoreError {
    return error.code
  } catch {
    Issue.record("not a StoreError: \(error)")
    return nil
  }
}

/// A new folder of one test, removed when it ends.
final class TestFolder: Sendable {
  let path: String

  /// Makes a folder; in memory, where syncs cost nothing, if asked and possible.
  init(inMemory: Bool = false) throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let isUsable = inMemory && FileManager.default.isWritableFile(atPath: memory.path)
    let parent = isUsable ? memory : FileManager.default.temporaryDirectory
    path = parent.appendingPathComponent("strata-store-" + UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes bytes as a file of the name, and gives its path.
  func write(_ bytes: Data, _ name: String) throws -> String {
    try bytes.write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

/// The bytes of a file.
func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

/// Numbers from a seed, the same on every machine (SplitMix64, by Steele, Lea and Flood).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
