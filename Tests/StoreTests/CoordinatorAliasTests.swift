import Foundation
import ORM
import ORMCoordinator
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Coordinators whose program was killed between the commits of two stores, beside a rename with an
/// alias: clauses 10.10 and 12.11.
///
/// The files of such a moment are put together from copies, so that no test waits for a kill.
@Suite struct CoordinatorAliasTests {
  private static let cases = CoordinatedStore.allCases.flatMap { kind in
    AliasedName.allCases.map { (kind, $0) }
  }

  private let folder = TestFolder(inMemory: true)

  /// A coordinator in a folder, and the name that a newer program gives.
  private struct Places {
    let kind: CoordinatedStore
    let name: AliasedName
    let path: String

    var plan: MigrationPlan { MigrationPlan([.version(2, [name.step])]) }

    /// Opens the stores.
    ///
    /// - Parameter notice: called when the second store was opened, with its changes committed, and the
    ///   first is not committed.
    func open(
      isNewer: Bool, plan: MigrationPlan? = nil, isReadOnly: Bool = false,
      notice: (@Sendable () throws -> Void)? = nil
    ) throws -> StoreCoordinator {
      let schema = try name.schema(isRenamed: isNewer)
      var options = StoreOptions()
      options.isReadOnly = isReadOnly
      if let plan { options.schemaPolicy = .migrate(plan) }
      let members = kind.members(path)
      let second = members[1].kind
      let noticed = StoreKind(
        scheme: second.scheme, fileExtension: second.fileExtension, restore: second.restore
      ) { path, schema, options in
        let store = try second.open(path, schema, options)
        try notice?()
        return store
      }
      return try StoreCoordinator(
        schema, options: options,
        configurations: [
          .configuration("main", entities: ["Team"], at: members[0]),
          .configuration(
            "bulk", entities: [isNewer && name == .entity ? "Member" : "Player"],
            at: StoreLocation(kind: noticed, path: members[1].path)),
        ])
    }

    /// The row of a player, in the words of a program.
    func player(_ id: Int64, _ score: Int64, team: Int64, isNewer: Bool) -> DynamicRow {
      let isRenamed = { (other: AliasedName) in isNewer && name == other }
      return DynamicRow(
        isRenamed(.entity) ? "Member" : "Player",
        [
          "id": .int(id), isRenamed(.attribute) ? "points" : "score": .int(score),
          isRenamed(.relationship) ? "club_id" : "team_id": .int(team),
        ])
    }

    /// Saves a team with its player in one transaction over both stores, which also gives the first
    /// player another score and team.
    func save(_ number: Int64, in store: any Store, isNewer: Bool) throws {
      try store.write { tx in
        try tx.save([DynamicRow("Team", ["id": .int(number)])])
        try tx.save([player(number, 10 * number, team: number, isNewer: isNewer)])
        if number > 1 {
          try tx.save([player(1, number, team: number, isNewer: isNewer)])
        }
      }
    }

    /// Expects what the transactions up to a number have left.
    func expect(_ last: Int64, in store: any Store, isNewer: Bool, _ note: String) throws {
      let entity = isNewer && name == .entity ? "Member" : "Player"
      let rows = try store.read { try $0.fetch(DynamicQuery(entity)) }
      let expected = (1...last).map { id in
        id == 1 && last > 1
          ? player(1, last, team: last, isNewer: isNewer)
          : player(id, 10 * id, team: id, isNewer: isNewer)
      }
      #expect(rows == expected, "\(kind), \(name), \(note)")
      let teams = try store.read { try $0.fetch(DynamicQuery("Team")) }.map { $0["id"] }
      #expect(teams == (1...last).map { .int($0) }, "\(kind), \(name), \(note)")
      let report = try store.check()
      #expect(report.isSound, "\(kind), \(name), \(note): \(report)")
    }

    /// Copies the stores into a new folder.
    func copy(to path: String) throws -> Places {
      try FileManager.default.copyItem(atPath: self.path, toPath: path)
      return Places(kind: kind, name: name, path: path)
    }

    /// Takes the second store from another folder.
    func takeSecond(of other: Places) throws {
      let name = kind.members("")[1].path?.dropFirst() ?? ""
      let files = FileManager.default
      for file in try files.contentsOfDirectory(atPath: path) where file.hasPrefix(name) {
        try files.removeItem(atPath: "\(path)/\(file)")
      }
      for file in try files.contentsOfDirectory(atPath: other.path) where file.hasPrefix(name) {
        try files.copyItem(atPath: "\(other.path)/\(file)", toPath: "\(path)/\(file)")
      }
    }
  }

  /// Makes stores with some transactions, of which the second store lacks the last.
  private func half(
    _ kind: CoordinatedStore, _ name: AliasedName, _ last: Int64
  ) throws -> Places {
    let places = Places(kind: kind, name: name, path: folder.newPath())
    try FileManager.default.createDirectory(
      atPath: places.path, withIntermediateDirectories: true)
    var store = try places.open(isNewer: false)
    for number in 1..<last { try places.save(number, in: store, isNewer: false) }
    try store.close()
    let before = try places.copy(to: folder.newPath())
    store = try places.open(isNewer: false)
    try places.save(last, in: store, isNewer: false)
    try store.close()
    try places.takeSecond(of: before)
    return places
  }

  /// Opens stores by the newer program, looks at everything, and writes to both.
  private func expectNewer(
    _ last: Int64, _ places: Places, plan: MigrationPlan?, _ note: String
  ) throws {
    var store = try places.open(isNewer: true, plan: plan)
    try places.expect(last, in: store, isNewer: true, note)
    try places.save(last + 1, in: store, isNewer: true)
    try store.close()
    store = try places.open(isNewer: true)
    try places.expect(last + 1, in: store, isNewer: true, "\(note), and written")
    try store.close()
  }

  @Test(
    "12.11, 10.10: what an older program wrote before it was killed has its names after the rename",
    arguments: cases)
  func olderKilled(_ kind: CoordinatedStore, _ name: AliasedName) throws {
    let places = try half(kind, name, 3)
    let other = try places.copy(to: folder.newPath())
    try expectNewer(3, places, plan: places.plan, "the newer program is next")
    // The older program repairs its own transaction, and the newer one finds that.
    let store = try other.open(isNewer: false)
    try other.expect(3, in: store, isNewer: false, "the older program is next")
    try store.close()
    try expectNewer(3, other, plan: other.plan, "after the older program")
  }

  @Test(
    "12.11, 10.10: a rename that is killed between the commits is whole or undone", arguments: cases
  )
  func migrationKilled(_ kind: CoordinatedStore, _ name: AliasedName) throws {
    for isHalf in [false, true] {
      let places = try half(kind, name, 3)
      if !isHalf { try places.open(isNewer: false).close() }
      let moments = SharedList<String>()
      let copies = (1...8).map { _ in folder.newPath() }
      let store = try places.open(isNewer: true, plan: places.plan) {
        guard moments.all.count < copies.count else { return }
        let path = copies[moments.all.count]
        try FileManager.default.copyItem(atPath: places.path, toPath: path)
        moments.add(path)
      }
      try store.close()
      #expect(!moments.all.isEmpty)
      for (number, path) in moments.all.enumerated() {
        let killed = Places(kind: kind, name: name, path: path)
        let other = try killed.copy(to: folder.newPath())
        try expectNewer(3, killed, plan: killed.plan, "moment \(number), half: \(isHalf)")
        // The older program finds its version whole, or none that it may use.
        do {
          let older = try other.open(isNewer: false)
          try other.expect(3, in: older, isNewer: false, "moment \(number), older")
          try older.close()
        } catch let error as StoreError {
          #expect(error.code == .schemaTooNew, "\(kind), \(name), moment \(number): \(error)")
        }
        try expectNewer(3, other, plan: other.plan, "moment \(number), after the older program")
      }
    }
  }

  @Test(
    "12.11, 10.10: what a newer program wrote before it was killed is refused to older ones",
    arguments: cases)
  func newerKilled(_ kind: CoordinatedStore, _ name: AliasedName) throws {
    let places = try half(kind, name, 2)
    try places.open(isNewer: true, plan: places.plan).close()
    let before = try places.copy(to: folder.newPath())
    let store = try places.open(isNewer: true)
    try places.save(3, in: store, isNewer: true)
    try store.close()
    try places.takeSecond(of: before)
    for isReadOnly in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try places.open(isNewer: false, isReadOnly: isReadOnly)
      }
      #expect(error?.code == .schemaTooNew, "\(error?.description ?? "")")
    }
    let other = try places.copy(to: folder.newPath())
    try expectNewer(3, places, plan: nil, "without the plan")
    try expectNewer(3, other, plan: other.plan, "with the plan")
  }
}
