import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// The workloads of relationships.
struct GraphBench {
  let members: Int
  let repetitions: Int
  let names: [String]
  let path: (String) -> String

  private let size = 20
  private let tags = 100

  init(members: Int, repetitions: Int, names: [String], path: @escaping (String) -> String) {
    self.members = members
    self.repetitions = repetitions
    self.names = names
    self.path = path
  }

  func run() throws {
    let contestants = try self.contestants()
    let measurement = Measurement(contestants: contestants, repetitions: repetitions)
    Benchmarks.say(
      "\(members / size) clubs of \(size) members, medians of \(repetitions) interleaved "
        + "repetitions, CPU time\n")
    Benchmarks.say("| workload | unit | " + contestants.map(\.name).joined(separator: " | ") + " |")
    Benchmarks.say("|---|---|" + contestants.map { _ in "--:|" }.joined())
    for workload in workloads() {
      let times = try measurement.measure(workload)
      let cells = times.enumerated().map { index, time in
        index == 0 ? readable(time) : String(format: "%.2f ×", time / times[0])
      }
      Benchmarks.say(
        "| \(workload.name) | \(workload.unit) | " + cells.joined(separator: " | ") + " |")
    }
    try measureGraphSave()
  }

  private func schema() throws -> Schema { try Schema(Club.self, Member.self, Tag.self) }

  private func contestants() throws -> [(name: String, value: any GraphContestant)] {
    let all: [(String, () throws -> any GraphContestant)] = [
      ("raw SQLite", { try RawSQLiteGraph(path: path("raw.sqlite")) }),
      (
        "Strata SQLite",
        {
          StrataGraph(
            name: "Strata SQLite",
            store: try SQLiteStore(path: path("s.sqlite"), schema: schema()))
        }
      ),
      ("GRDB", { try GRDBGraph(path: path("g.sqlite")) }),
      (
        "Strata LMDB",
        {
          StrataGraph(
            name: "Strata LMDB", store: try LMDBStore(path: path("s.lmdb"), schema: schema()))
        }
      ),
      (
        "Strata memory",
        { StrataGraph(name: "Strata memory", store: MemoryStore(schema: try schema())) }
      ),
    ]
    return try all.filter { name, _ in
      names.isEmpty || names.contains { name.contains($0) }
    }.map { ($0.0, try $0.1()) }
  }

  private func workloads() -> [Workload<any GraphContestant>] {
    let clubs = members / size
    let fill: (any GraphContestant) throws -> Void = {
      try $0.fill(clubs: clubs, size: size, tags: tags)
    }
    return [
      Workload(
        name: "prefetch as a graph", unit: "object", units: members, prepare: fill,
        run: { contestant, _ in try contestant.prefetch() }),
      Workload(
        name: "load a to-many for all clubs", unit: "object", units: members,
        run: { contestant, _ in try contestant.load(Array(1...Int64(clubs))) }),
      Workload(
        name: "count with any", unit: "club", units: clubs,
        run: { contestant, _ in try contestant.countAny(age: 75) }),
      Workload(
        name: "attach many-to-many", unit: "link", units: clubs * tags, prepare: fill,
        run: { contestant, _ in try contestant.attach(clubs: clubs, tags: tags) }),
      Workload(
        name: "delete with a cascade", unit: "member", units: members, prepare: fill,
        run: { contestant, _ in try contestant.deleteClubs() }),
    ]
  }

  /// The peak memory while one club is saved with 100,000 members, in a store of each kind.
  private func measureGraphSave() throws {
    let count = 100_000
    var club = Club(id: 1, name: "one")
    club.members = ToMany(
      (1...Int64(count)).map {
        Member(id: $0, name: GraphData.memberName($0), age: GraphData.age($0))
      })
    Benchmarks.say("\nsaving a graph of \(count) objects:")
    let before = residentBytes()
    Benchmarks.say("  the graph itself in memory, with the program: \(before / 1_048_576) MiB")
    for (name, store) in [
      ("SQLite", try SQLiteStore(path: path("graph.sqlite"), schema: schema()) as any Store),
      ("LMDB", try LMDBStore(path: path("graph.lmdb"), schema: schema())),
    ] {
      let began = cpuTime()
      try store.write { tx in
        _ = try tx.save(club)
      }
      let took = cpuTime() - began
      Benchmarks.say(
        "  \(name): \(readable(took / Double(count))) an object, peak of the process "
          + "\(peakBytes() / 1_048_576) MiB")
      try store.shut()
    }
  }
}

/// The resident memory of this process.
private func residentBytes() -> Int { status("VmRSS") }
/// The most resident memory that this process had.
private func peakBytes() -> Int { status("VmHWM") }

private func status(_ name: String) -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
  let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  return (number ?? 0) * 1024
}
