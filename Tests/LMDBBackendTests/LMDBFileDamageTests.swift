import Foundation
import StoreModels
import TestSupport
import Testing

/// Thousands of damaged LMDB files, each written to by every operation: clause 7.3.
@Suite struct LMDBFileDamageTests {
  private let folder: TestFolder
  private let count: Int64 = 300

  init() throws { folder = TestFolder(inMemory: true) }

  /// The outcomes of the files of one kind of damage.
  private struct Outcome: CustomStringConvertible {
    var files = 0, refused = 0, unsound = 0, writesRefused = 0, untouched = 0
    var description: String {
      "\(files) files: \(refused) refused at opening, \(unsound) found by check, "
        + "\(writesRefused) refused to be written, \(untouched) not hurt"
    }
  }

  @Test(
    "7.3 no operation on a damaged file ends the process, hangs, or takes a wrong value for sound",
    arguments: ["closed", "open"])
  func everyOperation(_ timestamp: String) throws {
    let seed = runSeed()
    let given = ProcessInfo.processInfo.environment["STRATA_DAMAGED_FILES"]
    let files = given.flatMap { Int($0) } ?? 120
    let content = try FileStore.lmdb.makeSamples(count, at: folder.file("sound"))
    var outcomes: [String: Outcome] = [:]
    for first in stride(from: 0, to: files, by: 50) {
      let batch = TestFolder(inMemory: true)
      let paths = try (first..<min(first + 50, files)).map { try batch.write(content, "\($0)") }
      let list = try batch.write(Data(paths.map { $0 + "\n" }.joined().utf8), "list")
      let helper = try HelperProcess.store(
        ["damage", "lmdb", "\(count)", timestamp, "\(seed &+ UInt64(first))"], input: list,
        limit: 120)
      var lines = helper.lines()
      #expect(
        helper.exits(), "a signal, or the watchdog: seed \(seed), file \(first + lines.count)")
      if lines.last == "ok" { lines.removeLast() }
      #expect(lines.count == paths.count, "seed \(seed), file \(first + lines.count)")
      for (number, line) in lines.enumerated() {
        note(line, "seed \(seed), file \(first + number): \(line)", in: &outcomes)
      }
    }
    for (kind, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      print("LMDB damaged while \(timestamp), \(kind):", outcome)
    }
  }

  @Test("7.3 rows that a damaged branch page hides from searches are found by the check")
  func hiddenRows() throws {
    // The damage of this seed puts the keys of a branch page out of order.
    let content = try FileStore.lmdb.makeSamples(count, at: folder.file("sound"))
    let path = try folder.write(content, "hidden")
    let list = try folder.write(Data((path + "\n").utf8), "list")
    let helper = try HelperProcess.store(
      ["damage", "lmdb", "\(count)", "open", "2026112781"], input: list)
    #expect(helper.line()?.hasPrefix("bytes unsound 0 ") == true)
    #expect(helper.lines() == ["ok"])
  }

  @Test("7.3 a meta page with any number for the newest commit ends no process")
  func numberOfTheNewestCommit() throws {
    // The damage of this seed makes the number of the file's sixteenth copy greater than Int.max.
    let content = try FileStore.lmdb.makeSamples(count, at: folder.file("sound"))
    let paths = try (0..<16).map { try folder.write(content, "\($0)") }
    let list = try folder.write(Data(paths.map { $0 + "\n" }.joined().utf8), "list")
    let helper = try HelperProcess.store(
      ["damage", "lmdb", "\(count)", "open", "2026112741"], input: list, limit: 120)
    let lines = helper.lines()
    #expect(helper.exits())
    #expect(lines.count == 17)
    #expect(lines.last == "ok")
  }

  private func note(_ line: String, _ note: String, in outcomes: inout [String: Outcome]) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 3 else {
      Issue.record("\(note)")
      return
    }
    var outcome = outcomes[words[0], default: Outcome()]
    defer { outcomes[words[0]] = outcome }
    outcome.files += 1
    if words[1] == "refused" {
      outcome.refused += 1
      #expect(["corrupt", "notADatabase", "unsupportedVersion"].contains(words[2]), "\(note)")
      return
    }
    let codes = words.dropFirst(3)
    // A page that is reached twice gives its rows twice; then the check has found it.
    let isTwice = words[1] == "unsound" ? "copy:duplicate" : ""
    #expect(codes.allSatisfy { $0.hasSuffix(":corrupt") || $0 == isTwice }, "\(note)")
    if words[1] == "unsound" {
      outcome.unsound += 1
    } else {
      #expect(words[2] == "0", "\(note)")
    }
    if !codes.isEmpty { outcome.writesRefused += 1 }
    if words[1] == "sound" && codes.isEmpty { outcome.untouched += 1 }
  }
}
