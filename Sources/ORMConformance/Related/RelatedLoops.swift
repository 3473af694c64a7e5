internal import ORM
internal import ORMCore
internal import ORMObservation

/// Answers questions over related rows by loops inside loops, from the words of the nodes: every
/// row of every step is looked at, and the parts of a condition become plain values.
struct RelatedLoops {
  let content: RelatedContent

  /// The rows in scope, by scope.
  typealias Rows = [Int: (entity: StoredEntity, row: [StoredValue])]

  /// Returns the rows that a store should give.
  func answer(_ question: RelatedQuestion) throws -> [[StoredValue]] {
    let entity = question.entity
    var found = try (content.rows[entity.name] ?? [])
      .map { row in (row: row, rows: [0: (entity: entity, row: row)]) }
      .filter { try holds(question.condition, $0.rows) }
      .map { row, rows in
        (row: row, rows: rows, keys: try question.sort.map { try value($0.operand, rows) })
      }
    found.sort { a, b in
      for (index, term) in question.sort.enumerated() {
        let order = Self.order(a.keys[index], b.keys[index])
        if order != 0 { return term.isDescending ? order > 0 : order < 0 }
      }
      return false
    }
    let page = found.dropFirst(question.offset).prefix(question.limit ?? found.count)
    switch question.output {
    case .rows: return page.map(\.row)
    case .values(let operands):
      return try page.map { match in try operands.map { try value($0, match.rows) } }
    case .joined(let step, let names):
      return try page.flatMap { match in
        try combinations(RelatedRows([step]), match.rows).map { rows in
          try (rows[step.scope]?.row ?? [])
            + names.map { try value(.path(Operand.Path([$0])), match.rows) }
        }
      }
    case .aggregates(let aggregates):
      return [
        try aggregates.map { aggregate in
          let values = try found.map { match in
            try aggregate.operand.map { try value($0, match.rows) } ?? .bool(true)
          }
          return try NaiveAggregate.value(of: aggregate.kind, over: values, kind: .int)
        }
      ]
    case .groups(let keys, let aggregates, _):
      let rows = try found.map { match in
        (
          keys: try keys.map { try value($0, match.rows) },
          values: try aggregates.map { aggregate in
            try aggregate.operand.map { try value($0, match.rows) } ?? .bool(true)
          }
        )
      }
      return try NaiveGroups.groups(of: rows, aggregates.map { ($0.kind, .int) })
        .map { try $0.row() }
    }
  }

  /// Nil comes first; everything asked for here is of one kind.
  private static func order(_ a: StoredValue, _ b: StoredValue) -> Int {
    switch (a.isNull, b.isNull) {
    case (true, true): 0
    case (true, false): -1
    case (false, true): 1
    default: NaiveOrder.total(a, b)
    }
  }

  func holds(_ condition: Condition, _ rows: Rows) throws -> Bool {
    switch condition {
    case .not(let inner): return try !holds(inner, rows)
    case .all(let parts): return try parts.allSatisfy { try holds($0, rows) }
    case .any(let parts): return try parts.contains { try holds($0, rows) }
    case .exists(let related, let inner):
      return try combinations(related, rows).contains { try holds(inner, $0) }
    case .compare(let left, let comparator, let right, let options):
      return try plain.holds(
        .compare(
          .value(value(left, rows)), comparator, .value(value(right, rows)), options))
    case .isIn(let element, let list, let options):
      return try plain.holds(
        .isIn(.value(value(element, rows)), list: .value(value(list, rows)), options))
    case .text(let text, let symbol, let other, let options):
      return try plain.holds(
        .text(.value(value(text, rows)), symbol, .value(value(other, rows)), options))
    case .someItem(let array, let scope, let inner):
      return try chosen(of: array, scope, inner, rows)?.isEmpty == false
    case .constant, .some, .invalid: return try plain.holds(condition)
    }
  }

  func value(_ operand: Operand, _ rows: Rows) throws -> StoredValue {
    switch operand {
    case .path(let path):
      guard let (entity, row) = rows[path.scope],
        let column = entity.column(ofAttribute: path.names[0])
      else { throw StoreError(.unknownAttribute, "no row has \(path)") }
      return row[column]
    case .arithmetic(let symbol, let left, let right):
      return try plain.value(
        .arithmetic(symbol, .value(value(left, rows)), .value(value(right, rows))))
    case .choice(let condition, let first, let second):
      return try value(holds(condition, rows) ? first : second, rows)
    case .function(.last, let inner):
      return NaiveJSON.elements(of: try value(inner, rows))?.last ?? .null
    case .function(let function, let inner):
      return try plain.value(.function(function, .value(value(inner, rows))))
    case .relatedValue(let inner, let related):
      return try combinations(related, rows).first.map { try value(inner, $0) } ?? .null
    case .relatedAggregate(let kind, let inner, let related, let condition):
      let values = try combinations(related, rows).filter { try holds(condition, $0) }
        .map { rows in try inner.map { try value($0, rows) } ?? .bool(true) }
      return try NaiveAggregate.value(of: kind, over: values, kind: .int)
    case .list(let parts): return .array(try parts.map { try value($0, rows) })
    case .json(let inner, let steps):
      return try plain.value(.json(.value(value(inner, rows)), steps))
    case .element(let inner, let index):
      guard let elements = NaiveJSON.elements(of: try value(inner, rows)),
        elements.indices.contains(index)
      else { return .null }
      return elements[index]
    case .ofItems(let kind, let array, let scope, let condition):
      guard let elements = try chosen(of: array, scope, condition, rows) else { return .null }
      return kind == .count
        ? .int(Int64(elements.count))
        : try NaiveAggregate.value(of: kind, over: elements, kind: nil)
    default: return try plain.value(operand)
    }
  }

  /// Returns the elements of an array that satisfy a condition; nil where there is no array.
  private func chosen(
    of array: Operand, _ scope: Int, _ condition: Condition, _ rows: Rows
  ) throws -> [StoredValue]? {
    try NaiveJSON.elements(of: value(array, rows))?.filter { element in
      try holds(condition.rewriting { $0 == .item(scope) ? .value(element) : nil }, rows)
    }
  }

  private var plain: NaiveEvaluator {
    NaiveEvaluator(entity: Player.entity.description, row: [:])
  }

  /// Every way to take a row for each step so that all links hold, with the rows around.
  private func combinations(_ related: RelatedRows, _ rows: Rows) throws -> [Rows] {
    var found = [rows]
    for step in related.steps {
      guard let entity = content.schema[step.entity] else {
        throw StoreError(.unknownEntity, "no entity \(step.entity)")
      }
      var longer: [Rows] = []
      for rows in found {
        for row in content.rows[step.entity] ?? [] {
          let isLinked = try step.links.allSatisfy { link in
            let before = try value(.path(link.other), rows)
            guard let column = entity.column(ofAttribute: link.attribute) else { return false }
            return !before.isNull && !row[column].isNull && NaiveOrder.equals(before, row[column])
          }
          let isSeen =
            try step.nullAttribute.map { name in
              guard let column = entity.column(ofAttribute: name) else {
                throw StoreError(.unknownAttribute, "no attribute \(name)")
              }
              return row[column].isNull
            } ?? true
          if isLinked, isSeen {
            longer.append(rows.merging([step.scope: (entity: entity, row: row)]) { $1 })
          }
        }
      }
      found = longer
    }
    return found
  }
}
