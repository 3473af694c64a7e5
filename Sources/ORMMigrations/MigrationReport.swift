internal import ORMStorage

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

  /// A step, and the number of rows of its entities before the migration; nil if it reads none.
  struct Step: Sendable {
    var step: MigrationStep
    var rows: Int?
  }

  /// Simulates a plan.
  ///
  /// - Parameter count: the number of rows of an entity that the store has.
  /// - Throws: `invalidPlan`; `schemaTooNew`; the error of `count`.
  package init(
    _ plan: MigrationPlan, from stored: StoredSchema, to declared: StoredSchema,
    count: (String) throws -> Int
  ) throws {
    _ = try plan.outcome(from: stored, to: declared)
    oldVersion = stored.version
    newVersion = declared.version
    let outline = try MigrationOutline(plan.versions(from: stored, to: declared), from: stored)
    versions = try outline.versions.map { followed in
      let steps = try followed.steps.map { step in
        let counts = try step.rows.compactMap { stored[$0] }.map { try count($0.modelName) }
        return Step(step: step.step, rows: step.effect.rows.isEmpty ? nil : counts.reduce(0, +))
      }
      return Version(number: followed.version.number, steps: steps)
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

extension MigrationPlan {
  /// Returns the schema that the steps alone lead to, with the version of the last.
  ///
  /// - Throws: `invalidPlan` for steps that the schema does not allow, and for moved links, whose new
  ///   location is known to a declared schema alone.
  package func target(from stored: StoredSchema) throws -> StoredSchema {
    let end = versions.last?.number ?? 0
    let isDone = leadsBack && stored.version ?? 0 <= end
    let rest = versions.filter {
      leadsBack
        ? !isDone && $0.number < stored.version ?? 0 : $0.number > stored.version ?? 0
    }
    let draft = try MigrationOutline(rest, from: stored).draft
    if let move = draft.linkMoves.first {
      throw draft.fault(
        "links move to where a declared schema stores them; name one", move.entity, [move.name])
    }
    var schema = draft.schema
    schema.version = leadsBack ? min(stored.version ?? 0, end) : max(stored.version ?? 0, end)
    schema.migrations = nil
    schema.aliases = nil
    return schema
  }
}
