import Foundation
import ORM
import ORMMigrations

/// A change of a schema that is measured.
enum MigrationWork: CaseIterable {
  case open, planned, rename, drop, add, index, indexAtOnce, set, rows, changeType, five,
    rowsInParts
  case fiveInParts, lastPart

  /// True for a migration of many transactions, which hand-written code has no like of.
  var isInParts: Bool { self == .rowsInParts || self == .fiveInParts || self == .lastPart }

  /// The name with the goal.
  var name: String {
    switch self {
    case .open: "opening, no plan"
    case .planned: "opening, plan done before (goal: 1 ms more)"
    case .rename: "rename of entity and attribute (goal: 10 ms)"
    case .drop: "drop of an attribute (goal: 10 ms)"
    case .add: "new attribute (goal: 10 ms)"
    case .index: "new index of an integer, beside writers where there is such a form"
    case .indexAtOnce: "new index of an integer, in one transaction"
    case .set: "set by expression (goal: 1.1 × SQLite, 1.2 × LMDB)"
    case .rows: "closure, 8 columns (goal: 4 µs SQLite, 2 µs LMDB; 50 MB)"
    case .changeType: "integer to double"
    case .five: "five versions, a set each (goal: 1.4 × one)"
    case .rowsInParts: "closure in many transactions (goal: 1.6 × one)"
    case .fiveInParts: "five versions in many transactions (goal: 1.6 × one)"
    case .lastPart: "the last of many transactions (goal: 50 ms)"
    }
  }

  /// Returns whether every row is concerned: times are then those of a row, not of an opening.
  var isOfRows: Bool {
    switch self {
    case .open, .planned, .rename, .drop, .add, .lastPart: false
    case .index, .indexAtOnce, .set, .rows, .changeType, .five, .rowsInParts, .fiveInParts: true
    }
  }

  /// The entity and its attribute of scores afterwards.
  var scores: (entity: String, attribute: String) {
    self == .rename ? ("Person", "points") : ("Player", "score")
  }

  /// The schema afterwards.
  func schema() throws -> Schema {
    let (entity, score) = scores
    var attributes = [
      AttributeDescription("id", .int64), AttributeDescription("name", .string),
      AttributeDescription("team", .int64, isOptional: true),
      AttributeDescription(score, self == .changeType ? .double : .int64),
      AttributeDescription("rating", .double), AttributeDescription("country", .string),
      AttributeDescription("isActive", .bool),
    ]
    if self != .drop { attributes.append(AttributeDescription("note", .string, isOptional: true)) }
    if self == .add { attributes.append(AttributeDescription("bonus", .int64, isOptional: true)) }
    return try Schema(
      entities: [
        EntityDescription(
          name: entity, attributes: attributes, key: ["id"],
          indexes: self == .index || self == .indexAtOnce
            ? [IndexDescription([.init(score)])] : [])
      ],
      version: plan?.versions.last?.number ?? 1)
  }

  /// The plan that leads there; nil for none.
  var plan: MigrationPlan? {
    switch self {
    case .open: nil
    // The index itself is an addition.
    case .index, .indexAtOnce: step()
    case .planned: MigrationPlan([.version(1, [.dropEntity("Draft")])])
    case .rename:
      step(
        .renameEntity("Player", to: "Person"),
        .renameAttribute("score", to: "points", in: "Person"))
    case .drop: step(.dropAttributes(["note"], in: "Player"))
    case .add: step(.addAttribute("bonus", .int64, in: "Player"))
    case .set: step(.set("score", in: "Player", to: "score * 2 + 1"))
    case .rows, .rowsInParts: step(Self.closure)
    case .lastPart:
      // A transaction ends after an operation of more than 200 ms: the last one has no rows to write.
      step(
        Self.closure, .run(named: "rest", revision: 1) { _ in Thread.sleep(forTimeInterval: 0.3) })
    case .changeType: step(.changeType(of: "score", to: .double, in: "Player"))
    case .five, .fiveInParts:
      MigrationPlan((2...6).map { .version($0, [.set("score", in: "Player", to: "score + 1")]) })
    }
  }

  private static let closure = MigrationStep.rows(of: "Player", named: "notes", revision: 1) {
    row in
    if case .int(let score) = row["score"] { row["score"] = .int(score + 1000) }
    if case .string(let name) = row["name"], case .string(let country) = row["country"] {
      row["note"] = .string("\(name), \(country)")
    }
  }

  private func step(_ steps: MigrationStep...) -> MigrationPlan {
    MigrationPlan([.version(2, steps)])
  }

  /// The statements of SQLite for the same; nil where a loop over rows does it.
  var statements: [String]? {
    switch self {
    case .open, .planned: []
    case .rename:
      ["ALTER TABLE plain RENAME TO Person", "ALTER TABLE Person RENAME COLUMN score TO points"]
    case .drop: ["ALTER TABLE plain DROP COLUMN note"]
    case .add: ["ALTER TABLE plain ADD COLUMN bonus INTEGER"]
    case .set: ["UPDATE plain SET score = score * 2 + 1"]
    case .index, .indexAtOnce: ["CREATE INDEX scores ON plain(score)"]
    case .rows, .rowsInParts, .fiveInParts, .lastPart: nil
    case .changeType:
      [
        "ALTER TABLE plain ADD COLUMN number REAL", "UPDATE plain SET number = score",
        "ALTER TABLE plain DROP COLUMN score", "ALTER TABLE plain RENAME COLUMN number TO score",
      ]
    case .five: ["UPDATE plain SET score = score + 5"]
    }
  }

  /// The query for the sum of the scores in a file of hand-written SQL.
  var sumQuery: String {
    let table = self == .rename ? "Person" : "plain"
    return "SELECT sum(\(scores.attribute)) FROM \(table)"
  }
}
