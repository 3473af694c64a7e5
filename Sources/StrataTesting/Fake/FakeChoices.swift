internal import Foundation
internal import ORM
internal import ORMCore

/// The values that the Swift type of an attribute has, where they are few and known.
enum FakeChoices {
  /// The values of an attribute: the cases of an enum, or addresses for a `URL`; nil for any values.
  static func of(_ attribute: String, in entity: String, _ schema: Schema) -> [StoredValue]? {
    guard let model = schema.models[entity] else { return nil }
    return choices(attribute, model)
  }

  private static func choices<Model: Persistable>(
    _ attribute: String, _ model: Model.Type
  ) -> [StoredValue]? {
    let attributes = Model.entity.description.attributes
    for (path, position) in Model.entity.paths
    where attributes.indices.contains(position) && attributes[position].name == attribute {
      if let found = values(of: type(of: path as AnyKeyPath).valueType) { return found }
    }
    return nil
  }

  private static func values(of type: Any.Type) -> [StoredValue]? {
    if let optional = type as? any OptionalAttribute.Type {
      return values(of: optional.wrappedType)
    }
    if type == URL.self {
      return (1...1_000).map { .string("https://example.com/\($0)") }
    }
    guard let cases = type as? any (AttributeValue & CaseIterable).Type else { return nil }
    return all(cases)
  }

  private static func all<Value: AttributeValue & CaseIterable>(
    _ type: Value.Type
  ) -> [StoredValue] { Value.allCases.map { $0.storedValue } }
}

/// An optional, by the type that it wraps.
private protocol OptionalAttribute {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalAttribute {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

/// The checks by code of a model, which need an object.
struct FakeChecks {
  /// Returns the attribute whose check a row breaks.
  let broken: ([StoredValue]) throws -> String?

  /// Returns the attribute whose check a row breaks; nil if it keeps all.
  func broken(by row: [StoredValue]) throws -> String? { try broken(row) }

  /// The checks of an entity; nil if there are none.
  static func of(_ entity: StoredEntity, _ schema: Schema) -> FakeChecks? {
    schema.models[entity.modelName].flatMap { checks($0) }
  }

  private static func checks<Model: Persistable>(_ model: Model.Type) -> FakeChecks? {
    let checks = Model.entity.checks
    if checks.isEmpty { return nil }
    return FakeChecks { row in
      let object = try Model(row: BufferedRow(row))
      return checks.first { !$0.holds(object) }?.attribute
    }
  }
}
