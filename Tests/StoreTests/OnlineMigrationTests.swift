import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Programs that write while another migrates the store: clause 10.19.
@Suite struct OnlineMigrationTests {
  private static let kinds = [FileStore.sqlite, .checksums, .lmdb]
  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 6

  private func open(
    _ kind: FileStore, _ path: String, version: Int, _ options: StoreOptions = Albums.options
  ) throws -> any Store {
    try StoreLocation(kind: kind.kind, path: path)
      .open(schema: Albums.schema(version: version), options: options)
  }

  private func options(_ policy: StoreOptions.SchemaPolicy = .additive) -> StoreOptions {
    var options = StoreOptions()
    options.durability = .off
    options.schemaPolicy = policy
    return options
  }

  private func helper(
    _ kind: FileStore, _ path: String, isStepped: Bool = true
  ) throws -> HelperProcess {
    let helper = try HelperProcess.store(
      ["migrate-online", kind.location(path), isStepped ? "stepped" : "free"], limit: 300)
    #expect(helper.line() == "opening")
    return helper
  }

  /// Expects the program of before to be refused, and the store to have all that it wrote.
  private func expectEnd(
    _ kind: FileStore, _ path: String, _ writer: inout AlbumWriter<SeededGenerator>
  ) throws {
    do {
      try writer.write()
      Issue.record("a program of before has written")
    } catch let error as StoreError { #expect(error.code == .schemaTooNew) }
    try writer.store.close()
    let new = try open(kind, path, version: 2)
    #expect(try writer.differences(new, version: 2) == [])
    try new.write { tx in
      try tx.insert([
        DynamicRow("Artist", ["title": .string("new"), "born": .int(1), "note": .string("")])
      ])
      let isNew = Condition.compare(.attribute("title"), .equal, .value(.string("new")), [])
      let key = try tx.fetch(DynamicQuery("Artist", where: isNew)).first?["id"]
      #expect(key == .int(writer.greatestKey + 1))
    }
    try new.close()
  }

  @Test(
    "10.19: what is written between the transactions of a migration is in the migrated store",
    arguments: kinds)
  func stepped(_ kind: FileStore) throws {
    var generator = SeededGenerator.printed("stepped \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    var writer = try AlbumWriter(filling: open(kind, path, version: 1, options()), generator)
    let helper = try helper(kind, path)
    var steps = 0
    var line = helper.line()
    while line == "progress" {
      steps += 1
      for _ in 0..<Int.random(in: 0...3, using: &generator) { try writer.write() }
      if steps % 16 == 0 { #expect(try writer.differences(writer.store, version: 1) == []) }
      if steps % 10 == 0 {
        // A program of before opens the store meanwhile, one that wants checksums too.
        try writer.store.close()
        let wanted = kind == .sqlite && steps % 20 == 0 ? .checksums : kind
        writer.store = try open(wanted, path, version: 1, options())
      }
      try helper.send()
      line = helper.line()
    }
    #expect(line == "opened")
    #expect(helper.lines() == ["ok"])
    #expect(steps > 20)
    print("\(kind): \(writer.count) transactions between \(steps)")
    try expectEnd(kind, path, &writer)
  }

  @Test("10.19: a program writes all the time while another migrates the store", arguments: kinds)
  func free(_ kind: FileStore) throws {
    let generator = SeededGenerator.printed("free \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let old = try open(kind, path, version: 1, options())
    var writer = try AlbumWriter(filling: old, generator, count: 1_500)
    let helper = try helper(kind, path, isStepped: false)
    let before = writer.count
    while helper.isRunning {
      do { try writer.write() } catch let error as StoreError where error.code == .schemaTooNew {
        break
      }
    }
    #expect(helper.lines() == ["opened", "ok"])
    #expect(writer.count > before)
    print("\(kind): \(writer.count) transactions beside")
    try expectEnd(kind, path, &writer)
  }

  @Test(
    "10.19: a migration that is killed goes on with what was written since, or is given up",
    arguments: kinds)
  func killed(_ kind: FileStore) throws {
    var generator = SeededGenerator.printed("killed \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    var writer = try AlbumWriter(
      filling: open(kind, path, version: 1, options()), generator)
    var line: String?
    for number in 0... {
      let helper = try helper(kind, path)
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
      if Int.random(in: 0..<4, using: &generator) == 0 {
        try writer.store.close()
        writer.store = try open(kind, path, version: 1, options(.abandonMigration))
      }
      #expect(try writer.differences(writer.store, version: 1) == [], "kill \(number)")
    }
    #expect(line == "opened")
    try expectEnd(kind, path, &writer)
  }

  @Test(
    "10.19: a row that is written meanwhile and that a step refuses ends the migration",
    arguments: kinds)
  func refused(_ kind: FileStore) throws {
    let generator = SeededGenerator.printed("refused \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let old = try open(kind, path, version: 1, options())
    var writer = try AlbumWriter(filling: old, generator)
    let first = try helper(kind, path)
    var steps = 0
    var line = first.line()
    while line == "progress" {
      steps += 1
      if steps == 30 {
        try old.write { tx in
          try tx.insert([
            DynamicRow(
              "Artist", ["name": .string("bad"), "born": .int(500), "note": .string("")])
          ])
        }
      }
      try first.send()
      line = first.line()
    }
    #expect(line == "migrationFailed")
    #expect(steps >= 30)
    let isBad = Condition.compare(.attribute("name"), .equal, .value(.string("bad")), [])
    let removed = try old.write { try $0.delete(DynamicQuery("Artist", where: isBad)) }
    #expect(removed == 1)
    for _ in 0..<10 { try writer.write() }
    #expect(try writer.differences(old, version: 1) == [])
    let second = try helper(kind, path, isStepped: false)
    #expect(second.lines() == ["opened", "ok"])
    try old.close()
    let new = try open(kind, path, version: 2)
    #expect(try writer.differences(new, version: 2) == [])
    try new.close()
  }
}
