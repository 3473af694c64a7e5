internal import ORMCore
internal import ORMRows
internal import ORMStorage

/// The opening of the members of a coordinator.
///
/// Members that fit are opened one after another. If one has to be changed, all are opened inside each
/// other, so that each one's transaction is open while the whole is migrated.
struct MemberOpening {
  let schema: Schema
  let configurations: [StoreConfiguration]
  let options: StoreOptions
  let layout: MemberLayout

  init(
    _ schema: Schema, _ configurations: [StoreConfiguration], _ options: StoreOptions
  ) throws {
    self.schema = schema
    self.configurations = configurations
    self.options = options
    layout = try MemberLayout(schema, configurations, options)
  }

  /// Opens the members.
  ///
  /// - Throws: the errors of the members; `schemaMismatch`, `wrongStore`, `cannotOpen`.
  func run() throws -> CoordinatorMembers {
    var files: Set<ExactText> = []
    for file in configurations.compactMap({ $0.location?.file }).map(FileSystem.resolved)
    where !files.insert(file).inserted {
      throw StoreError(.alreadyOpen, "two configurations have one file", store: file)
    }
    var emptied: Set<Int> = []
    for _ in configurations {
      do {
        return try open(emptying: emptied)
      } catch let unfinished as UnfinishedMigration {
        try undo(unfinished, &emptied)
      }
    }
    return try open(emptying: emptied)
  }

  /// Puts back the members that a migration has changed, and that were not committed together.
  private func undo(_ unfinished: UnfinishedMigration, _ emptied: inout Set<Int>) throws {
    for (member, mark) in unfinished.members {
      if mark.backup.isEmpty {
        emptied.insert(member)
        continue
      }
      guard !options.isReadOnly, let location = configurations[member].location,
        let path = location.path
      else {
        throw StoreError(
          .schemaMismatch,
          "a migration was not finished; open the coordinator once for writing")
      }
      let folder = FileSystem.folder(of: FileSystem.resolved(path))
      try location.restore(from: "\(folder)/\(mark.backup)")
    }
  }

  private func open(emptying emptied: Set<Int>) throws -> CoordinatorMembers {
    var stores: [Int: any Store] = [:]
    do {
      let looks = try look(into: &stores)
      if looks.contains(where: \.needsChange) || !emptied.isEmpty {
        // A store in memory that is new has nothing to be migrated, and would be lost.
        for (member, look) in looks.enumerated() where look.wasThere || layout.isDurable[member] {
          try stores.removeValue(forKey: member)?.close(CloseTurn())
        }
        let migration = MemberMigrations(self, emptying: emptied)
        try migration.run(&stores)
      }
      let members = try members(stores)
      try MemberEnrollment(members).run()
      return members
    } catch {
      for store in stores.values { try? store.close(CloseTurn()) }
      throw error
    }
  }

  /// Opens each member that fits, and makes those that are not there.
  private func look(into stores: inout [Int: any Store]) throws -> [MemberLook] {
    let looks = configurations.indices.map {
      MemberLook(options, mayBeMade: !layout.isDurable[$0])
    }
    func open(_ members: [Int]) throws {
      for member in members {
        do {
          stores[member] = try self.open(member, looks[member])
        } catch is MemberLook.IsMissing {
        } catch  where looks[member].needsChange {}
      }
    }
    func isThere(_ member: Int) -> Bool {
      stores[member] != nil || looks[member].needsChange
    }
    // An engine makes a file before it can look into it.
    try open(configurations.indices.filter { !hasNoFile($0) })
    var new = configurations.indices.filter { !isThere($0) }
    while !new.isEmpty {
      // Nothing is made to replace a store that is missing.
      var states: [Int: MemberState] = [:]
      for member in configurations.indices where isThere(member) {
        states[member] =
          try stores[member].flatMap { try MemberRows.state(of: $0) } ?? looks[member].state
      }
      do {
        try layout.check(states, missing: new) { member in
          configurations[member].location.map { $0.file ?? "\($0)" }
        }
        break
      } catch {
        // A first opening at the same time makes a store before another one names it.
        try open(new.filter { !hasNoFile($0) })
        let left = new.filter { !isThere($0) }
        if left == new { throw error }
        new = left
      }
    }
    for member in new { looks[member].admitCreation() }
    try open(new)
    return looks
  }

  /// Returns whether a member has a file that is not there.
  private func hasNoFile(_ member: Int) -> Bool {
    guard layout.isDurable[member], let file = configurations[member].location?.file else {
      return false
    }
    return ((try? FileSystem.size(of: FileSystem.resolved(file))) ?? nil) == nil
  }

  /// Opens a member with a migration of the coordinator's.
  func open(_ member: Int, _ migration: any SchemaMigration) throws -> any Store {
    var own = options
    own.schemaPolicy = .migrate(migration)
    own.history = .asStored
    own.onSchemaEvent = nil
    // A store in memory that has no image is made anew, which a store that only reads refuses.
    if !layout.isDurable[member], configurations[member].location?.path == nil {
      own.isReadOnly = false
    }
    let store = try configurations[member].open(
      Schema(part: layout.parts[member], of: schema), own)
    if layout.isDurable[member], store is any ImageStore {
      try? store.close(CloseTurn())
      throw StoreError(
        .invalidSchema,
        "the store of the configuration \(layout.names[member]) is in memory; say isDurable: false")
    }
    return store
  }

  private func members(_ stores: [Int: any Store]) throws -> CoordinatorMembers {
    let all = configurations.indices.compactMap { stores[$0] }
    guard all.count == configurations.count else {
      throw StoreError(.cannotOpen, "a configuration was not opened")
    }
    var files: Set<ExactText> = []
    for store in all {
      if let file = store.runtime.file, !files.insert(file).inserted {
        throw StoreError(.alreadyOpen, "two configurations have one file", store: file)
      }
    }
    return CoordinatorMembers(layout.keepingHistory(of: all[layout.journal]), all, options)
  }
}

/// Thrown where members have committed a migration that the deciding one has not.
struct UnfinishedMigration: Error {
  var members: [(member: Int, mark: MemberState.Migration)]

  /// Finds the members; nil without any.
  ///
  /// - Parameter states: the states of the members.
  init?(_ states: [Int: MemberState], _ layout: MemberLayout, but emptied: Set<Int> = []) {
    members = states.sorted { $0.key < $1.key }.compactMap { member, state in
      guard let mark = state.migration, !emptied.contains(member),
        let decider = layout.names.firstIndex(of: mark.decider), decider != member,
        states[decider]?.migration?.id != mark.id
      else { return nil }
      return (member, mark)
    }
    if members.isEmpty { return nil }
  }
}
