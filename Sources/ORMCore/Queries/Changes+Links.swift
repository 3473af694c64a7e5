internal import ORMStorage

extension Changes {
  /// Sets a to-one: `$0.team = .key(7)`, `$0.team = nil`, or to an object that is stored already.
  ///
  /// ```swift
  /// try store.update(Player.all) { $0.team = .key(7) }
  /// ```
  ///
  /// The target must exist; a change of many rows saves no objects. A link that is not loaded
  /// changes nothing. A to-one whose key lives with its target is set from there.
  public subscript<Target: PrimaryKeyed>(
    dynamicMember path: AttributePath<Model, ToOne<Target>>
  ) -> ToOne<Target> {
    @available(*, unavailable, message: "a change can set a to-one but not read it")
    get { .notLoaded }
    set { set(newValue, at: path) }
  }

  private mutating func set<Target: PrimaryKeyed>(
    _ link: ToOne<Target>, at path: AttributePath<Model, ToOne<Target>>
  ) {
    if case .notLoaded = link.state { return }
    let entity = Model.entity
    guard let name = entity.relationship(at: path)?.declaration.name else {
      assign(
        .invalid(
          .notDeclared(path, "a relationship", entity: entity.declared.name)), .value(.null))
      return
    }
    let columns = entity.resolved.keyPositionsByName[name] ?? []
    do {
      guard !columns.isEmpty else {
        throw StoreError(
          .invalidCondition,
          "the key of this link is stored in \(Target.entity.declared.name); change it there",
          entity: entity.declared.name, attributes: [name])
      }
      let values =
        try link.id?.keyValues() ?? Array(repeating: StoredValue.null, count: columns.count)
      for (column, value) in zip(columns, values) {
        assign(.attribute(entity.resolved.description.attributes[column].name), .value(value))
      }
    } catch {
      let known = error as? StoreError ?? StoreError(.invalidValue, "\(error)")
      assign(
        .invalid(known.filling(entity: entity.declared.name, attributes: [name])), .value(.null))
    }
  }
}
