import ORM
import TextImport

/// Reads simple conditions, `ATTRIBUTE OPERATOR VALUE` joined by AND or OR (AND binds tighter),
/// until predicate formats exist. Values are quoted texts, numbers, true, false, nil and bare
/// words; each is read by the attribute's type.
struct WhereParser {
  private let entity: StoredEntity
  private var tokens: [WhereToken]
  private var position = 0

  init(_ text: String, entity: StoredEntity) {
    self.entity = entity
    tokens = WhereToken.tokens(of: text)
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
    case .symbol(let symbol)?:
      guard let comparator = Self.comparators[symbol] else {
        throw fault("\(symbol) is no operator", back: 1)
      }
      return .compare(attribute, comparator, .value(try value(type)), [])
    case .word(let word)?:
      let (name, options) = Self.split(word)
      switch name {
      case "CONTAINS":
        if case .array(let element) = type {
          return .isIn(.value(try value(element)), list: attribute, options)
        }
        return .text(attribute, .contains, .value(try value(type)), options)
      case "BEGINSWITH": return .text(attribute, .beginsWith, .value(try value(type)), options)
      case "ENDSWITH": return .text(attribute, .endsWith, .value(try value(type)), options)
      case "LIKE": return .text(attribute, .like, .value(try value(type)), options)
      case "==", "=", "IS": return .compare(attribute, .equal, .value(try value(type)), options)
      case "IN":
        guard next() == .symbol("{") else { throw fault("{ was expected", back: 1) }
        var elements: [StoredValue] = []
        repeat { elements.append(try value(type)) } while take(symbol: ",")
        guard next() == .symbol("}") else { throw fault("} was expected", back: 1) }
        return .isIn(attribute, list: .value(.array(elements)), options)
      default: throw fault("\(word) is no operator", back: 1)
      }
    default: throw fault("an operator was expected", back: 1)
    }
  }

  private static let comparators: [String: Comparator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
    "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
  ]

  /// An operator's name and its modifiers: `BEGINSWITH[cd]`.
  private static func split(_ word: String) -> (String, TextOptions) {
    let parts = word.split(separator: "[", maxSplits: 1)
    guard parts.count == 2 else { return (word.uppercased(), []) }
    var options: TextOptions = []
    if parts[1].contains("c") { options.insert(.caseInsensitive) }
    if parts[1].contains("d") { options.insert(.diacriticInsensitive) }
    if parts[1].contains("n") { options.insert(.normalized) }
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
