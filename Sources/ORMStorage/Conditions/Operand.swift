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

extension Operand.Path {
  /// The path, at another row if it starts at this one.
  package func moved(from scope: Int, to other: Int) -> Operand.Path {
    self.scope == scope ? Operand.Path(names, scope: other) : self
  }
}
