internal import ORMStorage

/// A row that texts name by the number of its scope.
struct SQLScope {
  /// The row's table.
  var table: SQLTable
  /// The form in which the text names the row's columns.
  var naming: Naming

  /// A form in which a text names the columns of a row.
  enum Naming: Hashable {
    /// Names alone, in a text about one table.
    case alone
    /// Names with the table's alias, in quotes.
    case alias(String)
    /// Bound values: the row is outside of the statement.
    case outside
  }
}

/// Names of rows and columns.
extension ConditionCompiler {
  /// The alias of a scope's table.
  func alias(_ scope: Int) -> String { dialect.quoted(Self.plainAlias(scope)) }
  /// The alias of a scope's table, without quotes.
  static func plainAlias(_ scope: Int) -> String { "t\(scope)" }

  /// Returns whether a text can compare an operand with a value.
  static func isSubject(_ operand: Operand) -> Bool {
    switch operand {
    case .path, .relatedValue, .relatedAggregate: true
    default: false
    }
  }

  /// The position in its entity of the attribute that a path names.
  func position(of path: Operand.Path) throws -> Int {
    guard let scope = scopes[path.scope], path.names.count == 1 else {
      throw StoreError(
        .invalidCondition,
        "\(path.names.joined(separator: ".")) is not an attribute of a row in scope",
        entity: table.entity.modelName, attributes: path.names)
    }
    guard let position = scope.table.entity.column(ofAttribute: path.names[0]) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name",
        entity: scope.table.entity.modelName, attributes: path.names)
    }
    return position
  }

  /// The position in the entity of an operand that is an attribute of the request's own row.
  func position(_ operand: Operand) -> Int? {
    guard case .path(let path) = operand, path.scope == 0 else { return nil }
    return try? position(of: path)
  }

  /// The column of an operand that is an attribute of a row.
  func column(_ operand: Operand) -> (column: SQLTable.Column, path: Operand.Path)? {
    guard case .path(let path) = operand, let scope = scopes[path.scope],
      let position = try? position(of: path)
    else { return nil }
    return (scope.table.column(position), path)
  }

  /// Returns the result column that describes a column of a scope's row.
  func source(_ position: Int, of scope: Int) throws -> SQLRowLayout.Column {
    guard let scope = scopes[scope] else { throw Self.noScope }
    var source = SQLRowLayout.Column(scope.table.column(position).stored)
    source.entity = scope.table.entity.modelName
    return source
  }

  /// The text of a column of a scope's row, or of its folded text.
  mutating func text(_ position: Int, of number: Int, isFolded: Bool = false) -> SQLText {
    guard let scope = scopes[number] else { return "NULL" }
    let column = scope.table.column(position)
    let plain = name(isFolded ? column.folded ?? column.name : column.name)
    switch scope.naming {
    case .alone: return SQLText(plain)
    case .alias(let alias): return "\(sql: alias).\(sql: plain)"
    case .outside:
      let outer = OuterColumn(scope: number, position: position)
      let index: Int
      if let known = outerColumns.firstIndex(of: outer) {
        index = known
      } else {
        index = outerColumns.count
        outerColumns.append(outer)
      }
      return "\(.outer(index, isFolded ? .folded : .stored(column.stored.type.kind)))"
    }
  }

  /// A column of a row outside of the statement.
  struct OuterColumn: Hashable {
    var scope: Int
    var position: Int
  }

  static var noScope: StoreError {
    StoreError(.invalidCondition, "a condition uses a row that is not in scope")
  }
}
