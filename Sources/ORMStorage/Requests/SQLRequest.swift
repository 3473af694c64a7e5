public import ORMValues

/// A statement of SQL that a program writes itself, with the values that are bound to it.
///
/// Values never enter the text: an interpolated value becomes a placeholder, and names of entities and
/// attributes are quoted as the store names its tables and columns.
///
/// ```swift
/// let request: SQLRequest =
///   "SELECT * FROM \(entity: "Snack") WHERE \(attribute: "price", of: "Snack") > \(StoredValue.double(2))"
/// ```
///
/// With the module `ORM`, models, key paths and values of attributes are interpolated as they are.
public struct SQLRequest: Hashable, Sendable {
  /// The parts, in order.
  public private(set) var parts: [Part]

  /// A part of a statement.
  public enum Part: Hashable, Sendable {
    /// Words of SQL.
    case words(String)
    /// A value that is bound.
    case value(StoredValue)
    /// Values that are bound, with commas between them; NULL without any.
    case list([StoredValue])
    /// The table of the entity with this name in the program.
    case entity(String)
    /// The column of an attribute of the entity with this name in the program.
    case attribute(String, entity: String)

    /// Returns whether two parts are the same; words are compared by scalars.
    public static func == (a: Part, b: Part) -> Bool {
      switch (a, b) {
      case (.words(let a), .words(let b)): a.hasSameScalars(as: b)
      case (.value(let a), .value(let b)): a == b
      case (.list(let a), .list(let b)): a == b
      case (.entity(let a), .entity(let b)): a == b
      case (.attribute(let a, let entity), .attribute(let b, let other)): a == b && entity == other
      default: false
      }
    }
  }

  /// Makes a statement of words alone, which come from the program and not from its users.
  public init(words: String) { parts = [.words(words)] }

  private init(parts: [Part]) { self.parts = parts }

  /// Returns the statement with other names of entities and attributes.
  package func mapping(_ map: (Part) throws -> Part) rethrows -> SQLRequest {
    SQLRequest(parts: try parts.map(map))
  }
}

extension SQLRequest: ExpressibleByStringInterpolation {
  /// Makes a statement of words alone.
  public init(stringLiteral value: String) { self.init(words: value) }
  /// Makes a statement by interpolation.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The parts that an interpolation has collected.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []
    /// Begins an empty statement.
    public init(literalCapacity: Int, interpolationCount: Int) {}
    /// Adds words of SQL.
    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.words(literal)) }
    }
    /// Adds a value that is bound.
    public mutating func appendInterpolation(_ value: StoredValue) { parts.append(.value(value)) }
    /// Adds values that are bound, with commas between them, for `IN (…)`.
    public mutating func appendInterpolation(list values: [StoredValue]) {
      parts.append(.list(values))
    }
    /// Adds the table of an entity.
    public mutating func appendInterpolation(entity name: String) { parts.append(.entity(name)) }
    /// Adds the column of an attribute.
    public mutating func appendInterpolation(attribute name: String, of entity: String) {
      parts.append(.attribute(name, entity: entity))
    }
    /// Adds another statement, or a piece of one.
    public mutating func appendInterpolation(_ other: SQLRequest) { parts += other.parts }
    /// Adds words of SQL, which come from the program and not from its users.
    public mutating func appendInterpolation(words: String) { parts.append(.words(words)) }
  }
}

extension SQLRequest: CustomStringConvertible {
  /// The statement with `?` for each value, and without the values.
  public var description: String {
    parts.map { part in
      switch part {
      case .words(let words): words
      case .value: "?"
      case .list(let values): values.map { _ in "?" }.joined(separator: ", ")
      case .entity(let name), .attribute(let name, _): "\"\(name)\""
      }
    }.joined()
  }
}

extension SQLRequest {
  /// The entity that the statement names first.
  package var firstEntity: String? {
    for part in parts {
      switch part {
      case .entity(let name), .attribute(_, let name): return name
      case .words, .value, .list: continue
      }
    }
    return nil
  }

  /// The error of a store that is no SQL database.
  static var isUnsupported: StoreError {
    StoreError(
      .unsupported,
      "the store does not speak SQL; ask by a query of the model, or use a store that is a SQL database"
    )
  }
}
