public import ORMValues

/// A value inside a condition, a sort or an assignment.
public indirect enum Operand: Hashable, Codable, Sendable {
  /// A value written down.
  case value(StoredValue)
  /// A value bound when the request runs: the slot in `FetchRequest.bindings`, and the kind of its value,
  /// which is part of the request's shape. Never null.
  case parameter(Int, AttributeType.Kind)
  /// A list bound when the request runs: its slot holds an `.array` without nulls, all of `kind`
  /// (nil: of several), of at most `capacity` elements (a power of two).
  case parameterList(Int, AttributeType.Kind?, capacity: Int)
  /// An attribute of a row.
  case path(Path)
  /// The value found in a JSON attribute by following steps; null if there is none.
  case json(Operand, [JSONStep])
  /// An element of an array, from 0; null out of range.
  case element(Operand, Int)
  /// Arithmetic (clause 2.6).
  case arithmetic(ArithmeticOperator, Operand, Operand)
  /// Unary minus.
  case negated(Operand)
  /// A pure function of one value.
  case function(Function, Operand)
  /// One of two values: the first where the condition holds, the second elsewhere.
  case choice(Condition, Operand, Operand)
  /// An aggregate over those elements of a to-many that satisfy a condition; nil as its operand
  /// counts them.
  ///
  /// Core turns it into `relatedAggregate` before a store is asked.
  case ofElements(Aggregate.Kind, Operand?, Elements, Condition)
  /// An aggregate over those related rows that satisfy a condition (clause 4.1).
  case relatedAggregate(Aggregate.Kind, Operand?, RelatedRows, Condition)
  /// The value of the operand in the only related row; null where there is none. Core promises
  /// that there is at most one.
  case relatedValue(Operand, RelatedRows)
  /// The element that the ``Condition/someItem(of:scope:_:)`` or
  /// ``Operand/ofItems(_:_:scope:_:)`` around names by this scope.
  case item(Int)
  /// An aggregate over those elements of an array that satisfy a condition, which names them
  /// ``Operand/item(_:)``; null where there is no array. A count counts elements, nil among them.
  case ofItems(Aggregate.Kind, Operand, scope: Int, Condition)
  /// An array of values worked out one by one.
  case list([Operand])
  /// A value that is given by name before anything is asked.
  case variable(String)
  /// The timestamp of the request; core puts it in before a store is asked.
  case now
  /// A column of a result row, from 0; only conditions on groups and their order name one.
  case output(Int)
  /// An operand that could not be made; it throws its error at first use (clause 7.4).
  case invalid(StoreError)

  /// The path to an attribute: names from a scope's row on.
  ///
  /// The last is an attribute; the names before it are to-one relationships. Requests to stores have one
  /// name: core turns the others into ``Operand/relatedValue(_:_:)``.
  public struct Path: Hashable, Codable, Sendable {
    /// The row the path starts at: 0 is the request's own.
    public var scope: Int
    /// Names in the program; never empty.
    public var names: [String]

    /// Makes a path.
    public init(_ names: [String], scope: Int = 0) {
      self.scope = scope
      self.names = names
    }
  }

  /// The attribute of the request's own row with this name.
  public static func attribute(_ name: String) -> Operand { .path(Path([name])) }
}

// The parts and the coded form of each case. A new case is added here; walks over trees go by the parts.

extension Operand {
  /// The operand with its parts replaced, from the left to the right.
  ///
  /// The paths to elements and to related rows are replaced too, if a function is given for them.
  package func mapParts(
    _ condition: (Condition) throws -> Condition, _ operand: (Operand) throws -> Operand,
    elements: (Elements) -> Elements = { $0 },
    rows: (RelatedRows) -> RelatedRows = { $0 }
  ) rethrows -> Operand {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output: self
    case .json(let inner, let steps): .json(try operand(inner), steps)
    case .element(let inner, let index): .element(try operand(inner), index)
    case .arithmetic(let symbol, let left, let right):
      .arithmetic(symbol, try operand(left), try operand(right))
    case .negated(let inner): .negated(try operand(inner))
    case .choice(let test, let first, let second):
      .choice(try condition(test), try operand(first), try operand(second))
    case .function(let function, let inner): .function(function, try operand(inner))
    case .ofElements(let kind, let inner, let path, let test):
      .ofElements(kind, try inner.map(operand), elements(path), try condition(test))
    case .relatedAggregate(let kind, let inner, let path, let test):
      .relatedAggregate(kind, try inner.map(operand), rows(path), try condition(test))
    case .relatedValue(let inner, let path): .relatedValue(try operand(inner), rows(path))
    case .ofItems(let kind, let array, let scope, let test):
      .ofItems(kind, try operand(array), scope: scope, try condition(test))
    case .list(let parts): .list(try parts.map(operand))
    }
  }

  /// Visits the parts, from the left to the right.
  package func forEachPart(_ condition: (Condition) -> Void, _ operand: (Operand) -> Void) {
    switch self {
    case .value, .parameter, .parameterList, .path, .invalid, .item, .variable, .now, .output: break
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner),
      .relatedValue(let inner, _):
      operand(inner)
    case .arithmetic(_, let left, let right):
      operand(left)
      operand(right)
    case .choice(let test, let first, let second):
      condition(test)
      operand(first)
      operand(second)
    case .ofElements(_, let inner, _, let test), .relatedAggregate(_, let inner, _, let test):
      if let inner { operand(inner) }
      condition(test)
    case .ofItems(_, let array, _, let test):
      operand(array)
      condition(test)
    case .list(let parts): parts.forEach(operand)
    }
  }

  /// The related rows that the operand's value comes from; nil for any other operand.
  package var relatedRows: RelatedRows? {
    switch self {
    case .relatedAggregate(_, _, let rows, _), .relatedValue(_, let rows): rows
    default: nil
    }
  }
}

extension Operand {
  /// Reads an operand in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no operand.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "value": self = .value(try coded.value())
    case "parameter": self = .parameter(try coded.value(), try coded.value("_1"))
    case "parameterList":
      self = .parameterList(
        try coded.value(), try coded.optional("_1"), capacity: try coded.value("capacity"))
    case "path": self = .path(try coded.value())
    case "json": self = .json(try coded.value(), try coded.value("_1"))
    case "element": self = .element(try coded.value(), try coded.value("_1"))
    case "arithmetic":
      self = .arithmetic(try coded.value(), try coded.value("_1"), try coded.value("_2"))
    case "negated": self = .negated(try coded.value())
    case "function": self = .function(try coded.value(), try coded.value("_1"))
    case "choice": self = .choice(try coded.value(), try coded.value("_1"), try coded.value("_2"))
    case "ofElements":
      self = .ofElements(
        try coded.value(), try coded.optional("_1"), try coded.value("_2"), try coded.value("_3"))
    case "relatedAggregate":
      self = .relatedAggregate(
        try coded.value(), try coded.optional("_1"), try coded.value("_2"), try coded.value("_3"))
    case "relatedValue": self = .relatedValue(try coded.value(), try coded.value("_1"))
    case "item": self = .item(try coded.value())
    case "ofItems":
      self = .ofItems(
        try coded.value(), try coded.value("_1"), scope: try coded.value("scope"),
        try coded.value("_3"))
    case "list": self = .list(try coded.value())
    case "variable": self = .variable(try coded.value())
    case "now": self = .now
    case "output": self = .output(try coded.value())
    case "invalid": self = .invalid(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the operand as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value): try CodedCase.encode("value", value, to: encoder)
    case .parameter(let slot, let kind):
      try CodedCase.encode("parameter", parts: ["_0": slot, "_1": kind], to: encoder)
    case .parameterList(let slot, let kind, let capacity):
      try CodedCase.encode(
        "parameterList", parts: ["_0": slot, "_1": kind, "capacity": capacity], to: encoder)
    case .path(let path): try CodedCase.encode("path", path, to: encoder)
    case .json(let value, let steps):
      try CodedCase.encode("json", parts: ["_0": value, "_1": steps], to: encoder)
    case .element(let array, let position):
      try CodedCase.encode("element", parts: ["_0": array, "_1": position], to: encoder)
    case .arithmetic(let symbol, let a, let b):
      try CodedCase.encode("arithmetic", parts: ["_0": symbol, "_1": a, "_2": b], to: encoder)
    case .negated(let value): try CodedCase.encode("negated", value, to: encoder)
    case .function(let function, let value):
      try CodedCase.encode("function", parts: ["_0": function, "_1": value], to: encoder)
    case .choice(let condition, let a, let b):
      try CodedCase.encode("choice", parts: ["_0": condition, "_1": a, "_2": b], to: encoder)
    case .ofElements(let kind, let value, let elements, let condition):
      try CodedCase.encode(
        "ofElements", parts: ["_0": kind, "_1": value, "_2": elements, "_3": condition], to: encoder
      )
    case .relatedAggregate(let kind, let value, let rows, let condition):
      try CodedCase.encode(
        "relatedAggregate", parts: ["_0": kind, "_1": value, "_2": rows, "_3": condition],
        to: encoder)
    case .relatedValue(let value, let rows):
      try CodedCase.encode("relatedValue", parts: ["_0": value, "_1": rows], to: encoder)
    case .item(let scope): try CodedCase.encode("item", scope, to: encoder)
    case .ofItems(let kind, let value, let scope, let condition):
      try CodedCase.encode(
        "ofItems", parts: ["_0": kind, "_1": value, "scope": scope, "_3": condition], to: encoder)
    case .list(let values): try CodedCase.encode("list", values, to: encoder)
    case .variable(let name): try CodedCase.encode("variable", name, to: encoder)
    case .now: CodedCase.encode("now", to: encoder)
    case .output(let position): try CodedCase.encode("output", position, to: encoder)
    case .invalid(let error): try CodedCase.encode("invalid", error, to: encoder)
    }
  }
}

extension Operand.Path {
  /// The path, at another row if it starts at this one.
  package func moved(from scope: Int, to other: Int) -> Operand.Path {
    self.scope == scope ? Operand.Path(names, scope: other) : self
  }
}
