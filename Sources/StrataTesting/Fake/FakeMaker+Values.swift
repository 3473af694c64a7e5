internal import Foundation
internal import ORM
internal import ORMCore

// The values of attributes: drawn until the row keeps every rule.

extension FakeMaker {
  /// An attribute whose value is drawn.
  private struct Drawn {
    /// The column in the table.
    let column: Int
    var draw: FakeDraw?
    let value: (@Sendable (inout FakeRandom) throws -> StoredValue)?
    /// The column that marks the presence of the optional struct that the attribute is in.
    let mark: Int?
    /// The number of the next distinct value; nil where values may repeat.
    var turn: Int?
  }

  /// A rule that a row broke: its attributes, and its name or nil for a unique rule.
  private struct Broken {
    let attributes: [String]
    let rule: String?
    /// True if no drawn attribute is among them.
    var isAboutLinks = false
  }

  mutating func makeValues() throws {
    for table in tables.indices where !tables[table].entity.isInternal {
      var seen = [Set<GroupKey>](repeating: [], count: tables[table].entity.indexes.count)
      for number in kinds.indices where kinds[number].table == table {
        try makeValues(ofKind: number, in: table, &seen)
      }
    }
  }

  private mutating func makeValues(
    ofKind number: Int, in table: Int, _ seen: inout [Set<GroupKey>]
  ) throws {
    let kind = kinds[number]
    let members = tables[table].kinds.indices.filter { tables[table].kinds[$0] == number }
    if members.isEmpty { return }
    var random = random("values", kind.entity.modelName)
    var drawn = try drawn(of: kind, count: members.count)
    let check = FakeChecks.of(kind.entity, settings.schema)
    for (order, row) in members.enumerated() {
      setManaged(kind, row, order)
      var attempt = 0
      while true {
        try draw(&drawn, row, in: table, attempt: attempt, &random)
        guard let broken = try broken(by: row, kind, check, drawn, &seen) else { break }
        attempt += 1
        if broken.isAboutLinks { redrawLinks(of: row, in: table, &random) }
        guard attempt < Self.attempts else {
          throw StoreError(
            .invalidSchema,
            "no row was found that keeps a rule, of \(attempt) that were drawn: set its attributes, "
              + "or ask for fewer rows", entity: kind.entity.modelName,
            attributes: broken.attributes, rule: broken.rule ?? "unique")
        }
      }
    }
  }

  /// The attributes of a kind whose values are drawn.
  private func drawn(of kind: FakeKind, count: Int) throws -> [Drawn] {
    let root = tables[kind.table].entity
    let links = Set(
      slots.filter { $0.table == kind.table }.flatMap { $0.columns + [$0.position ?? -1] })
    var marks: [String: Int] = [:]
    for (position, column) in kind.entity.columns.enumerated() {
      let isMark = kind.entity.columns.contains { $0.attribute.hasPrefix(column.attribute + ".") }
      if isMark { marks[column.attribute] = kind.columns[position] }
    }
    return try kind.entity.columns.enumerated().compactMap { position, column in
      let target = kind.columns[position]
      guard !root.key.contains(target), !links.contains(target), !column.isInternal,
        column.role == nil, column.derived == nil
      else { return nil }
      let value = settings.value(of: column.attribute, kind.names)
      let parents = column.attribute.split(separator: ".").dropLast()
      let mark = parents.indices.reversed().lazy
        .compactMap { marks[parents[...$0].joined(separator: ".")] }.first
      if value != nil {
        return Drawn(column: target, draw: nil, value: value, mark: mark, turn: nil)
      }
      let isUnique = root.indexes.contains { $0.isUnique && $0.terms.map(\.column) == [target] }
      var declared = column
      if mark != nil, marks[column.attribute] == nil { declared.isOptional = false }
      let choices: [StoredValue]? =
        marks[column.attribute] != nil
        ? [.bool(true)]
        : FakeChoices.of(column.attribute, in: kind.entity.modelName, settings.schema)
      let draw = try FakeDraw(
        declared, kind.bounds[column.attribute] ?? FakeBounds(), choices: choices,
        needed: isUnique ? count : nil, entity: kind.entity.modelName)
      return Drawn(
        column: target, draw: draw, value: nil, mark: mark,
        turn: isUnique && draw.turns != nil ? 0 : nil)
    }
  }

  private mutating func draw(
    _ drawn: inout [Drawn], _ row: Int, in table: Int, attempt: Int, _ random: inout FakeRandom
  ) throws {
    for index in drawn.indices {
      var value: StoredValue
      if let own = drawn[index].value {
        value = try own(&random)
      } else {
        let turn = drawn[index].turn
        value = drawn[index].draw?.value(&random, turn: turn, attempt: attempt) ?? .null
        drawn[index].turn = turn.map { $0 + 1 }
      }
      // The mark of a struct comes before its attributes.
      if let mark = drawn[index].mark, tables[table].rows[row][mark].isNull { value = .null }
      tables[table].rows[row][drawn[index].column] = value
    }
  }

  /// Sets the attributes that the operations manage, as a save would have.
  private mutating func setManaged(_ kind: FakeKind, _ row: Int, _ order: Int) {
    let created = Date(timeIntervalSinceReferenceDate: 725_846_400 + Double(order))
    for (position, column) in kind.entity.columns.enumerated() {
      let target = kind.columns[position]
      switch column.role {
      case .createdAt, .updatedAt: tables[kind.table].rows[row][target] = .date(created)
      case .version: tables[kind.table].rows[row][target] = .int(1)
      case .deletedAt, nil: break
      }
      if let derived = column.derived {
        tables[kind.table].rows[row][target] = derived.empty(column.type)
      }
    }
  }

  /// The rule that a row breaks; nil if it keeps all, whose unique values are then taken.
  private func broken(
    by row: Int, _ kind: FakeKind, _ check: FakeChecks?, _ drawn: [Drawn],
    _ seen: inout [Set<GroupKey>]
  ) throws -> Broken? {
    let values = tables[kind.table].rows[row]
    let entity = tables[kind.table].entity
    if let rule = try kind.brokenRule(by: values) {
      return Broken(attributes: rule.attributes, rule: rule.name)
    }
    if let attribute = try check?.broken(by: kind.columns.map { values[$0] }) {
      return Broken(attributes: [attribute], rule: "check")
    }
    var taken: [(Int, GroupKey)] = []
    for (number, index) in entity.indexes.enumerated() where index.isUnique {
      let terms = index.terms.map { term -> StoredValue in
        if term.form == .caseFolded, case .string(let text) = values[term.column] {
          return .string(TextFolding.fold(text, .caseInsensitive))
        }
        return values[term.column]
      }
      if terms.contains(where: \.isNull) { continue }
      let key = GroupKey(terms)
      if seen[number].contains(key) {
        let columns = index.terms.map(\.column)
        return Broken(
          attributes: columns.map { entity.columns[$0].attribute }, rule: nil,
          isAboutLinks: !drawn.contains { columns.contains($0.column) })
      }
      taken.append((number, key))
    }
    for (number, key) in taken { seen[number].insert(key) }
    return nil
  }
}
