internal import ORMStorage

/// A condition that there are related rows, with those inside it that go on from the last row: one
/// path, on whose steps conditions stand.
struct RelatedPath {
  /// The steps of all.
  var rows: RelatedRows
  /// The condition on the rows of a step, by its number; of the last one always.
  var conditions: [Int: Condition]

  /// The path of a condition that there are rows for which another holds.
  init(_ rows: RelatedRows, _ condition: Condition) {
    var steps = rows.steps
    var conditions: [Int: Condition] = [:]
    var condition = condition
    while let last = steps.last {
      var parts = condition.parts
      let next = parts.firstIndex { part in
        guard case .exists(let more, _) = part else { return false }
        return more.steps.first?.links.allSatisfy { $0.other.scope == last.scope } == true
      }
      guard let next, case .exists(let more, let inner) = parts.remove(at: next) else { break }
      if !parts.isEmpty { conditions[steps.count - 1] = Condition.all(parts).normalized() }
      steps += more.steps
      condition = inner
    }
    conditions[steps.count - 1] = condition
    self.rows = RelatedRows(steps)
    self.conditions = conditions
  }
}

/// Long paths to related rows, without the duplicates that would grow with every round of a cycle.
///
/// In `ANY firm.people.firm.people` each of the people leads back to the firm. A join enumerates
/// every combination; here the rows after such a step are made distinct first, so that the work is
/// bounded by the steps times the rows.
extension ConditionCompiler {
  /// Returns the numbers of the steps after which rows may repeat in the columns that the next step is tied
  /// to, and multiply where a later step leads to many.
  ///
  /// Returns none if there is one such step at most, if a step is tied to others than the one before, or if
  /// a condition names a row between.
  func repeatingSteps(of path: RelatedPath) throws -> [Int] {
    let steps = path.rows.steps
    guard let lastToMany = try steps.lastIndex(where: { try !isToOne($0) }) else { return [] }
    var repeating: [Int] = []
    for (number, (step, next)) in zip(steps, steps.dropFirst()).enumerated() {
      guard next.links.allSatisfy({ $0.other.scope == step.scope }) else { return [] }
      let entity = try schema.table(step.entity).entity
      var known = Set(next.links.compactMap { entity.column(ofAttribute: $0.other.names[0]) })
      if number == 0 {
        known.formUnion(step.links.compactMap { entity.column(ofAttribute: $0.attribute) })
      }
      if number < lastToMany, !known.isSuperset(of: entity.key) { repeating.append(number) }
    }
    guard repeating.count > 1 else { return [] }
    let scopes = Set(steps.map(\.scope))
    for (number, condition) in path.conditions {
      var named: Set<Int> = []
      _ = condition.mappingPaths { path in
        named.insert(path.scope)
        return path
      }
      named.remove(steps[number].scope)
      guard named.isDisjoint(with: scopes) else { return [] }
    }
    return repeating
  }

  /// The rows of a path whose steps were entered, made distinct after some of them.
  mutating func distinctSource(
    _ path: RelatedPath, after repeating: [Int]
  ) throws -> Source {
    let steps = path.rows.steps
    var tables: [SQLText] = []
    var from: SQLText = ""
    var tests: [Text] = []
    var nesting = 0
    let throwsOverflow = self.throwsOverflow
    self.throwsOverflow = false
    defer { self.throwsOverflow = throwsOverflow }
    for (number, step) in steps.enumerated() {
      if number == 0 {
        from = "FROM \(try aliasedTable(of: step))"
        tests = try ties(of: step)
        if countsRows {
          tests.insert(Text(text: try rowCount(of: step.scope), canBeNull: false), at: 0)
        }
      } else {
        from.append(try join(step))
      }
      if let condition = path.conditions[number], condition != .constant(true) {
        tests.append(try text(of: try piece(condition)))
      }
      guard repeating.contains(number) else { continue }
      // The columns keep the alias and the names that they have in the table.
      var columns: [SQLText] = []
      for link in steps[number + 1].links {
        let position = try position(of: link.other)
        guard let column = scopes[step.scope]?.table.column(position) else { throw Self.noScope }
        let named: SQLText = "\(text(position, of: step.scope)) AS \(sql: name(column.name))"
        if !columns.contains(named) { columns.append(named) }
      }
      let table = name("strata_path\(step.scope)")
      let source = try source(from, tests, .constant(true))
      nesting = max(nesting, source.nesting)
      tables.append(
        "\(sql: table) AS (SELECT DISTINCT \(columns.joined(separator: ", ")) \(source.text))")
      from = "FROM \(sql: table) AS \(sql: alias(step.scope))"
      tests = []
    }
    var source = try source(from, tests, .constant(true))
    source.with = "WITH \(tables.joined(separator: ", ")) "
    source.nesting = max(nesting, source.nesting) + 1
    return source
  }
}
