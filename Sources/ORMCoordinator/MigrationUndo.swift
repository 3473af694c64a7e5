internal import ORMStorage

/// The copies by which a migration of several members is undone if the process ends between their
/// commits, and those that the program asks for.
///
/// Each member that was changed keeps a mark with the number of the migration. The one that commits last
/// decides: where another has a mark that it lacks, the other is put back from its copy.
final class MigrationUndo {
  private let opening: MemberOpening
  private let files: [Int: any StoreFile]
  private let states: [Int: MemberState]
  /// The members that had nothing before.
  private let new: Set<Int>
  /// The copies that were made, and whether the program asked for them.
  private var copies: [(backup: StoreBackup, isAsked: Bool)] = []

  private var layout: MemberLayout { opening.layout }

  init(
    _ opening: MemberOpening, _ files: [Int: any StoreFile], _ states: [Int: MemberState],
    new: Set<Int>
  ) {
    self.opening = opening
    self.new = new
    self.files = files
    self.states = states
  }

  /// Copies members, and marks them.
  ///
  /// - Throws: `unsupported` if two members are changed that cannot be put back; `full`, `inputOutput`.
  func prepare(
    _ combined: CombinedTransaction, from before: StoredSchema, to declared: StoredSchema
  ) throws {
    let affected = combined.affected.filter { layout.isDurable[$0] }.sorted()
    let isAsked = try isAsked(from: before, to: declared)
    let decider = affected.min { rank($0) < rank($1) }
    let id = Int64.random(in: 1...Int64.max)
    let group = states.values.first?.group ?? .random(in: 1...Int64.max)
    for member in affected {
      let isUndone = affected.count > 1 && member != decider
      let name = try copy(
        member, isAsked: isAsked, isUndone: isUndone, version: declared.version ?? 0)
      guard affected.count > 1, let decider else { continue }
      var state =
        states[member]
        ?? MemberState(group: group, journal: layout.names[layout.journal])
      state.migration = MemberState.Migration(
        id: id, decider: layout.names[decider], backup: name)
      guard let writer = try combined.writer(of: member) else { continue }
      try MemberRows.put(state, by: writer)
    }
  }

  /// The order of the members' commits, the last first, as they were opened inside each other.
  private func rank(_ member: Int) -> (Int, Int) {
    if !canRestore(member) { return (0, member) }
    return (member == layout.journal ? 1 : 2, member)
  }

  private func canRestore(_ member: Int) -> Bool {
    opening.configurations[member].location?.kind.restore != nil
  }

  /// Returns whether the program asks for copies.
  private func isAsked(from before: StoredSchema, to declared: StoredSchema) throws -> Bool {
    switch opening.options.migration.backup {
    case .none: return false
    case .always: return true
    case .beforeLoss:
      return try opening.options.schemaPolicy.migration?.extent(from: before, to: declared)
        .losesData ?? false
    }
  }

  /// Copies a member if that is needed, and returns the name of the copy; empty without one.
  private func copy(
    _ member: Int, isAsked: Bool, isUndone: Bool, version: Int
  ) throws -> String {
    guard isAsked || isUndone, !new.contains(member) else { return "" }
    guard let file = files[member] else {
      if !isUndone { return "" }
      throw cannotRestore(member)
    }
    if isUndone, !canRestore(member) { throw cannotRestore(member) }
    let backup = StoreBackup(of: file, before: version)
    try backup.make()
    copies.append((backup, isAsked))
    if isAsked { opening.options.onSchemaEvent?(.didBackUp(backup.path)) }
    return FileSystem.name(of: backup.path)
  }

  private func cannotRestore(_ member: Int) -> StoreError {
    StoreError(
      .unsupported,
      "the migration changes several configurations, and \(layout.names[member]) could not be put back "
        + "if the process ended between their commits; give it a location of a file, or migrate in "
        + "steps that change one configuration each")
  }

  /// Removes the copies beyond the configured number; failures are reported.
  func finish() {
    for (backup, isAsked) in copies {
      do {
        switch opening.options.migration.backup {
        case .beforeLoss(let count) where isAsked, .always(let count) where isAsked:
          try backup.removeOlder(keeping: count)
        default: try backup.remove()
        }
      } catch { StoreRuntime.report(error, to: opening.options) }
    }
  }
}
