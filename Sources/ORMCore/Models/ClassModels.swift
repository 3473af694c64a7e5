internal import ORMStorage

extension Persistable {
  /// True if the model is a class, so that its objects are shared.
  package static var isClass: Bool { Self.self is AnyObject.Type }

  /// Other objects with the same attributes and links, made by `encode(into:)` and `init(row:)`.
  ///
  /// Properties that are neither have the values that the row initialiser gives them.
  package static func duplicates(of models: [Self]) throws -> [Self] {
    var copies = try models.map { model in
      do {
        return try Self(row: BufferedRow(encoding: model))
      } catch {
        throw StoreError.mapping(error, of: model)
      }
    }
    for end in entity.relationships { end.copy(from: models, to: &copies, keepsSet: false) }
    return copies
  }

  /// Another object with the same attributes and links.
  package func duplicate() throws -> Self { try Self.duplicates(of: [self])[0] }
}
