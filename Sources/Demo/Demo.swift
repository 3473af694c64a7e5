import Foundation
import LMDBBackend
import MemoryBackend
import StrataKit
import PostgresBackend
import SQLiteBackend

/// One scenario on several stores: the answers must agree.
@main
enum Demo {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == ListWatcher.argument { ListWatcher.watch(Array(arguments.dropFirst())) }
    let option = arguments.dropFirst().first
    guard let folder = arguments.first, arguments.count == (option == nil ? 1 : 3),
      [nil, "--keep", "--postgres"].contains(option)
    else {
      fail(
        "usage: Demo FOLDER [--keep TARGET | --postgres LOCATION] - FOLDER holds the five files of the "
          + "flights data set; with --keep, the stores are made in the folder TARGET and left there; "
          + "with --postgres, the scenario runs in a new namespace of that database too")
    }
    do {
      if option == "--keep" {
        try DurableStores(folder: arguments.last ?? "").fill(from: FlightData(folder: folder))
      } else {
        try run(on: folder, postgres: option.map { _ in arguments.last ?? "" })
      }
    } catch {
      fail("\(error)")
    }
  }

  static func schema() throws -> Schema {
    try Schema(Country.self, Airline.self, Airport.self, Route.self, Plane.self)
  }

  private static func run(on folder: String, postgres location: String?) throws {
    let data = try FlightData(folder: folder)
    print("\(data.rowCount) rows from \(folder)\n")
    let schema = try Self.schema()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-demo-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sqlitePath = folder.appendingPathComponent("demo.sqlite").path
    let lmdbPath = folder.appendingPathComponent("demo.lmdb").path
    let imagePath = folder.appendingPathComponent("demo.memory").path

    let memory = MemoryStore(schema: schema)
    let sqlite = try SQLiteStore(path: sqlitePath, schema: schema)
    let lmdb = try LMDBStore(path: lmdbPath, schema: schema)
    var stores: [(String, any Store)] = [("memory", memory), ("SQLite", sqlite), ("LMDB", lmdb)]
    let namespace = location.map {
      "\($0)\($0.contains("?") ? "&" : "?")namespace=strata_demo_\(UUID().uuidString.prefix(8))"
    }
    if let namespace { stores.append(("PostgreSQL", try PostgresStore(namespace, schema: schema))) }
    defer { if let namespace { try? PostgresStore.removeNamespace(of: namespace) } }
    let report = try Comparison(stores: stores).run(Scenario.steps(data))

    let copied = try LMDBStore(path: lmdbPath + ".copy", schema: schema)
    let began = ContinuousClock.now
    let digests = try StoreCopy(from: sqlite, to: copied).run()
    let took = ContinuousClock.now - began
    let time = Comparison.isTimed ? ": \(Comparison.text(took))" : ""
    print("\ncopy from SQLite to LMDB, verified by a digest of every row\(time)")
    for digest in digests {
      print("  \(digest.entity): \(digest.rows) rows, \(digest.text)")
    }
    try memory.write(to: imagePath)
    for (_, store) in stores { try store.close() }
    try copied.close()
    print("\nfiles:")
    for (name, path) in [("memory image", imagePath), ("SQLite", sqlitePath), ("LMDB", lmdbPath)] {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      print("  \(name): \((size?.intValue ?? 0) / 1024) KiB")
    }
    guard try ListScene.run(in: folder), report else { fail("\nthe stores disagree") }
    print("\nthe \(stores.count == 3 ? "three" : "four") stores agree in every answer")
  }

  static func fail(_ message: String) -> Never {
    report(message)
    exit(1)
  }

  static func report(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}

/// Runs steps on several stores and prints one table of answers, and of times where they were built
/// for speed.
struct Comparison {
  #if DEBUG
    /// True if the table has times: those of a build that was not optimized mean nothing.
    static let isTimed = false
  #else
    static let isTimed = true
  #endif

  let stores: [(name: String, store: any Store)]

  /// Returns whether all stores agreed in every step.
  func run(_ steps: [Step]) throws -> Bool {
    var agree = true
    let width = steps.reduce(4) { max($0, $1.name.count) } + 2
    print(Self.pad("step", width) + stores.map { Self.pad($0.name, 11) }.joined() + "answer")
    for step in steps {
      var answers: [String] = []
      var cells: [String] = []
      for (_, store) in stores {
        let began = ContinuousClock.now
        answers.append(try step.run(store))
        let took = ContinuousClock.now - began
        cells.append(
          Self.isTimed ? Self.text(took) : answers.last == answers.first ? "same" : "differs")
      }
      let isSame = Set(answers).count == 1
      agree = agree && isSame
      let answer = isSame ? answers[0] : "DIFFER: " + answers.joined(separator: " | ")
      print(Self.pad(step.name, width) + cells.map { Self.pad($0, 11) }.joined() + answer)
    }
    return agree
  }

  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    return String(format: "%.1f ms", milliseconds)
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
