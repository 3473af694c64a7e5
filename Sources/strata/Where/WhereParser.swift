import ORM
import TextImport

/// Reads simple conditions, `ATTRIBUTE OPERATOR VALUE` joined by AND or OR (AND binds tighter),
/// until predicate formats exist.
///
/// Values are quoted texts, numbers, true, false, nil and bare words; each is read by the
/// attribute's type.
struct WhereParser {
  private let entity: StoredEntity
  private var tokens: [WhereToken]
  private var position = 0

  /// - Throws: `invalidCondition` for a quote that is not closed.
  init(_ text: String, entity: StoredEntity) throws {
    self.entity = entity
    tokens = try WhereToken.tokens(of: text)
  }

  /// - Throws: `invalidCondition` with the position and what was expected, `unknownAttribute`.
  mutating func parse() throws -> Condition {
    var ways = [try conjunction()]
    while take(word: "OR") { ways.append(try conjunction()) }
    if position < tokens.count { throw fault("AND, OR or the end was expected") }
    return ways.count == 1 ? ways[0] : .any(ways)
  }

  private mutating func conjunction() throws -> Condition {
    var parts = [try term()]
    while take(word: "AND") { parts.append(try term()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func term() throws -> Condition {
    if take(word: "NOT") { return .not(try term()) }
    guard case .word(let name)? = next() else { throw fault("an attribute was expected", back: 1) }
    guard let column = entity.column(ofAttribute: name) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name", entity: entity.modelName,
        attributes: [name])
    }
    let type = entity.columns[column].type
    let attribute = Operand.attribute(name)
    switch next() {
    case .symbol(let sign)?:
      let (name, options) = try split(sign)
      guard let comparator = Self.comparators[name],
        options.isEmpty || comparator == .equal || comparator == .notEqual
      else { throw fault("\(sign) is no operator", back: 1) }
      return .compare(attribute, comparator, .value(try value(type)), options)
    case .word(let word)?:
      let (name, options) = try split(word)
      if let way = Self.textOperators[name] {
        if way == .contains, case .array(let element) = type {
          return .isIn(.value(try value(element)), list: attribute, options)
        }
        return .text(attribute, way, .value(try value(type)), options)
      }
      guard name == "IN" else { throw fault("\(word) is no operator", back: 1) }
      return .isIn(attribute, list: .value(.array(try list(type))), options)
    default: throw fault("an operator was expected", back: 1)
    }
  }

  /// `{a, b}`, which may be empty.
  private mutating func list(_ type: AttributeType) throws -> [StoredValue] {
    guard take(symbol: "{") else { throw fault("{ was expected") }
    var elements: [StoredValue] = []
    if take(symbol: "}") { return elements }
    repeat { elements.append(try value(type)) } while take(symbol: ",")
    guard take(symbol: "}") else { throw fault("} was expected") }
    return elements
  }

  private static let textOperators: [String: TextOperator] = [
    "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
  ]

  private static let comparators: [String: Comparator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
    "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
  ]

  /// An operator's name and its modifiers: `BEGINSWITH[cd]`.
  private func split(_ word: String) throws -> (String, TextOptions) {
    let parts = word.split(separator: "[", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return (word.uppercased(), []) }
    guard parts[1].last == "]", parts[1].count > 1 else {
      throw fault("\(word) is no operator", back: 1)
    }
    var options: TextOptions = []
    for letter in parts[1].dropLast() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      default: throw fault("\(letter) is no modifier; there are c, d and n", back: 1)
      }
    }
    return (parts[0].uppercased(), options)
  }

  private mutating func value(_ type: AttributeType) throws -> StoredValue {
    switch next() {
    case .word(let word)? where word.lowercased() == "nil" || word.lowercased() == "null":
      return .null
    case .word(let text)?, .text(let text)?:
      // A number beside a number of another kind is compared as it is written.
      if let value = TextValue.value(of: text, as: type) { return value }
      if type.kind.isNumber, let number = TextValue.double(text) { return .double(number) }
      throw fault("\(text) is no \(type)", back: 1)
    default: throw fault("a value was expected", back: 1)
    }
  }

  private mutating func next() -> WhereToken? {
    defer { position += 1 }
    return position < tokens.count ? tokens[position] : nil
  }

  private mutating func take(word: String) -> Bool {
    guard position < tokens.count, case .word(let text) = tokens[position],
      text.uppercased() == word
    else { return false }
    position += 1
    return true
  }

  private mutating func take(symbol: String) -> Bool {
    guard position < tokens.count, tokens[position] == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  private func fault(_ message: String, back: Int = 0) -> StoreError {
    StoreError(
      .invalidCondition, "at term \(position - back + 1) of the condition: \(message)",
      entity: entity.modelName)
  }
}
