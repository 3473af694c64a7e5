internal import ORMStorage

/// Steps that set 64-bit integers of all rows of one entity, one after another, and that one update
/// makes.
///
/// An attribute that an earlier step has set stands for its expression, so each row is written once. The
/// outcome is that of one update for each step: every intermediate result is checked for overflow, and a
/// null in an expression makes the whole null.
struct FusedSets {
  /// The most columns and constants of an expression: an attribute may occur in it several times.
  private static let mostLeaves = 64

  /// The entity; nil before the first step.
  private(set) var entity: String?
  /// The attributes, each with an expression over rows as they are before all steps.
  private(set) var values: [String: Operand] = [:]

  /// Takes a step after the others.
  ///
  /// - Returns: false, with nothing changed, for a step that has to run by itself.
  mutating func take(_ action: MigrationAction, in draft: SchemaDraft) throws -> Bool {
    guard case .set(let name, let entity, let text, condition: nil, let mapping) = action,
      mapping.isExact, self.entity == nil || self.entity == entity
    else { return false }
    let stored = try draft.entity(entity)
    guard let target = stored.column(ofAttribute: name), stored.columns[target].type == .int64
    else { return false }
    var parser = try FormatParser(text, for: .stored(stored, draft.schema))
    let operand = try parser.operand()
    // A value that is replaced has to be computed all the same, since it may overflow.
    guard values[name] == nil || operand.names(name), operand.isOfIntegers(of: stored) else {
      return false
    }
    let value = operand.replacing(values)
    if value.leaves > Self.mostLeaves { return false }
    self.entity = entity
    values[name] = value
    return true
  }
}

extension Operand {
  /// Returns whether it is a sum, difference or product of constants and attributes of an entity whose
  /// values fit into 64-bit integers.
  fileprivate func isOfIntegers(of entity: StoredEntity) -> Bool {
    switch self {
    case .arithmetic(let symbol, let left, let right):
      [.add, .subtract, .multiply].contains(symbol) && left.isOfIntegers(of: entity)
        && right.isOfIntegers(of: entity)
    case .value(.int): true
    case .path(let path):
      path.scope == 0 && path.names.count == 1
        && entity.column(ofAttribute: path.names[0])
          .map { entity.columns[$0].type.integerRange != nil } ?? false
    default: false
    }
  }

  /// Returns whether arithmetic names an attribute.
  fileprivate func names(_ attribute: String) -> Bool {
    switch self {
    case .arithmetic(_, let left, let right): left.names(attribute) || right.names(attribute)
    case .path(let path): path.names == [attribute]
    default: false
    }
  }

  /// Returns arithmetic with expressions instead of attributes.
  fileprivate func replacing(_ values: [String: Operand]) -> Operand {
    switch self {
    case .arithmetic(let symbol, let left, let right):
      .arithmetic(symbol, left.replacing(values), right.replacing(values))
    case .path(let path): values[path.names[0]] ?? self
    default: self
    }
  }

  /// The number of attributes and constants in arithmetic.
  fileprivate var leaves: Int {
    if case .arithmetic(_, let left, let right) = self { left.leaves + right.leaves } else { 1 }
  }
}
