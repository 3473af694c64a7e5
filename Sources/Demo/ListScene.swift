import Foundation
import MemoryBackend
import StrataKit

/// A scene in two processes: this one edits in a session, and another prints the changes of a list.
struct ListScene {
  private var editors: [ObjectIdentifier: ListEditor] = [:]

  /// Returns whether the watchers of all stores printed the same.
  static func run(in folder: URL) throws -> Bool {
    let stores: [(name: String, store: any Store, path: String?)] =
      try [
        ("memory", MemoryStore(schema: Demo.schema()), nil)
      ]
      + ["SQLite", "LMDB"].map { kind in
        let path = folder.appendingPathComponent("list.\(kind.lowercased())").path
        return (kind, try ListWatcher.open(kind, path), path)
      }
    var scene = ListScene()
    defer { for editor in scene.editors.values { editor.end() } }
    for (name, store, path) in stores {
      try store.insert([
        Airport(1, "Keflavik", "Iceland", altitude: 171),
        Airport(2, "Reykjavik", "Iceland", altitude: 48),
        Airport(3, "Oslo", "Norway", altitude: 681),
        Airport(4, "Bergen", "Norway", altitude: 170),
      ])
      scene.editors[ObjectIdentifier(store as AnyObject)] = ListEditor(store, name, path)
    }
    print("\none process edits airports in a session, another prints the changes of their list")
    print("(a store in memory has one process: there, a task prints them)\n")
    let isSame = try Comparison(stores: stores.map { ($0.name, $0.store) }).run(scene.steps())
    if isSame { print("\nthe lists of the other processes agree") }
    return isSame
  }

  private func steps() -> [Step] {
    [
      Step("watch the airports by country") { try editor($0).startWatcher() },
      edit("raise Reykjavik to 200 ft") { session in
        try airport(2, in: session).altitude = 200
      },
      edit("delete Oslo") { session in
        try session.delete(airport(3, in: session))
      },
      edit("undo that") { session in
        session.undo()
      },
      edit("insert EuroAirport, in Switzerland") { session in
        session.insert(Airport(5, "EuroAirport", "Switzerland", altitude: 885))
      },
      edit("delete Keflavik, undo, EuroAirport to France") { session in
        try session.delete(airport(1, in: session))
        session.undo()
        try airport(5, in: session).country = "France"
      },
      Step("the list in the end") { try editor($0).finish() },
    ]
  }

  /// Makes a step that edits and saves, and whose answer is the change that the watcher printed.
  private func edit(_ name: String, _ body: @escaping (Session) throws -> Void) -> Step {
    Step(name) { store in
      let editor = try editor(store)
      try body(editor.session)
      try editor.session.save()
      return try editor.nextLine()
    }
  }

  private func airport(_ id: Int64, in session: Session) throws -> Live<Airport> {
    guard let airport = try session.find(Airport.self, id) else {
      throw SceneFailure(description: "the session does not find airport \(id)")
    }
    return airport
  }

  private func editor(_ store: any Store) throws -> ListEditor {
    guard let editor = editors[ObjectIdentifier(store as AnyObject)] else {
      throw SceneFailure(description: "the scene has no editor of the store")
    }
    return editor
  }
}

/// A session on one store, and the watcher of the same store.
private final class ListEditor {
  let session: Session
  private let name: String
  private let path: String?
  private let process = Process()
  private let pipe = Pipe()
  private var unread = Data()

  /// Creates an editor; without a path, the watcher is a task of this process.
  init(_ store: any Store, _ name: String, _ path: String?) {
    session = Session(store)
    self.name = name
    self.path = path
  }

  /// Starts the watcher, and returns its first line: it then sees every commit.
  func startWatcher() throws -> String {
    if let path {
      process.executableURL = Bundle.main.executableURL
      process.arguments = [ListWatcher.argument, name, path]
      process.standardOutput = pipe
      try process.run()
      // The watcher then has the only writing end, so that its end is the end of its lines.
      try pipe.fileHandleForWriting.close()
    } else {
      let watcher = ListWatcher(store: session.store, output: pipe.fileHandleForWriting)
      Task {
        defer { try? watcher.output.close() }
        do { try await watcher.run() } catch { Demo.report("the watching task: \(error)") }
      }
    }
    return try nextLine()
  }

  /// Returns the next line of the watcher.
  func nextLine() throws -> String {
    guard let line = try readLine() else {
      throw SceneFailure(description: "\(name): the watcher ended before the scene")
    }
    return line
  }

  /// Waits for the end of the watcher, and returns its last line.
  func finish() throws -> String {
    let list = try nextLine()
    let rest = try readLine()
    if path != nil { process.waitUntilExit() }
    guard rest == nil, path == nil || process.terminationStatus == 0 else {
      throw SceneFailure(description: "\(name): the watcher did not end with the last list")
    }
    return list
  }

  /// Ends the watcher if it runs, and closes the store.
  func end() {
    if path != nil, process.isRunning { process.terminate() }
    try? session.store.close()
  }

  private func readLine() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let input = pipe.fileHandleForReading
      var state = pollfd(fd: input.fileDescriptor, events: Int16(POLLIN), revents: 0)
      if poll(&state, 1, Int32(ListWatcher.limit) * 1_000) == 0 {
        throw SceneFailure(description: "\(name): the watcher printed nothing in time")
      }
      let data = input.availableData
      if data.isEmpty { return nil }
      unread += data
    }
  }
}

/// A scene that did not go as it must.
private struct SceneFailure: Error, CustomStringConvertible {
  let description: String
}

extension Airport {
  fileprivate init(_ id: Int64, _ name: String, _ country: String, altitude: Int) {
    self.id = id
    self.name = name
    self.country = country
    self.altitude = altitude
    latitude = 0
    longitude = 0
  }
}
