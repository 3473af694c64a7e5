package import Foundation
import LMDBBackend
import MemoryBackend
package import ORM
import SQLiteBackend

/// The kinds of store that keep a file.
package enum FileStore: String, CaseIterable, Sendable, CustomStringConvertible {
  /// Those that change their file instead of replacing it.
  case sqlite, lmdb
  /// SQLite with checksums of rows.
  case checksums
  /// The memory store, which reads its image and writes it whole.
  case memory

  package static let inPlace = [FileStore.sqlite, .lmdb]

  package var kind: StoreKind {
    switch self {
    case .sqlite: .sqlite
    case .checksums: .sqliteWithChecksums
    case .lmdb: .lmdb
    case .memory: .memory
    }
  }

  /// True if the file is SQLite's.
  package var isSQLite: Bool { self == .sqlite || self == .checksums }

  package var description: String { rawValue }

  /// The location of a file, as another process gets it.
  package func location(_ path: String) -> String { "\(rawValue):\(path)" }

  /// Opens a file with the models of these tests.
  package func open(
    _ path: String, _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    set(&options)
    return try StoreLocation(kind: kind, path: path)
      .open(schema: StoreModels.schema(), options: options)
  }

  /// Makes a closed file with the samples 1 to `count`, in which rows were also deleted, and gives
  /// its bytes.
  package func makeSamples(_ count: Int64, at path: String) throws -> Data {
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
