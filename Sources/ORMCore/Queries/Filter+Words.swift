// Words beside key-path operators, for conditions without an operator: `.where(.like(\.name, "a*") && \.price
// > 1)`.

public import ORMStorage

extension Filter {
  /// The text holds another somewhere.
  ///
  /// ```swift
  /// Snack.where(.contains(\.name, "hip"))
  /// ```
  public static func contains<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ text: String, _ options: TextOptions = []
  ) -> Filter { Fields<Model>()[path].contains(text, options) }

  /// The text begins with another.
  ///
  /// ```swift
  /// Snack.where(.beginsWith(\.name, "ch", .caseInsensitive))
  /// ```
  public static func beginsWith<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ text: String, _ options: TextOptions = []
  ) -> Filter { Fields<Model>()[path].beginsWith(text, options) }

  /// The text ends with another.
  ///
  /// ```swift
  /// Snack.where(.endsWith(\.name, "ps"))
  /// ```
  public static func endsWith<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ text: String, _ options: TextOptions = []
  ) -> Filter { Fields<Model>()[path].endsWith(text, options) }

  /// The whole text matches a pattern of `?`, `*` and `\`.
  ///
  /// ```swift
  /// Snack.where(.like(\.name, "ch*"))
  /// ```
  public static func like<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ pattern: String, _ options: TextOptions = []
  ) -> Filter { Fields<Model>()[path].like(pattern, options) }

  /// The whole text matches a regular expression.
  ///
  /// ```swift
  /// Snack.where(.matches(\.name, "[A-Z].*"))
  /// ```
  public static func matches<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ pattern: String, _ options: TextOptions = []
  ) -> Filter { Fields<Model>()[path].matches(pattern, options) }

  /// The text equals another under options.
  ///
  /// ```swift
  /// Snack.where(.equals(\.name, "chips", .caseInsensitive))
  /// ```
  public static func equals<Value: TextAttribute>(
    _ path: AttributePath<Model, Value>, _ text: String, _ options: TextOptions
  ) -> Filter { Fields<Model>()[path].equals(text, options) }

  /// The array holds an element.
  ///
  /// ```swift
  /// Snack.where(.contains(\.tags, element: "hot"))
  /// ```
  public static func contains<Value: ArrayAttribute>(
    _ path: AttributePath<Model, Value>, element: Value.Member
  ) -> Filter { Fields<Model>()[path].contains(element) }

  /// The value is one of a list.
  ///
  /// ```swift
  /// Snack.where(.isIn(\.id, [1, 3]))
  /// ```
  public static func isIn<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>, _ list: some Sequence<Value>
  ) -> Filter { Fields<Model>()[path].isIn(list) }

  /// The value lies between two, both included.
  ///
  /// ```swift
  /// Snack.where(.isBetween(\.price, 1, 3))
  /// ```
  public static func isBetween<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>, _ lower: Value, _ upper: Value
  ) -> Filter { Fields<Model>()[path].isBetween(lower, upper) }

  /// A condition on a value computed from an attribute: `.attribute(\.name) { $0.length() > 3 }`.
  public static func attribute<Value>(
    _ path: AttributePath<Model, Value>, _ body: (Field<Model, Value>) -> Filter
  ) -> Filter { body(Fields<Model>()[path]) }

  /// A condition on the target of a to-one: `.one(\.team) { $0.name == "Reds" }`.
  public static func one<Target>(
    _ link: AttributePath<Model, ToOne<Target>>, _ body: (ToOneField<Model, Target>) -> Filter
  ) -> Filter { body(Fields<Model>()[link]) }

  /// A condition on the elements of a to-many: `.many(\.players) { $0.any { $0.age > 30 } }`.
  public static func many<Target>(
    _ links: AttributePath<Model, ToMany<Target>>, _ body: (ToManyField<Model, Target>) -> Filter
  ) -> Filter { body(Fields<Model>()[links]) }
}

/// Follows a key path after that of a to-one: `\.team / \.name == "Reds"`; nil if there is no
/// target.
public func / <Model: Persistable, Target: PrimaryKeyed, Value: AttributeValue>(
  link: AttributePath<Model, ToOne<Target>>, path: AttributePath<Target, Value>
) -> Field<Model, Value?> { Fields<Model>()[link][path] }

/// An optional attribute after a to-one.
public func / <Model: Persistable, Target: PrimaryKeyed, Value: AttributeValue>(
  link: AttributePath<Model, ToOne<Target>>, path: AttributePath<Target, Value?>
) -> Field<Model, Value?> { Fields<Model>()[link][path] }
