import Foundation
import ORM
import ORMMigrations
import PostgresBackend
import StoreModels
import TestSupport
import Testing

/// Programs that write while another migrates the store on a server: clause 10.19.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresOnlineMigrationTests {
  private let namespace = PostgresNamespace()

  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 4

  private func open(version: Int, hasManyWriters: Bool = false) throws -> PostgresStore {
    var server = PostgresOptions()
    if hasManyWriters { server.writers = .manyWriters(maximum: 4, attempts: 50) }
    return try PostgresStore(
      namespace.location(), schema: Albums.schema(version: version), postgres: server)
  }

  private func helper(isStepped: Bool) throws -> HelperProcess {
    let helper = try HelperProcess.store(
      ["migrate-online", namespace.location(), isStepped ? "stepped" : "free"], limit: 300)
    #expect(helper.line() == "opening")
    return helper
  }

  private func expectEnd(_ writer: inout AlbumWriter<SeededGenerator>) throws {
    do {
      try writer.write()
      Issue.record("a program of before has written")
    } catch let error as StoreError { #expect(error.code == .schemaTooNew) }
    try writer.store.close()
    let new = try open(version: 2)
    #expect(try writer.differences(new, version: 2) == [])
    try new.write { tx in
      try tx.insert([
        DynamicRow("Artist", ["title": .string("new"), "born": .int(1), "note": .string("")])
      ])
      let isNew = Condition.compare(.attribute("title"), .equal, .value(.string("new")), [])
      guard case .int(let key)? = try tx.fetch(DynamicQuery("Artist", where: isNew)).first?["id"]
      else {
        Issue.record("the row has no key")
        return
      }
      #expect(key > writer.greatestKey)
    }
    try new.close()
    #expect(
      try PostgresServer.psql(
        "SELECT proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
          + "WHERE n.nspname = '\(namespace.name)'") == [])
  }

  @Test(
    "10.19: what is written between the transactions of a migration is in the migrated store",
    arguments: [false, true])
  func stepped(_ hasManyWriters: Bool) throws {
    var generator = SeededGenerator.printed("stepped \(hasManyWriters)")
    let old = try open(version: 1, hasManyWriters: hasManyWriters)
    var writer = try AlbumWriter(filling: old, generator)
    let helper = try helper(isStepped: true)
    var steps = 0
    var line = helper.line()
    while line == "progress" {
      steps += 1
      for _ in 0..<Int.random(in: 0...3, using: &generator) { try writer.write() }
      if steps % 16 == 0 { #expect(try writer.differences(old, version: 1) == []) }
      if steps == 5 {
        // A statement of the server's own is seen too.
        _ = try PostgresServer.psql(
          "UPDATE \"\(namespace.name)\".\"Artist\" SET note = note || ''")
      }
      try helper.send()
      line = helper.line()
    }
    #expect(line == "opened")
    #expect(helper.lines() == ["ok"])
    #expect(steps > 20)
    try expectEnd(&writer)
  }

  @Test(
    "10.19: a program writes all the time while another migrates the store",
    arguments: [false, true])
  func free(_ hasManyWriters: Bool) throws {
    let generator = SeededGenerator.printed("free \(hasManyWriters)")
    let old = try open(version: 1, hasManyWriters: hasManyWriters)
    var writer = try AlbumWriter(filling: old, generator, count: 1_500)
    let helper = try helper(isStepped: false)
    while helper.isRunning {
      do { try writer.write() } catch let error as StoreError where error.code == .schemaTooNew {
        break
      }
    }
    #expect(helper.lines() == ["opened", "ok"])
    print("\(writer.count) transactions beside")
    try expectEnd(&writer)
  }

  @Test("10.19: many writers of a program write at once while another migrates the store")
  func together() throws {
    let old = try open(version: 1, hasManyWriters: true)
    let generator = SeededGenerator.printed("together")
    _ = try AlbumWriter(filling: old, generator, count: 1_500)
    let before = try old.read { try $0.count(DynamicQuery("Artist")) }
    let names = SharedList<String>()
    let errors = SharedList<String>()
    let writers = DispatchGroup()
    for writer in 0..<4 {
      writers.enter()
      Thread.detachNewThread {
        defer { writers.leave() }
        // Each needs a generated key. With more rows than a part takes, a migration of the smallest parts
        // would not come to the end.
        for number in 0..<100 {
          usleep(10_000)
          let name = "together \(writer) \(number)"
          do {
            try old.write { transaction in
              try transaction.insert([
                DynamicRow("Artist", ["name": .string(name), "note": .string("")])
              ])
            }
            names.add(name)
          } catch let error as StoreError where error.code == .schemaTooNew {
            return
          } catch let error as StoreError where error.code == .contended {
            // A block has a number of runs.
            continue
          } catch {
            errors.add("\(error)")
            return
          }
        }
      }
    }
    let helper = try helper(isStepped: false)
    #expect(helper.lines() == ["opened", "ok"])
    writers.wait()
    #expect(errors.all == [])
    try old.close()
    let new = try open(version: 2)
    let found = try new.read { try $0.fetch(DynamicQuery("Artist")) }.compactMap {
      if case .string(let title) = $0["title"], title.hasPrefix("together") { title } else { nil }
    }
    #expect(found.sorted() == names.all.sorted())
    #expect(try new.read { try $0.count(DynamicQuery("Artist")) } == before + found.count)
    print("\(found.count) transactions of many writers beside a migration")
    #expect(try new.check().isSound)
    try new.close()
  }

  @Test("10.19: a migration that is killed goes on with what was written since")
  func killed() throws {
    var generator = SeededGenerator.printed("killed")
    var writer = try AlbumWriter(filling: open(version: 1), generator)
    var line: String?
    for number in 0... {
      let helper = try helper(isStepped: true)
      let most = number < Self.kills ? Int.random(in: 0...25, using: &generator) : .max
      var steps = 0
      line = helper.line()
      while line == "progress", steps < most {
        steps += 1
        if Bool.random(using: &generator) { try writer.write() }
        try helper.send()
        line = helper.line()
      }
      if line != "progress" {
        #expect(helper.lines() == ["ok"])
        break
      }
      helper.kill()
      for _ in 0..<3 { try writer.write() }
      #expect(try writer.differences(writer.store, version: 1) == [], "kill \(number)")
    }
    #expect(line == "opened")
    try expectEnd(&writer)
  }

  @Test("10.19: keys too long for an entry of an index are listed, and all that TRUNCATE removes")
  func statements() throws {
    let old = try open(version: 1)
    _ = try AlbumWriter(filling: old, SeededGenerator.printed("statements"))
    // Digits that do not compress much.
    let long = (0..<900).map { "\($0 &* 2_654_435_761 % 99_999_989)" }.joined()
    func save(_ value: Int64) throws {
      try old.write { tx in
        _ = try tx.save([
          DynamicRow("Mark", ["group": .string(long), "number": .int(1), "value": .int(value)])
        ])
      }
    }
    let helper = try helper(isStepped: true)
    var line = helper.line()
    var steps = 0
    while line == "progress" {
      steps += 1
      switch steps {
      case 3: try save(5)
      case 20: _ = try PostgresServer.psql("TRUNCATE \"\(namespace.name)\".\"Mark\"")
      case 22: try save(7)
      default: break
      }
      try helper.send()
      line = helper.line()
    }
    #expect(line == "opened")
    #expect(helper.lines() == ["ok"])
    #expect(steps > 22)
    try old.close()
    let new = try open(version: 2)
    let found = try new.read { try $0.fetch(DynamicQuery("Rating")) }
    #expect(found.map { $0["value"] } == [.string("7")])
    #expect(found.map { $0["group"] } == [.string(long)])
    #expect(try new.check().isSound)
    try new.close()
  }
}
