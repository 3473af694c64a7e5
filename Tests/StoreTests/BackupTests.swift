import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Copies of a store's file before a migration: clause 10.14.
@Suite struct BackupTests {
  private let folder = TestFolder()

  /// Migrates a store, and returns the names of the events.
  private func migrate(
    _ kind: FileStore, _ path: String, _ schema: Schema, _ plan: MigrationPlan,
    _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> [String] {
    let events = SharedList<String>()
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    options.onSchemaEvent = { event in
      switch event {
      case .willMigrate(let old, let new): events.add("will \(old) \(new)")
      case .didBackUp(let path): events.add("copy \(URL(fileURLWithPath: path).lastPathComponent)")
      case .didMigrate: events.add("did")
      case .couldNotMigrate: events.add("could not")
      default: events.add("\(event)")
      }
    }
    set(&options)
    do {
      let store = try StoreLocation(kind: kind.kind, path: path)
        .open(schema: schema, options: options)
      try (store as? any ImageStore)?.write(to: path)
      try store.close()
    } catch let error as StoreError {
      events.add(error.code.rawValue)
    }
    return events.all
  }

  private func filled(_ kind: FileStore) throws -> String {
    let path = folder.file("app.\(kind.kind.fileExtension)")
    try Membership.fill(StoreLocation(kind: kind.kind, path: path))
    return path
  }

  private func expectOld(_ kind: FileStore, _ path: String) throws {
    let store = try StoreLocation(kind: kind.kind, path: path).open(schema: Membership.oldSchema())
    let difference = try Membership.difference(store, Membership.oldRows)
    #expect(difference == nil)
    #expect(try store.check().isSound)
    try store.close()
  }

  private func backups() throws -> [String] {
    try folder.names().filter { $0.contains(".before-") && !$0.hasSuffix(".external") }
  }

  @Test(
    "10.14: a migration that loses something leaves the store as it was beside the new one",
    arguments: FileStore.allCases)
  func copies(_ kind: FileStore) throws {
    let path = try filled(kind)
    let name = "app.before-3.\(kind.kind.fileExtension)"
    let events = try migrate(kind, path, Membership.newSchema(), Membership.plan)
    #expect(events == ["will 1 3", "copy \(name)", "did"])
    #expect(try backups() == [name])
    try expectOld(kind, folder.file(name))
    #expect(throws: StoreError.self) { try expectOld(kind, path) }
  }

  /// A schema of one entity with these attributes beside its key.
  private func schema(_ version: Int, _ names: [String]) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Thing",
          attributes: [AttributeDescription("id", .int64)]
            + names.map { AttributeDescription($0, .int64, isOptional: true) },
          key: ["id"])
      ], version: version)
  }

  /// Makes a store of version 1 with an attribute, `a`, and returns its path.
  private func things(_ kind: FileStore, rows: Int64 = 20) throws -> String {
    let path = folder.file("app.\(kind.kind.fileExtension)")
    let store = try StoreLocation(kind: kind.kind, path: path).open(schema: schema(1, ["a"]))
    if rows > 0 {
      try store.write { tx in
        try tx.insert((1...rows).map { DynamicRow("Thing", ["id": .int($0), "a": .int($0)]) })
      }
    }
    try (store as? any ImageStore)?.write(to: path)
    try store.close()
    return path
  }

  @Test("10.14: nothing is copied where nothing is lost", arguments: FileStore.allCases)
  func noLoss(_ kind: FileStore) throws {
    let path = try things(kind)
    let steps: [MigrationStep] = [
      .renameAttribute("a", to: "b", in: "Thing"), .addAttribute("c", .int64, in: "Thing"),
      .set("c", in: "Thing", to: "b + 1"), .check("c > 0", in: "Thing"),
    ]
    let plan = MigrationPlan([.version(2, steps)])
    #expect(try migrate(kind, path, schema(2, ["b", "c"]), plan) == ["will 1 2", "did"])
    #expect(try backups() == [])
  }

  @Test(
    "10.14: each of these loses something",
    arguments: [
      [MigrationStep.set("a", in: "Thing", to: "a + 1")],
      [.rows(of: "Thing", named: "nothing", revision: 1) { _ in }],
      [.run(named: "nothing", revision: 1) { _ in }],
      [.removeDuplicates(of: ["a"], in: "Thing")],
      [.dropAttributes(["a"], in: "Thing"), .addAttribute("a", .int64, in: "Thing")],
      [
        .changeType(of: "a", to: .double, in: "Thing"),
        .changeType(of: "a", to: .int64, in: "Thing"),
      ],
    ])
  func losses(_ steps: [MigrationStep]) throws {
    let path = try things(.sqlite)
    let plan = MigrationPlan([.version(2, steps)])
    #expect(
      try migrate(.sqlite, path, schema(2, ["a"]), plan)
        == ["will 1 2", "copy app.before-2.sqlite", "did"])
  }

  @Test("10.14: an empty store is not copied", arguments: FileStore.allCases)
  func empty(_ kind: FileStore) throws {
    let path = try things(kind, rows: 0)
    let plan = MigrationPlan([.version(2, [.dropAttributes(["a"], in: "Thing")])])
    #expect(try migrate(kind, path, schema(2, []), plan) == ["will 1 2", "did"])
  }

  @Test("10.14: the options say when, and how many copies stay", arguments: FileStore.inPlace)
  func policies(_ kind: FileStore) throws {
    let path = try things(kind)
    let end = kind.kind.fileExtension
    var versions: [MigrationVersion] = []
    func step(
      to version: Int, _ steps: [MigrationStep], _ backup: MigrationOptions.Backup
    ) throws -> Bool {
      versions.append(.version(version, steps))
      let events = try migrate(kind, path, schema(version, ["a"]), MigrationPlan(versions)) {
        $0.migration.backup = backup
      }
      #expect(events.first == "will \(version - 1) \(version)" && events.last == "did")
      return events.count == 3
    }
    let change = MigrationStep.set("a", in: "Thing", to: "a + 1")
    let check = MigrationStep.check("a > 0", in: "Thing")
    #expect(try !step(to: 2, [change], .none))
    #expect(try backups() == [])
    #expect(try step(to: 3, [check], .always(keep: 2)))
    #expect(try step(to: 4, [change], .beforeLoss(keep: 2)))
    #expect(try backups() == ["app.before-3.\(end)", "app.before-4.\(end)"])
    #expect(try !step(to: 5, [check], .beforeLoss(keep: 2)))
    #expect(try step(to: 6, [change], .beforeLoss(keep: 2)))
    #expect(try backups() == ["app.before-4.\(end)", "app.before-6.\(end)"])
    #expect(try step(to: 7, [change], .beforeLoss(keep: 0)))
    #expect(try backups() == ["app.before-7.\(end)"])
  }

  @Test("10.14: a copy that cannot be made stops the migration", arguments: FileStore.allCases)
  func failure(_ kind: FileStore) throws {
    let path = try filled(kind)
    let before = try bytes(path)
    let name = "app.before-3.\(kind.kind.fileExtension)"
    try FileManager.default.createDirectory(
      atPath: folder.file(name), withIntermediateDirectories: false)
    let events = try migrate(kind, path, Membership.newSchema(), Membership.plan)
    #expect(events == ["will 1 3", "could not", "cannotOpen"])
    #expect(try bytes(path) == before)
    #expect(try folder.names().filter { $0.hasSuffix(".new") } == [])
    try expectOld(kind, path)
  }

  @Test(
    "10.14: too little space stops the migration before it begins", arguments: FileStore.allCases)
  func space(_ kind: FileStore) throws {
    let path = try filled(kind)
    let before = try bytes(path)
    let size = before.count
    // The plan writes the rows of Person anew, 300 of 355, and copies the file.
    let needed = Double(size) * (1 + 2.0 * 300 / 355)
    for (free, isEnough) in [(0, false), (Int(needed * 0.99), false), (Int(needed * 1.2), true)] {
      let events = try migrate(kind, path, Membership.newSchema(), Membership.plan) {
        $0.freeSpace = { _ in free }
      }
      if isEnough {
        #expect(events.last == "did")
      } else {
        #expect(events == ["full"], "\(free)")
        #expect(try bytes(path) == before)
      }
    }
  }

  @Test("10.14: the copy keeps contents outside of rows", arguments: FileStore.inPlace)
  func externalData(_ kind: FileStore) throws {
    let path = folder.file("app.\(kind.kind.fileExtension)")
    let location = StoreLocation(kind: kind.kind, path: path)
    let old = try Schema(Reel.self, Journal.self, version: 1)
    let store = try location.open(schema: old)
    for _ in 0..<7 { _ = try Reels.next(in: store) }
    try store.close()
    let plan = MigrationPlan([.version(2, [.dropEntity("Journal")])])
    #expect(
      try migrate(kind, path, Schema(Reel.self, version: 2), plan).dropFirst()
        == ["copy app.before-2.\(kind.kind.fileExtension)", "did"])
    let new = try location.open(schema: Schema(Reel.self, version: 2))
    try new.delete(Reel.all)
    try new.sweepExternalData()
    #expect(try new.check().isSound)
    try new.close()
    try location.restore(from: folder.file("app.before-2.\(kind.kind.fileExtension)"))
    let restored = try location.open(schema: old)
    #expect(try restored.fetch(Reel.all) == Reels.rows(after: 7))
    #expect(try restored.check().isSound)
    try restored.close()
  }

  @Test(
    "10.14: a migration of many transactions is copied once, and older copies go at its end",
    arguments: FileStore.inPlace)
  func parts(_ kind: FileStore) throws {
    let path = try things(kind)
    let end = kind.kind.fileExtension
    let first = MigrationVersion.version(2, [.set("a", in: "Thing", to: "a + 1")])
    func inParts(_ options: inout StoreOptions) {
      options.migration.mode = .resumable
      options.migration.batchRows = 4
      options.migration.partDuration = .zero
      options.migration.backup = .beforeLoss(keep: 1)
    }
    func migrate(_ plan: MigrationPlan, to version: Int) throws -> [String] {
      let events = try self.migrate(kind, path, schema(version, ["a"]), plan, inParts)
      #expect(events.contains { $0.hasPrefix("progress") })
      return events.filter { !$0.hasPrefix("progress") }
    }
    #expect(
      try migrate(MigrationPlan([first]), to: 2) == ["will 1 2", "copy app.before-2.\(end)", "did"])
    let isFirst = Lock(true)
    let plan = MigrationPlan([
      first,
      .version(
        3,
        [
          .rows(of: "Thing", named: "seven", revision: 1) { row in
            let stops =
              row["id"] == .int(11)
              && isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
              }
            if stops { throw StoreError(.full, "the test says so") }
            row["a"] = .int(7)
          }
        ]),
    ])
    #expect(
      try migrate(plan, to: 3)
        == ["will 2 3", "copy app.before-3.\(end)", "could not", "migrationFailed"])
    #expect(try backups() == ["app.before-2.\(end)", "app.before-3.\(end)"])
    #expect(try migrate(plan, to: 3) == ["will 2 3", "did"])
    #expect(try backups() == ["app.before-3.\(end)"])
    func values(_ path: String, _ version: Int) throws -> [StoredValue] {
      let store = try StoreLocation(kind: kind.kind, path: path)
        .open(schema: schema(version, ["a"]))
      defer { try? store.close() }
      return try store.read { try $0.fetch(DynamicQuery("Thing")) }.map { $0["a"] }
    }
    #expect(try values(path, 3) == Array(repeating: .int(7), count: 20))
    // The copy is the store between the versions.
    #expect(try values(folder.file("app.before-3.\(end)"), 2) == (1...20).map { .int($0 + 1) })
  }
}
