internal import ORMCore

/// The steps that a store is still to go through, with the rows that they read or write.
package struct MigrationReport: Sendable, CustomStringConvertible {
  let oldVersion: Int?
  let newVersion: Int?
  let versions: [Version]

  /// The steps of a version.
  struct Version: Sendable {
    var number: Int
    var steps: [Step]
  }

  /// A step, and the number of rows of its entity before the migration; nil if it reads none.
  struct Step: Sendable {
    var step: MigrationStep
    var rows: Int?
  }

  /// Simulates a plan.
  ///
  /// - Parameter count: the number of rows of an entity that the store has.
  /// - Throws: `invalidPlan`; `schemaTooNew`; what `count` throws.
  package init(
    _ plan: MigrationPlan, from stored: StoredSchema, to declared: StoredSchema,
    count: (String) throws -> Int
  ) throws {
    _ = try plan.outcome(from: stored, to: declared)
    oldVersion = stored.version
    newVersion = declared.version
    var draft = SchemaDraft(stored)
    versions = try plan.versions(from: stored, to: declared).map { version in
      draft.version = version.number
      let steps = try version.steps.map { step in
        let rows = try step.action.entityOfRows.flatMap { name -> Int? in
          // An entity that a step before has added has no rows.
          guard let before = try draft.nameBefore(of: name),
            let entity = stored[before]
          else { return 0 }
          return try count(entity.modelName)
        }
        try step.action.apply(to: &draft)
        return Step(step: step, rows: rows)
      }
      return Version(number: version.number, steps: steps)
    }
  }

  /// The versions, each with its steps.
  package var description: String {
    func text(_ version: Int?) -> String { version.map { "\($0)" } ?? "none" }
    if versions.isEmpty { return "version: \(text(oldVersion)), no steps" }
    let lines = versions.flatMap { version in
      ["version \(version.number):"]
        + version.steps.map { step in
          let rows = step.rows.map { " (\($0) \($0 == 1 ? "row" : "rows"))" } ?? ""
          return "  \(step.step)\(rows)"
        }
    }
    return (["version: \(text(oldVersion)) → \(text(newVersion))"] + lines)
      .joined(separator: "\n")
  }
}

extension MigrationAction {
  /// The entity whose rows the step reads, writes or drops; nil if it touches none.
  fileprivate var entityOfRows: String? {
    switch self {
    case .renameEntity, .renameAttribute, .renameRelationship, .addAttribute, .makeOptional, .run:
      nil
    case .dropEntity(let entity): entity
    case .dropAttributes(_, let entity), .dropRelationship(_, let entity),
      .makeRequired(_, let entity, _), .changeType(_, _, let entity, _, _),
      .set(_, let entity, _, _, _), .rows(let entity, _), .check(_, let entity),
      .removeDuplicates(_, let entity, _), .moveLinks(_, let entity, _),
      .changeKey(let entity, _, _), .fill(_, let entity, _):
      entity
    case .split(let split): split.entity
    case .fold(let fold): fold.entity
    case .move(let move): move.from
    }
  }
}

extension MigrationPlan {
  /// Returns the schema that the steps alone lead to, with the version of the last.
  ///
  /// - Throws: `invalidPlan` for steps that the schema does not allow, and for moved links, whose new
  ///   location is known to a declared schema alone.
  package func target(from stored: StoredSchema) throws -> StoredSchema {
    var draft = SchemaDraft(stored)
    let end = versions.last?.number ?? 0
    let isDone = leadsBack && stored.version ?? 0 <= end
    for version in versions
    where leadsBack
      ? !isDone && version.number < stored.version ?? 0
      : version.number > stored.version ?? 0
    {
      draft.version = version.number
      for step in version.steps { try step.action.apply(to: &draft) }
    }
    if let move = draft.linkMoves.first {
      throw draft.fault(
        "links move to where a declared schema stores them; name one", move.entity, [move.name])
    }
    var schema = draft.schema
    schema.version = leadsBack ? min(stored.version ?? 0, end) : max(stored.version ?? 0, end)
    schema.migrations = nil
    return schema
  }
}
