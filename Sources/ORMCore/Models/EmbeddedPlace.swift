/// A property that is an embedded struct: its attributes lie among those of the holder.
package struct EmbeddedPlace: Sendable {
  /// The property's name; behind a path of names where it lies in another struct.
  package let name: String
  /// The struct's type.
  package let model: any Persistable.Type
  /// The property.
  let path: any AnyKeyPath & Sendable
  /// Whether it may be nil; then its first column says whether it is there.
  package let isOptional: Bool
  /// Where it lies among the holder's attributes, the column of presence included.
  package let columns: Range<Int>

  /// Where its own attributes begin.
  package var start: Int { columns.lowerBound + (isOptional ? 1 : 0) }

  /// The same in a type that holds its holder.
  func inside(
    _ outer: EmbeddedProperty, at start: Int, _ path: any AnyKeyPath & Sendable
  ) -> EmbeddedPlace {
    EmbeddedPlace(
      name: "\(outer.name).\(name)", model: model, path: path, isOptional: isOptional,
      columns: start + columns.lowerBound..<start + columns.upperBound)
  }
}

/// A property that was declared to be an embedded struct.
package struct EmbeddedProperty: Sendable {
  let name: String
  let storedName: String?
  let model: any Persistable.Type
  let path: any AnyKeyPath & Sendable
  /// The struct itself where the property is optional: `\.address!`.
  let unwrapped: (any AnyKeyPath & Sendable)?
}

extension Persistable {
  /// The embedded struct that a key path reads; nil for any other property.
  package static func embeddedPlace(at path: any AnyKeyPath & Sendable) -> EmbeddedPlace? {
    entity.embedded.first { ($0.path as AnyKeyPath) == (path as AnyKeyPath) }
  }
}
