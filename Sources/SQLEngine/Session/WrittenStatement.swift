internal import ORMStorage

/// A statement that a program wrote itself, as a dialect writes it.
struct WrittenStatement {
  /// The text that is prepared.
  private(set) var text = ""
  private var values: [StoredValue] = []

  /// Writes a statement with the names of a layout.
  ///
  /// - Throws: `unknownEntity`, `unknownAttribute`.
  init(_ request: SQLRequest, _ schema: SQLSchema, _ dialect: any SQLDialect) throws {
    for part in request.parts {
      switch part {
      case .words(let words): text += words
      case .value(let value): text += parameter(for: value, dialect)
      case .list(let list):
        text +=
          list.isEmpty
          ? "NULL" : list.map { parameter(for: $0, dialect) }.joined(separator: ", ")
      case .entity(let name): text += dialect.quoted(table: try Self.table(name, schema).name)
      case .attribute(let name, let entity):
        let table = try Self.table(entity, schema)
        guard let column = table.entity.column(ofAttribute: name) else {
          throw StoreError(
            .unknownAttribute, "the entity has no attribute of this name", entity: entity,
            attributes: [name])
        }
        text += dialect.quoted(table.column(column).name)
      }
    }
  }

  private mutating func parameter(for value: StoredValue, _ dialect: any SQLDialect) -> String {
    values.append(value)
    guard let kind = value.kind else { return dialect.placeholder(values.count) }
    return dialect.placeholder(values.count, as: .stored(kind))
  }

  private static func table(_ name: String, _ schema: SQLSchema) throws -> SQLTable {
    guard let entity = schema.declared.entity(named: name) else {
      throw StoreError(.unknownEntity, "the schema has no entity of this name", entity: name)
    }
    return try schema.table(entity.name)
  }

  /// Binds the values, each in the form in which a column of its kind keeps it.
  func bind(to statement: any SQLStatement) throws {
    for (index, value) in values.enumerated() {
      if let kind = value.kind {
        try statement.bind(value, .stored(kind), at: index + 1)
      } else {
        try statement.bindNull(at: index + 1)
      }
    }
  }
}

/// The idle statements that programs wrote, which a session keeps for their next run.
struct WrittenStatements {
  private var idle: StatementCache<ExactText, Idle>

  private final class Idle {
    var statement: (any ProgramStatement)?
    init(_ statement: any ProgramStatement) { self.statement = statement }
  }

  /// No statement yet.
  init(capacity: Int) { idle = StatementCache(capacity: capacity) }

  /// Takes the statement of a text, until it is given back.
  mutating func take(
    _ text: String, prepare: (String) throws -> any ProgramStatement
  ) throws -> any ProgramStatement {
    guard let cached = idle.value(for: ExactText(text)), let statement = cached.statement else {
      return try prepare(text)
    }
    cached.statement = nil
    return statement
  }

  /// Gives a rewound statement back.
  mutating func giveBack(_ statement: any ProgramStatement, of text: String) {
    if let cached = idle.value(for: ExactText(text)) {
      cached.statement = statement
    } else {
      idle.insert(Idle(statement), for: ExactText(text))
    }
  }
}
