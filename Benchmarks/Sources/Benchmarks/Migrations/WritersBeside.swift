import Foundation
import ORM
import Workloads

/// The latency of a writer in another process, alone and while an index is built.
struct WritersBeside {
  let contestant: MigrationContestant
  let output: Output

  func run(times: Int) throws {
    guard contestant.openBeside != nil else { return }
    for _ in 0..<times {
      let path = try contestant.copy()
      let child = Process()
      child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["migrations", "--beside", "\(contestant.scheme):\(path)"]
      let (input, lines) = (Pipe(), Pipe())
      child.standardInput = input
      child.standardOutput = lines
      try child.run()
      let alone = lines.fileHandleForReading.availableData
      let began = Time.now()
      let close = try contestant.run(path, .index)
      let wall = Time.now().since(began, units: 1).wall
      try input.fileHandleForWriting.close()
      let beside = lines.fileHandleForReading.readDataToEndOfFile()
      child.waitUntilExit()
      _ = try close?()
      output.say(
        "\(contestant.name): alone \(Self.text(alone)); beside an index of \(wall / 1e9) s "
          + Self.text(beside))
    }
  }

  private static func text(_ data: Data) -> String {
    String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Writes one row after another, two seconds alone, and then until the input ends; prints the latencies
  /// of both.
  static func write(_ location: String, _ output: Output) throws {
    let words = location.split(separator: ":", maxSplits: 1).map(String.init)
    let contestants = MigrationContestant.all { $0 }
    guard words.count == 2, let contestant = contestants.first(where: { $0.scheme == words[0] }),
      let open = contestant.openBeside
    else { throw Disagreement(description: "there is no store \(location)") }
    let store = try open(words[1])
    let end = InputEnd()
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      end.set()
    }
    var key: Int64 = 1
    let count = try Int64(store.read { try $0.count(DynamicQuery("Player")) })
    func measure(_ goesOn: (Duration) -> Bool) throws -> [Duration] {
      var times: [Duration] = []
      let start = ContinuousClock.now
      while goesOn(.now - start) {
        key = (key &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407) & .max
        let id = key >> 20 % count
        let began = ContinuousClock.now
        _ = try store.write {
          try $0.update(
            DynamicQuery("Player", where: .compare(.attribute("id"), .equal, .value(.int(id)), [])),
            ["score": .value(.int(key >> 40))])
        }
        times.append(.now - began)
        // A program that does nothing else would leave no time to any other writer.
        usleep(200)
      }
      return times
    }
    output.say(summary(try measure { $0 < .seconds(2) }))
    output.say(summary(try measure { _ in !end.isSet }))
    try store.close()
  }

  private static func summary(_ times: [Duration]) -> String {
    let sorted = times.sorted()
    guard let last = sorted.last else { return "no write" }
    func share(_ part: Double) -> String { text(sorted[Int(Double(sorted.count - 1) * part)]) }
    return "p50 \(share(0.5)), p99 \(share(0.99)), longest \(text(last)), \(times.count) writes"
  }

  private static func text(_ time: Duration) -> String {
    String(format: "%.2f ms", time / .milliseconds(1))
  }
}

/// True once the input has ended.
///
/// Unchecked: guarded by `lock`.
private final class InputEnd: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false

  var isSet: Bool { lock.withLock { value } }
  func set() { lock.withLock { value = true } }
}
