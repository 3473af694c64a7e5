/// A property that is an embedded struct: its attributes lie among those of the container.
package struct EmbeddedStruct: Sendable {
  /// The property's name; behind a path of names where it lies in another struct.
  package let name: String
  /// The struct's type.
  package let model: any Persistable.Type
  /// The property.
  package let path: any AnyKeyPath & Sendable
  /// True if it may be nil; then its first column says whether it is there.
  package let isOptional: Bool
  /// The range of its attributes among the container's, the column of presence included.
  package let columns: Range<Int>

  /// The position of the first of its own attributes.
  package var start: Int { columns.lowerBound + (isOptional ? 1 : 0) }

  /// The struct in an object of its container, where it lies in no other struct; nil where it is nil.
  package func value<Value, Referrer>(_ type: Value.Type, in container: Referrer) -> Value? {
    (path as? PartialKeyPath<Referrer>).flatMap { container[keyPath: $0] as? Value }
  }

  /// The same in a type that holds its container.
  func inside(
    _ outer: EmbeddedProperty, at start: Int, _ path: any AnyKeyPath & Sendable
  ) -> EmbeddedStruct {
    EmbeddedStruct(
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
  package static func embeddedStruct(at path: any AnyKeyPath & Sendable) -> EmbeddedStruct? {
    entity.embedded.first { ($0.path as AnyKeyPath) == (path as AnyKeyPath) }
  }
}

extension Persistable {
  /// The attributes without which an embedded struct that may be nil is not there, by their paths.
  package static var neededParts: Set<String> {
    Set(
      entity.embedded.flatMap { embedded in
        embedded.model.partNames.map { "\(embedded.name).\($0)" }
      })
  }

  /// The names of the attributes that must have a value.
  private static var partNames: [String] {
    entity.declared.attributes.filter { !$0.isOptional }.map(\.name)
  }
}
