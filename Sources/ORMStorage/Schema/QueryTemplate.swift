internal import ORMValues

/// A named query stored with the schema: predicate formats whose variables are given when it
/// is asked.
///
/// Declared on an entity, checked when the schema is built, stored beside the entity, and
/// so available to tools too.
///
/// ```swift
/// let entity = Entity<Snack>("Snack") {
///   .key("id", \.id)
///     .attribute("name", \.name).attribute("price", \.price)
///     .template("cheap", "price < $LIMIT", sortedBy: "price, name", limit: 20)
/// }
/// let cheap = try store.fetch(Snack.all.template("cheap", ["LIMIT": 3]))
/// ```
public struct QueryTemplate: Hashable, Codable, Sendable {
  /// The name, unique in its entity.
  public var name: String
  /// The condition that rows meet, as a predicate format; nil for all.
  public var format: String?
  /// The order, as in `"country, -name[c] nils last"`; nil for that of the key.
  public var order: String?
  /// The maximum number of rows; nil for all.
  public var limit: Int?
  /// The entity whose rows a fetched property fetches, by its name in the program; nil for a template, which
  /// asks the entity itself.
  public var target: String?

  /// Makes a template of texts.
  public init(
    _ name: String, _ format: String? = nil, order: String? = nil, limit: Int? = nil,
    target: String? = nil
  ) {
    self.name = name
    self.format = format
    self.order = order
    self.limit = limit
    self.target = target
  }

  /// Returns whether two templates are the same; their texts are compared by scalars.
  public static func == (a: QueryTemplate, b: QueryTemplate) -> Bool {
    a.name == b.name && a.limit == b.limit && a.target == b.target
      && a.format.hasSameScalars(as: b.format) && a.order.hasSameScalars(as: b.order)
  }
}
