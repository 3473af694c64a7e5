public import ORMStorage

/// The programs of earlier versions that may use a store after a plan has run, and the reasons where
/// they may not.
///
/// ```swift
/// let old = try Schema(Snack.self, version: 2).stored
/// let new = try Schema(Snack.self, version: 3).stored
/// let check = try plan.checkRolling(from: old, to: new)
/// if check.programs.contains(where: { $0.access != .writing }) { print(check) }
/// ```
public struct RollingCheck: Hashable, Codable, Sendable {
  /// The version of the store afterwards.
  public var version: Int
  /// The programs from the version before the plan up to the last one below ``version``.
  ///
  /// If there are more than 100 numbers between, these are the version before the plan and those that
  /// the plan has.
  public var programs: [Program]

  /// The programs of one version.
  public struct Program: Hashable, Codable, Sendable {
    /// The version of their schema.
    public var version: Int
    /// The access of these programs to the store.
    public var access: SchemaAccess
    /// The changes that take access away, each with the access that it leaves; empty if they may
    /// write.
    public var reasons: [String]
  }
}

extension RollingCheck: CustomStringConvertible {
  /// A line for each version, and below it the reasons.
  public var description: String {
    programs.map { program in
      ([
        "version \(program.version) beside version \(version): \(program.access.words)"
      ] + program.reasons.map { "  \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}

extension SchemaAccess {
  /// The access in words.
  fileprivate var words: String {
    switch self {
    case .writing: "reads and writes"
    case .reading: "may only read"
    case .none: "neither reads nor writes"
    }
  }
}

extension MigrationPlan {
  /// Returns which programs of earlier versions may use a store after the plan has run, without data.
  ///
  /// It is meant for continuous integration: with several servers on one store, the new version can
  /// be deployed one server at a time if programs of the version before may still write.
  ///
  /// ```swift
  /// let old = try Schema(Snack.self, version: 2).stored
  /// let new = try Schema(Snack.self, version: 3).stored
  /// let check = try plan.checkRolling(from: old, to: new)
  /// print(check)
  /// ```
  ///
  /// - Parameters:
  ///   - stored: the schema before, with a version.
  ///   - declared: the schema of the newest program.
  /// - Throws: as ``outcome(from:to:)``.
  public func checkRolling(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> RollingCheck {
    let migrated = try outcome(from: stored, to: declared)
    var outline = try MigrationOutline(versions(from: stored, to: declared), from: stored)
    var retained = stored
    var limits: [Limit] = []
    for followed in outline.versions {
      let version = followed.version
      for (number, step) in followed.steps.enumerated() where step.effect.access != .writing {
        limits.append(
          Limit(
            before: version.number,
            text: "version \(version.number), step \(number + 1) (\(step.step)): "
              + step.effect.access.words))
      }
      limits += Self.aliasesEnding(in: followed.before, at: version.number)
      if followed.aliased == nil {
        limits.append(
          Limit(
            before: version.number,
            text: "version \(version.number): aliases that older programs cannot follow"))
      }
      followed.raise(&retained)
      if let limit = version.compatibility {
        limits.append(Limit(before: version.number, text: "\(limit)", admitted: limit.version))
      }
    }
    let end = declared.version ?? 0
    // A name that the store gets to follow the declaration is unknown to older programs.
    let aligned: SchemaAccess =
      try outline.finish(as: declared, from: stored) ? .none : .writing
    let additions = try SchemaComparison.compare(stored: migrated, declared: declared).union
    limits += Self.aliasesEnding(in: retained, at: end)
    retained.raise(
      to: end, keeping: min(aligned, migrated.access(to: additions)))
    if aligned == .none {
      limits.append(Limit(before: end, text: "other names in the store: neither reads nor writes"))
    }
    limits += Self.additions(from: migrated, to: additions).map { Limit(before: end, text: $0) }
    let programs = programVersions(from: stored.version ?? end, to: end).map { version in
      let access = retained.access(ofVersion: version)
      let reasons = limits.filter { version < $0.before && version < $0.admitted ?? .max }
      return RollingCheck.Program(
        version: version, access: access,
        reasons: access == .writing ? [] : reasons.map(\.text))
    }
    return RollingCheck(version: end, programs: programs)
  }

  /// The versions of programs before the last one; if there are very many, those that the plan has.
  private func programVersions(from begin: Int, to end: Int) -> [Int] {
    if begin >= end { return [] }
    let (count, isTooGreat) = end.subtractingReportingOverflow(begin)
    if !isTooGreat, count <= 100 { return Array(begin..<end) }
    return [begin] + versions.map(\.number).filter { $0 > begin && $0 < end }
  }

  /// The end of aliases that an earlier version gave.
  private static func aliasesEnding(in schema: StoredSchema, at version: Int) -> [Limit] {
    let ended = (schema.aliases ?? []).map(\.version).filter { $0 < version }.max()
    return ended.map {
      [
        Limit(
          before: version,
          text: "version \(version): the aliases of version \($0) end", admitted: $0)
      ]
    } ?? []
  }

  /// A change that takes access from programs before a version.
  private struct Limit {
    var before: Int
    var text: String
    /// The first version that it leaves alone; nil for that of the change.
    var admitted: Int?
  }

  /// The entities whose additions take access away, with the access that they leave.
  private static func additions(
    from migrated: StoredSchema, to union: StoredSchema
  ) -> [String] {
    union.entities.compactMap { entity in
      var alone = migrated
      if let position = alone.index(of: entity.name) {
        alone.entities[position] = entity
      } else {
        alone.entities.append(entity)
      }
      let access = migrated.access(to: alone)
      return access == .writing ? nil : "additions of \(entity.modelName): \(access.words)"
    }
  }
}

extension MigrationCompatibility {
  /// The first version that is admitted.
  fileprivate var version: Int {
    switch self {
    case .writing(let version), .reading(let version): version
    }
  }
}
