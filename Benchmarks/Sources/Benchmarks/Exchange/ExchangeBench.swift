import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMExchange
import SQLiteBackend

/// JSON, imports and exports: `Benchmarks exchange [ROWS] [REPETITIONS] [STEP ...]`.
///
/// Beside each step stands the way without this library: Foundation's coder, GRDB with it, a save of
/// models that are there already, and the import of the `sqlite3` command. The step `memory` imports a source that
/// is generated on the fly, and reports the peak of resident memory; name it alone, with its rows.
struct ExchangeBench {
  let rows: Int
  let repetitions: Int
  let names: [String]
  let output: Output
  let path: (String) -> String

  /// A step, with the bytes that it reads or writes.
  private struct Step {
    let name: String
    let bytes: Int
    var prepare: () throws -> Void = {}
    let run: () throws -> Void
  }

  func run() throws {
    if names == ["memory"] { return try memory() }
    let items = (0..<rows).map { BenchProduct(number: $0) }
    let lines = path("products.jsonl")
    let csv = path("products.csv")
    try write(to: lines) { BenchProduct(number: $0).json + "\n" }
    try write(to: csv, header: BenchProduct.header) { BenchProduct(number: $0).csv + "\n" }
    let text =
      Data("[".utf8) + Data(items.map(\.json).joined(separator: ",\n").utf8) + Data("]".utf8)
    output.say("\(rows) rows, JSON of \(text.count >> 20) MiB, medians of \(repetitions)\n")
    output.say("| step | wall | CPU | MB/s | bytes written |\n|---|--:|--:|--:|--:|")
    let steps =
      try decoding(text) + importing(items, lines, csv) + exporting(items)
    for step in steps where asks(for: step.name) {
      var times: [Time] = []
      var written = 0
      for _ in 0..<max(repetitions, 1) {
        try step.prepare()
        let before = Self.written
        let began = Time.now()
        let command = Self.commandTime
        try step.run()
        var time = Time.now().since(began, units: 1)
        time.cpu += Self.commandTime - command
        times.append(time)
        written = Self.written - before
      }
      let wall = times.map(\.wall).median ?? 0
      let cpu = times.map(\.cpu).median ?? 0
      let rate = wall > 0 ? Double(step.bytes) / wall / 1e6 : 0
      output.say(
        "| \(step.name) | \(readable(wall)) | \(readable(cpu)) | \(Int(rate)) | \(written) |")
    }
  }

  private func asks(for name: String) -> Bool {
    names.isEmpty || names.contains { name.contains($0) }
  }

  /// The bytes that this process has written.
  private static var written: Int {
    let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// The CPU time of commands that have ended.
  private static var commandTime: Double {
    var ticks = tms()
    _ = times(&ticks)
    return Double(ticks.tms_cutime + ticks.tms_cstime) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func write(
    to path: String, header: String? = nil, count: Int? = nil, _ line: (Int) -> String
  ) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    var text = header.map { $0 + "\n" } ?? ""
    for number in 0..<(count ?? rows) {
      text += line(number)
      if text.utf8.count > 1 << 20 {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  // MARK: - Steps

  private func decoding(_ text: Data) -> [Step] {
    let mapping = JSONMapping(BenchProduct.self)
    let codable = JSONMapping(CodableProduct.self)
    return [
      Step(name: "decode JSON (goal: 250 MB/s)", bytes: text.count) {
        guard try mapping.decode(text).count == rows else { throw Unexpected() }
      },
      Step(name: "decode JSON to models that are Codable alone", bytes: text.count) {
        guard try codable.decode(text).count == rows else { throw Unexpected() }
      },
      Step(name: "decode JSON with Foundation's JSONDecoder", bytes: text.count) {
        guard try JSONDecoder().decode([BenchProduct].self, from: text).count == rows else {
          throw Unexpected()
        }
      },
    ]
  }

  private func open(_ name: String) throws -> any Store {
    for suffix in ["", "-wal", "-shm", "-lock"] {
      try? FileManager.default.removeItem(atPath: path(name) + suffix)
    }
    let schema = try Schema(BenchProduct.self)
    return name.hasSuffix("lmdb")
      ? try LMDBStore(path: path(name), schema: schema)
      : try SQLiteStore(path: path(name), schema: schema)
  }

  private func importing(_ items: [BenchProduct], _ lines: String, _ csv: String) throws -> [Step] {
    var store: any Store = MemoryStore(schema: try Schema(BenchProduct.self))
    func fresh(_ name: String) -> () throws -> Void {
      {
        try? store.close()
        store = try open(name)
      }
    }
    func load(_ source: ImportFrom) throws {
      guard try store.import(BenchProduct.self, from: source).read == rows else {
        throw Unexpected()
      }
    }
    func loadByNames(_ source: ImportFrom) throws {
      guard try store.import(entity: "BenchProduct", from: source).read == rows else {
        throw Unexpected()
      }
    }
    let (lineBytes, csvBytes) = (size(lines), size(csv))
    var steps = [
      Step(name: "SQLite, batch save of models", bytes: lineBytes, prepare: fresh("a.sqlite")) {
        try store.save(items)
      },
      Step(
        name: "SQLite, import of JSON Lines (goal: 1.5 × the save)", bytes: lineBytes,
        prepare: fresh("a.sqlite")
      ) { try load(.jsonLines(.file(lines))) },
      Step(name: "SQLite, the same import again, unchanged", bytes: lineBytes) {
        try load(.jsonLines(.file(lines)))
      },
      Step(
        name: "GRDB, import of JSON Lines by JSONDecoder", bytes: lineBytes,
        prepare: { try? FileManager.default.removeItem(atPath: path("grdb.sqlite")) }
      ) {
        guard try GRDBProduct.load(lines, into: path("grdb.sqlite")) == rows else {
          throw Unexpected()
        }
      },
      Step(name: "SQLite, import of CSV", bytes: csvBytes, prepare: fresh("b.sqlite")) {
        try load(.csv(.file(csv)))
      },
      Step(name: "LMDB, batch save of models", bytes: lineBytes, prepare: fresh("a.lmdb")) {
        try store.save(items)
      },
      Step(
        name: "LMDB, import of JSON Lines", bytes: lineBytes, prepare: fresh("a.lmdb")
      ) { try load(.jsonLines(.file(lines))) },
      Step(name: "LMDB, the same import again, unchanged", bytes: lineBytes) {
        try load(.jsonLines(.file(lines)))
      },
      Step(
        name: "LMDB, import of CSV (goal: 100 MB/s)", bytes: csvBytes, prepare: fresh("b.lmdb")
      ) { try load(.csv(.file(csv))) },
    ]
    for (name, file) in [("SQLite", "n.sqlite"), ("LMDB", "n.lmdb")] {
      steps += [
        Step(
          name: "\(name), import of JSON Lines by names", bytes: lineBytes, prepare: fresh(file)
        ) { try loadByNames(.jsonLines(.file(lines))) },
        Step(name: "\(name), import of CSV by names", bytes: csvBytes, prepare: fresh(file)) {
          try loadByNames(.csv(.file(csv)))
        },
      ]
    }
    let command = "/usr/bin/sqlite3"
    if FileManager.default.isExecutableFile(atPath: command) {
      steps.append(
        Step(
          name: "sqlite3 .import of CSV", bytes: csvBytes,
          prepare: { try? FileManager.default.removeItem(atPath: path("c.sqlite")) }
        ) {
          let process = Process()
          process.executableURL = URL(fileURLWithPath: command)
          process.arguments = [
            path("c.sqlite"), "PRAGMA journal_mode = WAL",
            "CREATE TABLE p (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, "
              + "price REAL NOT NULL, stock INTEGER NOT NULL, isActive INTEGER NOT NULL, note TEXT)",
            ".mode csv", ".import --skip 1 \(csv) p",
          ]
          process.standardOutput = FileHandle.nullDevice
          try process.run()
          process.waitUntilExit()
        })
    }
    return steps
  }

  private func exporting(_ items: [BenchProduct]) throws -> [Step] {
    var store: (any Store)?
    func filled() throws -> any Store {
      if let store { return store }
      let new = try open("export.sqlite")
      try new.save(items)
      store = new
      return new
    }
    func export(_ name: String, _ target: ExportTo) -> Step {
      let bytes = name.contains("CSV") ? size(path("products.csv")) : size(path("products.jsonl"))
      return Step(name: name, bytes: bytes, prepare: { _ = try filled() }) {
        guard try filled().export(BenchProduct.all, to: target).records == rows else {
          throw Unexpected()
        }
      }
    }
    return [
      export("SQLite, export to JSON Lines (goal: 200 MB/s)", .jsonLines(path("out.jsonl"))),
      export("SQLite, export to JSON", .json(path("out.json"))),
      export("SQLite, export to CSV", .csv(path("out.csv"))),
    ]
  }

  // MARK: - Memory

  private func memory() throws {
    let lines = path("many.jsonl")
    try write(to: lines, count: rows) { BenchProduct(number: $0).json + "\n" }
    output.say("\(rows) lines of \(size(lines) >> 20) MiB\n")
    output.say("| import | wall | peak above the start | anonymous |\n|---|--:|--:|--:|")
    for name in ["many.sqlite", "many.lmdb"] {
      let store = try open(name)
      ProcessMemory.resetPeak()
      let (start, anonymous) = (ProcessMemory.now, ProcessMemory.anonymous)
      let began = Time.now()
      // The prune remembers every key.
      let most = LockedPeak()
      try store.import(BenchProduct.self, from: .jsonLines(.file(lines))) {
        $0.commit = .every(100_000)
        $0.prune = .missing(in: BenchProduct.where { $0.id < 0 })
        $0.progress = { _ in most.note(ProcessMemory.anonymous) }
      }
      let time = Time.now().since(began, units: 1)
      output.say(
        "| \(name) | \(readable(time.wall)) | \((ProcessMemory.peak - start) >> 20) MiB | "
          + "\((most.value - anonymous) >> 20) MiB |")
      try store.close()
    }
  }

  private struct Unexpected: Error {}
}

/// The largest of some numbers.
private final class LockedPeak: @unchecked Sendable {
  private let lock = NSLock()
  private var most = 0

  var value: Int { lock.withLock { most } }
  func note(_ number: Int) { lock.withLock { most = max(most, number) } }
}

/// A flat row, which reads and writes itself as the macro makes it.
struct BenchProduct: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var category: String
  var price: Double
  var stock: Int
  var isActive: Bool
  var note: String?

  static let entity = Entity<BenchProduct>("BenchProduct") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("category", \.category)
      .attribute("price", \.price)
      .attribute("stock", \.stock)
      .attribute("isActive", \.isActive)
      .attribute("note", \.note)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    category = try row[2]
    price = try row[3]
    stock = try row[4]
    isActive = try row[5]
    note = try row[6]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(category, at: 2)
    try row.write(price, at: 3)
    try row.write(stock, at: 4)
    try row.write(isActive, at: 5)
    try row.write(note, at: 6)
  }

  init(number: Int) {
    id = Int64(number) + 1
    name = "Product number \(number)"
    category = ["tools", "garden", "kitchen", "office supplies"][number % 4]
    price = Double(number % 10_000) / 4
    stock = number &* 7_919 % 1_000
    isActive = number % 3 != 0
    note = number % 5 == 0 ? nil : "A note of the usual length, \(number % 97)"
  }

  static let header = "id,name,category,price,stock,isActive,note"

  var json: String {
    "{\"id\":\(id),\"name\":\"\(name)\",\"category\":\"\(category)\",\"price\":\(price),"
      + "\"stock\":\(stock),\"isActive\":\(isActive),\"note\":"
      + (note.map { "\"\($0)\"" } ?? "null") + "}"
  }

  var csv: String {
    "\(id),\(name),\(category),\(price),\(stock),\(isActive)," + (note.map { "\"\($0)\"" } ?? "")
  }
}

/// The same row without a row initializer of its own.
struct CodableProduct: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var category: String
  var price: Double
  var stock: Int
  var isActive: Bool
  var note: String?

  static let entity = Entity<CodableProduct>("CodableProduct") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("category", \.category)
      .attribute("price", \.price)
      .attribute("stock", \.stock)
      .attribute("isActive", \.isActive)
      .attribute("note", \.note)
  }
}
