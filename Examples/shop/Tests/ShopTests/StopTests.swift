import Foundation
import ORMExchange
import Synchronization
import Testing

@testable import Shop

/// The program as a process that is told to end.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StopTests {
  @Test("Under load and with a stream open, each answer is whole and the store is closed last")
  func underLoad() async throws {
    let file = try Self.storeFile()
    defer { Self.remove(file) }
    let server = try ServerProcess(store: "sqlite:\(file)")
    let port = try #require(await server.port())

    // A slow reader: the answer is larger than all buffers on its way, so it is open at the end.
    let stream = try #require(Connection(port: port, buffer: 16_384))
    #expect(stream.send("GET", "/items.jsonl"))
    #expect(stream.read(1_000))

    let reported = Mutex<Set<String>>([])
    let answers = await inThreads(8) { number -> [Connection.Answer] in
      guard let connection = Connection(port: port) else { return [.cut] }
      for row in 0..<10_000 {
        let id = "\(number)-\(row)"
        guard connection.send("POST", "/tags", #"{"id": "\#(id)"}"#) else { return [] }
        let answer = connection.answer()
        guard case .whole(status: 201, _) = answer else { return [answer] }
        let count = reported.withLock { reported in
          reported.insert(id)
          return reported.count
        }
        if count == 200 { server.terminate() }
      }
      return [.cut]
    }
    // A request that came too late had no byte of an answer.
    #expect(answers.flatMap(\.self).allSatisfy { $0 == .none })

    // The store is open as long as the stream is.
    #expect(server.isRunning)
    let answer = stream.answer()
    guard case .whole(status: 200, let body) = answer else {
      Issue.record("the stream was cut; the server's log: \(await server.log())")
      return
    }
    #expect(body.split(separator: "\n").count == Self.rows)
    #expect(await server.status() == 0)
    // Closing is what removes this file.
    #expect(!FileManager.default.fileExists(atPath: "\(file)-wal"))

    let store = try openStore(at: "sqlite:\(file)")
    let stored = try Set(await store.fetch(Shop.Tag.all).map(\.id))
    #expect(stored == reported.withLock { $0 })
    #expect(stored.count >= 200)
    try await store.close()
  }

  @Test("A reader that takes nothing more does not keep the process from its end")
  func stuckReader() async throws {
    let file = try Self.storeFile()
    defer { Self.remove(file) }
    let server = try ServerProcess(store: "sqlite:\(file)", graceSeconds: 1)
    let port = try #require(await server.port())
    let stream = try #require(Connection(port: port, buffer: 16_384))
    #expect(stream.send("GET", "/items.jsonl"))
    #expect(stream.read(1_000))
    server.terminate()
    #expect(await server.status() == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(file)-wal"))
    #expect(stream.answer() == .cut)
  }

  /// The number of items: as JSON Lines they are larger than all buffers between two programs.
  private static let rows = 60_000

  /// Makes a store with items in a file.
  private static func storeFile() throws -> String {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "shop_\(UUID().uuidString).sqlite").path
    let store = try openStore(at: "sqlite:\(file)")
    let padding = String(repeating: "x", count: 70)
    for first in stride(from: 1, through: rows, by: 5_000) {
      try store.insert(
        (first..<(first + 5_000)).map { Item(name: "\($0)\(padding)", price: 1) })
    }
    try store.close()
    return file
  }

  private static func remove(_ file: String) {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
  }
}

/// Runs a function on threads, and returns the results.
private func inThreads<Result: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> Result
) async -> [Result] {
  await withTaskGroup(of: Result.self) { group in
    for number in 0..<count {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread { continuation.resume(returning: body(number)) }
        }
      }
    }
    return await group.reduce(into: []) { $0.append($1) }
  }
}

/// A running server.
private final class ServerProcess: Sendable {
  private let process: Mutex<Process>
  private let lines: AsyncStream<String>
  private let ended: AsyncStream<Int32>

  init(store: String, graceSeconds: Int = 60) throws {
    let process = Process()
    // The products of a build are in one folder.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("Server")
    process.environment = ProcessInfo.processInfo.environment.merging([
      "STORE": store, "PORT": "0", "LOG_LEVEL": "info", "GRACE_SECONDS": "\(graceSeconds)",
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    let (lines, lineContinuation) = AsyncStream.makeStream(of: String.self)
    let (ended, endContinuation) = AsyncStream.makeStream(of: Int32.self)
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        lineContinuation.finish()
      } else {
        lineContinuation.yield(String(decoding: data, as: UTF8.self))
      }
    }
    process.terminationHandler = {
      endContinuation.yield($0.terminationStatus)
      endContinuation.finish()
    }
    try process.run()
    try output.fileHandleForWriting.close()
    self.process = Mutex(process)
    self.lines = lines
    self.ended = ended
  }

  deinit { process.withLock { if $0.isRunning { $0.terminate() } } }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  /// The port, once the server takes requests; nil if it ends before that.
  func port() async -> Int? {
    var text = ""
    for await line in lines {
      text += line
      if let match = text.firstMatch(of: #/listening on 127\.0\.0\.1:(\d+)/#) {
        return Int(match.1)
      }
    }
    return nil
  }

  /// The rest of the server's output, when it has ended.
  func log() async -> String {
    var text = ""
    for await line in lines { text += line }
    return text
  }

  /// Sends SIGTERM.
  func terminate() { process.withLock { $0.terminate() } }

  /// The status with which the process ended.
  func status() async -> Int32? {
    for await status in ended { return status }
    return nil
  }
}
