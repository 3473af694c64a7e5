internal import ORMStorage

extension EntityPart {
  /// A named query: `.template("cheap", "price < $LIMIT", sortedBy: "price")`.
  ///
  /// ```swift
  /// static let queries: EntityPart<Snack> =
  ///   .template("cheap", "price < $LIMIT", sortedBy: "price, name", limit: 20)
  /// ```
  ///
  /// Checked when the schema is built.
  public static func template(
    _ name: String, _ format: FilterFormat, sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    EntityPart(items: []).template(name, format, sortedBy: order, limit: limit)
  }

  /// A named query, after the parts so far.
  public func template(
    _ name: String, _ format: FilterFormat, sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    let template = QueryTemplate(name, format.text, order: order?.text, limit: limit)
    return EntityPart(items: items + [.template(template, target: nil)])
  }

  /// A fetched property: rows that a format finds with values of the object, `$FETCH_SOURCE`.
  ///
  /// ```swift
  /// static let queries: EntityPart<Player> =
  ///   .fetched("rivals", Player.self, "team != $FETCH_SOURCE.team AND age == $FETCH_SOURCE.age")
  /// ```
  public static func fetched<Target: Persistable>(
    _ name: String, _ target: Target.Type, _ format: FilterFormat,
    sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    EntityPart(items: []).fetched(name, target, format, sortedBy: order, limit: limit)
  }

  /// A fetched property, after the parts so far.
  public func fetched<Target: Persistable>(
    _ name: String, _ target: Target.Type, _ format: FilterFormat,
    sortedBy order: FilterFormat? = nil, limit: Int? = nil
  ) -> EntityPart {
    let template = QueryTemplate(name, format.text, order: order?.text, limit: limit)
    // The target's static entity may be on its way when this one is made.
    return EntityPart(
      items: items + [.template(template, target: { Target.entity.declared.name })])
  }
}
