import Foundation
import ORM
import PostgresBackend

/// A PostgreSQL server, through the store and through calls of libpq written by hand.
///
/// `STRATA_POSTGRES` names the database, in which two namespaces are made and dropped. Client CPU time
/// counts; the server's is not in it.
struct PostgresBench {
  let rows: Int
  let repetitions: Int
  let output: Output

  private struct Work {
    let name: String
    let units: Int
    let raw: () throws -> Int
    let strata: () async throws -> Int
  }

  func run() async throws {
    guard let location = ProcessInfo.processInfo.environment["STRATA_POSTGRES"] else {
      return output.say("STRATA_POSTGRES names no PostgreSQL server")
    }
    let name = "strata_bench_\(ProcessInfo.processInfo.processIdentifier)"
    let raw = try RawPostgres(location, namespace: name + "_raw")
    let own = location + (location.contains("?") ? "&" : "?") + "namespace=\(name)"
    let store = try PostgresStore(own, schema: Schema(Reading.self))
    var lines = [
      "| workload | by hand: CPU | wall | Strata: CPU | wall | CPU ratio | requests by hand |",
      "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for work in works(raw, store) { lines.append(try await line(work, raw)) }
    lines.forEach(output.say)
    try output.write(lines.joined(separator: "\n"), as: "postgres-\(rows).md")
    try await store.close()
    for each in [name, name + "_raw"] { try raw.run("DROP SCHEMA \"\(each)\" CASCADE") }
    raw.close()
  }

  private func line(_ work: Work, _ raw: RawPostgres) async throws -> String {
    var times: [[Time]] = [[], []]
    var trips = 0
    for repetition in 0...repetitions {
      trips = raw.trips
      var began = Time.now()
      let first = try work.raw()
      let byHand = Time.now().since(began, units: work.units)
      trips = raw.trips - trips
      began = Time.now()
      let second = try await work.strata()
      let ours = Time.now().since(began, units: work.units)
      guard first == second else {
        throw Disagreement(description: "\(work.name): \(first), \(second)")
      }
      // The first repetition warms caches and is not counted.
      if repetition > 0 { times[0].append(byHand); times[1].append(ours) }
    }
    let cpu = times.map { $0.map(\.cpu).median ?? 0 }
    let wall = times.map { $0.map(\.wall).median ?? 0 }
    let ratio = String(format: "%.2f", cpu[1] / cpu[0])
    return "| \(work.name) | \(readable(cpu[0])) | \(readable(wall[0])) | \(readable(cpu[1])) "
      + "| \(readable(wall[1])) | \(ratio) | \(trips) |"
  }

  private func works(_ raw: RawPostgres, _ store: PostgresStore) -> [Work] {
    let all = (1...Int64(rows)).map { Reading($0) }
    let finds = 2_000
    let saves = 200
    let step = max(1, rows / finds)
    // Half of the rows are new, a quarter changed and a quarter left.
    var round: Int64 = 0
    let batch = min(rows, 10_000)
    func mixed(_ round: Int64) -> [Reading] {
      (0..<Int64(batch)).map { place in
        place % 2 == 0
          ? Reading(Int64(rows) * (round + 2) + place)
          : Reading(place, round: place % 4 == 1 ? round : 0)
      }
    }
    var written: Int64 = 1_000_000_000
    return [
      Work(name: "insert of \(rows) rows, a row", units: rows) {
        try raw.run("TRUNCATE \(raw.table)")
        try raw.insert(all)
        return all.count
      } strata: {
        try store.deleteAll(Reading.self)
        return try store.insert(all).counts.inserted
      },
      Work(name: "find by key", units: finds) {
        try (0..<finds).count { try raw.find(Int64($0 * step + 1))?.level ?? -1 >= 0 }
      } strata: {
        try (0..<finds).count {
          try store.find(Reading.self, Int64($0 * step + 1))?.level ?? -1 >= 0
        }
      },
      Work(name: "find by key in one read block", units: finds) {
        try (0..<finds).count { try raw.find(Int64($0 * step + 1))?.level ?? -1 >= 0 }
      } strata: {
        try store.read { transaction in
          try (0..<finds).count {
            try transaction.find(Reading.self, Int64($0 * step + 1))?.level ?? -1 >= 0
          }
        }
      },
      Work(name: "scan of eight columns, a row", units: rows) {
        try raw.scan().reduce(0) { $0 &+ Int($1.level) &+ $1.name.utf8.count }
      } strata: {
        try store.fetch(Reading.all.sorted(by: .ascending(\.id)))
          .reduce(0) { $0 &+ Int($1.level) &+ $1.name.utf8.count }
      },
      Work(name: "sum of doubles (by hand inexact), a row", units: rows) {
        Int(try raw.sum().rounded())
      } strata: {
        Int(try store.sum(Reading.all, \.value).rounded())
      },
      Work(name: "upsert with counts, a row", units: batch) {
        round += 1
        let counts = try raw.upsert(mixed(round))
        return counts[0] * 3 + counts[1] * 2 + counts[2]
      } strata: {
        let counts = try store.save(mixed(round)).counts
        return counts.inserted * 3 + counts.updated * 2 + counts.unchanged
      },
      Work(name: "save of one object", units: saves) {
        for number in 0..<saves { try raw.save(Reading(Int64(number + 1), round: round)) }
        round += 1
        return saves
      } strata: {
        for number in 0..<saves {
          try store.save(Reading(Int64(number + 1), round: round))
        }
        return saves
      },
      Work(name: "64 tasks that save (by hand one after another), a save", units: 640) {
        for number in 0..<640 { try raw.save(Reading(written + Int64(number))) }
        return 640
      } strata: {
        let first = written
        written += 640
        return try await withThrowingTaskGroup(of: Int.self) { group in
          for task in 0..<64 {
            group.addTask {
              for number in 0..<10 {
                try await store.save(Reading(first + Int64(task * 10 + number)))
              }
              return 10
            }
          }
          return try await group.reduce(0, +)
        }
      },
    ]
  }
}
