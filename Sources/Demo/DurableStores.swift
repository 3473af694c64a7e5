import Foundation
import LMDBBackend
import MemoryBackend
import StrataKit
import SQLiteBackend

/// The flights in a store of each kind, left for the command `strata` to ask.
struct DurableStores {
  /// The folder of the files.
  let folder: String

  /// Fills new stores; a file that is there already is an error, and stays as it is.
  func fill(from data: FlightData) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let schema = try Demo.schema()
    let paths = ["sqlite", "lmdb", "memory"].map { ($0, "\(folder)/flights.\($0)") }
    for (_, path) in paths where FileManager.default.fileExists(atPath: path) {
      throw StoreError(.invalidLocation, "\(path) exists already; name another folder")
    }
    let memory = MemoryStore(schema: schema)
    let stores: [any Store] = [
      try SQLiteStore(path: paths[0].1, schema: schema),
      try LMDBStore(path: paths[1].1, schema: schema), memory,
    ]
    for store in stores {
      for step in Scenario.imports(data) { _ = try step.run(store) }
    }
    try memory.write(to: paths[2].1)
    for store in stores { try store.close() }
    for (kind, path) in paths { print("\(kind):\(path)") }
  }
}
