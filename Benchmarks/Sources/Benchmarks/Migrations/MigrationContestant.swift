import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// A contestant whose file is copied for each opening that changes it.
struct MigrationContestant {
  let name: String
  let folder: String
  /// Makes a file with rows.
  let make: (_ path: String, Rows) throws -> Void
  /// Opens a file and changes it; nil if the contestant has no such work.
  ///
  /// The result gives the sum of the scores, and closes the file.
  let run: (_ path: String, MigrationWork) throws -> (() throws -> Double)?
  /// The time at which the last part began of the run before; nil if there is none.
  var lastPart: () -> Time? = { nil }
  /// Opens and closes a copy, so that it is as a program has left it.
  ///
  /// A copied file of LMDB is verified page by page when it is opened first.
  var settle: (_ path: String) throws -> Void = { _ in }
  /// Opens a file to write to it; nil if no other process may.
  var openBeside: ((_ path: String) throws -> any Store)?
  /// The word for the contestant in the arguments of another process.
  var scheme: String { name.replacingOccurrences(of: " ", with: "-") }

  func prepare(_ rows: Rows) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/original", withIntermediateDirectories: true)
    try make(folder + "/original/rows", rows)
  }

  /// Copies the file; gives the path of the copy.
  func copy() throws -> String {
    try? FileManager.default.removeItem(atPath: folder + "/copy")
    try FileManager.default.copyItem(atPath: folder + "/original", toPath: folder + "/copy")
    try settle(folder + "/copy/rows")
    return folder + "/copy/rows"
  }

  static func all(path: (String) -> String) -> [MigrationContestant] {
    [
      MigrationContestant(
        name: "raw SQLite", folder: path("migrations-raw"), make: RawMigrations.makeSQLite,
        run: RawMigrations.runSQLite),
      strata("Strata SQLite", path("migrations-sqlite")) {
        try SQLiteStore(path: $0, schema: $1, options: $2)
      },
      MigrationContestant(
        name: "GRDB", folder: path("migrations-grdb"), make: GRDBMigrations.make,
        run: GRDBMigrations.run),
      MigrationContestant(
        name: "raw LMDB", folder: path("migrations-raw-lmdb"), make: RawMigrations.makeLMDB,
        run: RawMigrations.runLMDB),
      strata("Strata LMDB", path("migrations-lmdb")) {
        try LMDBStore(path: $0, schema: $1, options: $2)
      },
      // The image is read at each opening; nothing is written back.
      strata("Strata memory", path("migrations-memory")) { path, schema, options in
        FileManager.default.fileExists(atPath: path)
          ? try MemoryStore(schema: schema, contentsOf: path, options: options)
          : MemoryStore(schema: schema, options: options)
      },
    ]
  }

  private static func strata(
    _ name: String, _ folder: String,
    _ open: @escaping (String, Schema, StoreOptions) throws -> any Store
  ) -> MigrationContestant {
    let lastPart = LastPart()
    func store(_ path: String, _ work: MigrationWork) throws -> any Store {
      var options = StoreOptions()
      options.writerWait = .seconds(600)
      if work == .indexAtOnce { options.migration.onlineIndexRows = .max }
      // The time of a disk is not what is compared; the others wait for none either.
      options.durability = .off
      options.migration.backup = .none
      options.migration.mode = work.isInParts ? .resumable : .atomic
      if work == .lastPart { options.onSchemaEvent = lastPart.note }
      if let plan = work.plan { options.schemaPolicy = .migrate(plan) }
      return try open(path, work.schema(), options)
    }
    func make(_ path: String, _ rows: Rows) throws {
      let store = try store(path, .open)
      for first in stride(from: 0, to: rows.count, by: 10_000) {
        let players = rows.players[first..<min(first + 10_000, rows.count)]
        try store.write { _ = try $0.insert(players.map(\.dynamicRow)) }
      }
      try (store as? MemoryStore)?.write(to: path)
      try store.close()
    }
    func run(_ path: String, _ work: MigrationWork) throws -> (() throws -> Double)? {
      lastPart.began = nil
      let store = try store(path, work)
      return {
        let (entity, attribute) = work.scores
        let sum = try store.read {
          try $0.aggregate(DynamicQuery(entity), Aggregate(.sum, .attribute(attribute)))
        }
        try store.close()
        switch sum {
        case .int(let sum): return Double(sum)
        case .double(let sum): return sum
        default: return .nan
        }
      }
    }
    return MigrationContestant(
      name: name, folder: folder, make: make, run: run, lastPart: { lastPart.began },
      settle: { try store($0, .open).close() },
      openBeside: name == "Strata memory" ? nil : { try store($0, .open) })
  }
}

/// The time of the newest commit after which others follow.
///
/// Unchecked: stores are opened on one thread, which reports the events.
private final class LastPart: @unchecked Sendable {
  var began: Time?

  func note(_ event: SchemaEvent) {
    if case .progress = event { began = .now() }
  }
}

extension PlayerData {
  fileprivate var dynamicRow: DynamicRow {
    DynamicRow(
      "Player",
      [
        "id": .int(id), "name": .string(name), "team": team.map { .int($0) } ?? .null,
        "score": .int(score), "rating": .double(rating), "country": .string(country),
        "isActive": .bool(isActive), "note": note.map { .string($0) } ?? .null,
      ])
  }
}
