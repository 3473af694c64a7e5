import Foundation
import GRDB
import LMDBBackend
import ORM
import SQLiteBackend
import Workloads

/// A contestant that is opened many times on the same file.
struct FirstContestant {
  let name: String
  let folder: String
  private let make: (_ path: String) throws -> Open

  struct Open {
    let players: any PlayerOperations
    var close: () throws -> Void = {}
  }

  func open() throws -> Open {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try make(folder + "/rows")
  }

  /// Makes the system forget the pages of every file of the contestant, which is closed.
  func dropFromCache() throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let descriptor = Glibc.open(folder + "/" + file, O_RDONLY)
      guard descriptor >= 0 else { continue }
      defer { Glibc.close(descriptor) }
      // Only pages that are on the disk can be dropped.
      fsync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
  }

  static func all(path: (String) -> String) throws -> [FirstContestant] {
    let schema = try Schema(Player.self, PlainPlayer.self)
    func strata(_ store: any Store) -> Open {
      Open(players: StrataPlayers(store: store)) { try store.close() }
    }
    return [
      FirstContestant(name: "raw SQLite", folder: path("first-raw")) {
        Open(players: try RawSQLite(path: $0))
      },
      FirstContestant(name: "raw SQLite tuned", folder: path("first-tuned")) {
        Open(players: try RawSQLite(path: $0, pragmas: Entrants.tunedPragmas))
      },
      FirstContestant(name: "Strata SQLite", folder: path("first-sqlite")) {
        strata(try SQLiteStore(path: $0, schema: schema))
      },
      FirstContestant(name: "GRDB codable", folder: path("first-codable")) {
        let players = try GRDBPlayers(path: $0, CodablePlayer.self, CodablePlain.self)
        return Open(players: players) { try players.queue.close() }
      },
      FirstContestant(name: "GRDB stmt", folder: path("first-stmt")) {
        let players = try GRDBStatic(queue: $0)
        return Open(players: players) { try players.writer.close() }
      },
      FirstContestant(name: "raw LMDB", folder: path("first-raw-lmdb")) {
        Open(players: try RawLMDB(path: $0))
      },
      FirstContestant(name: "Strata LMDB", folder: path("first-lmdb")) {
        strata(try LMDBStore(path: $0, schema: schema))
      },
    ]
  }
}
