import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Calls of the system that fail while a store is migrated: clauses 10.2 and 10.14.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct MigrationFaultTests {
  private static let tries =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 24

  @Test(
    "10.2, 10.14: whichever write or sync of a migration fails, the store is of one version, whole",
    arguments: FileStore.inPlace, ["write", "sync"])
  func faults(_ kind: FileStore, _ call: String) throws {
    let stores = try KilledMigrations(kind, .atomic)
    let shim = try SyncShim(stores.folder)
    let (log, printed) = try shim.run(
      [stores.command, kind.location(try stores.copy())], environment: ["LOG_WRITES": "1"])
    #expect(printed == ["opening", "opened", "ok"])
    let calls = log.count { $0.hasPrefix(call + " ") }
    let tries = min(calls, Self.tries)
    #expect(tries > 3)
    var codes: [String: Int] = [:]
    for number in 0..<tries {
      // The first and the last call are among them.
      let position = 1 + number * (calls - 1) / (tries - 1)
      for error in [EIO, ENOSPC] {
        for isLasting in [false, true] {
          let comment = "\(call) \(position) of \(calls), error \(error), lasting \(isLasting)"
          let path = try stores.copy()
          var environment = [
            "FAIL_CALL": call, "FAIL_AT": "\(position)", "FAIL_ERROR": "\(error)",
          ]
          if isLasting { environment["FAIL_ALL"] = "1" }
          let (_, printed) = try shim.run(
            [stores.command, kind.location(path)], environment: environment)
          let end = try #require(printed.last, "\(comment)")
          let answers: Set<String> = [
            "ok", "full", "inputOutput", "migrationFailed", "cannotOpen", "corrupt",
          ]
          #expect(answers.contains(end), "\(comment): \(printed)")
          codes[end, default: 0] += 1
          let isMigrated = try stores.isMigrated(path, byPlan: false, comment)
          #expect(isMigrated || !printed.contains("opened"), "\(comment): \(printed)")
          try stores.remove(path)
        }
      }
    }
    #expect(codes.keys.contains { $0 != "ok" })
    print("\(kind): \(4 * tries) failures of \(calls) calls of \(call): \(codes)")
  }
}
