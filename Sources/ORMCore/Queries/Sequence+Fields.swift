// Swift's own way round: `[1, 2].contains($0.id)`.
extension Array where Element: AttributeValue {
  /// Returns whether the field is one of the elements, as ``Field/isIn(_:)`` does.
  ///
  /// ```swift
  /// Snack.where { ["Chips", "Crisps"].contains($0.name) }
  /// ```
  public func contains<Model>(_ field: Field<Model, Element>) -> Filter<Model> {
    field.isIn(self)
  }

  /// Returns whether the field is there and one of the elements.
  public func contains<Model>(_ field: Field<Model, Element?>) -> Filter<Model> {
    field.isIn(self)
  }
}

extension Set where Element: AttributeValue {
  /// Returns whether the field is one of the elements, as ``Field/isIn(_:)`` does.
  public func contains<Model>(_ field: Field<Model, Element>) -> Filter<Model> {
    field.isIn(self)
  }

  /// Returns whether the field is there and one of the elements.
  public func contains<Model>(_ field: Field<Model, Element?>) -> Filter<Model> {
    field.isIn(self)
  }
}
