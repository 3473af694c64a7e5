public import ORM

extension JSONMapping {
  /// The compiled form, by which objects of the mapping's own model are written.
  ///
  /// - Throws: `invalidMapping`, also for a mapping of kinds of which the model itself is none.
  private var writingPlan: MappingPlan<Model> {
    get throws {
      let plan = try plan
      if plan.kinds?.writesOwn == false { throw KindPlans<Model>.unnamed(plan.entity) }
      return plan
    }
  }

  /// Encodes models as a JSON text: an array of objects, or the object of a keyed list.
  ///
  /// ```swift
  /// let text = try JSONMapping(Snack.self).encode([Snack(name: "Chips", price: 2.5)])
  /// ```
  ///
  /// The text has no space, and the members of an object are in the order of the attributes and
  /// then the relationships.
  ///
  /// - Throws: `invalidValue` for a value that cannot be stored or written, `missingValue`,
  ///   `invalidMapping`.
  public func encode(_ models: some Sequence<Model>) throws -> String {
    let plan = try writingPlan
    let writing = JSONWriting(plan.targets)
    var writer = JSONWriter()
    try plan.write(list: Array(models), to: &writer, writing)
    return writer.text
  }

  /// Encodes a model as a JSON object.
  ///
  /// ```swift
  /// let text = try JSONMapping(Snack.self).encode(chips)
  /// ```
  public func encode(_ model: Model) throws -> String {
    let plan = try writingPlan
    var writer = JSONWriter()
    try plan.write(model, to: &writer, JSONWriting(plan.targets))
    return writer.text
  }

  /// The JSON value of a model.
  ///
  /// ```swift
  /// let json = try JSONMapping(Snack.self).json(of: chips)
  /// print(json["name"].string ?? "")
  /// ```
  public func json(of model: Model) throws -> JSONValue {
    try JSONValue(parsing: encode(model))
  }

  /// The JSON value of models.
  public func json(of models: some Sequence<Model>) throws -> JSONValue {
    try JSONValue(parsing: encode(models))
  }
}
