public import ORMCore

extension WriteTransaction {
  /// Computes every derived attribute from its targets again, and returns the number of objects with
  /// wrong ones.
  ///
  /// ```swift
  /// let wrong = try tx.rebuildDerived()
  /// ```
  ///
  /// The operations keep derived attributes; this repairs them where rows were written by others,
  /// such as a program that did not declare them. It costs an aggregate for each object and
  /// attribute, in constant memory but for the keys.
  ///
  /// - Parameter models: the models whose attributes are worked out; all of the store where none are
  ///   named.
  /// - Throws: `unknownEntity`; `overflow` for a sum that does not fit; then nothing was changed.
  @discardableResult
  public func rebuildDerived(_ models: [any Persistable.Type] = []) throws -> Int {
    let entities = try Set(models.flatMap { try store.storedNames(of: $0) })
    _ = try writing()
    guard let writer = interceptor?.derived else { return 0 }
    return try operation { transaction in
      var count = 0
      for link in writer.derivations.links
      where entities.isEmpty || entities.contains(link.owner.name) {
        count += try DerivedUpkeep(writer: writer).rebuild(link)
      }
      return count
    }
  }
}

extension Store {
  /// The stored names of a model's entity and of those above it, whose attributes are its own too.
  fileprivate func storedNames<Model: Persistable>(of model: Model.Type) throws -> [String] {
    var entity = try plan(of: model).entity
    var names = [entity.name]
    while let parent = entity.parent.flatMap({ schema.entity(named: $0) }) {
      names.append(parent.name)
      entity = parent
    }
    return names
  }
}
