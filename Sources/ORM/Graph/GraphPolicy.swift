internal import ORMCore

extension GraphPolicy {
  /// The effect of a merge policy in a store.
  ///
  /// - Throws: `unknownAttribute`, `invalidCondition` for names of `.only`.
  init<Model: Persistable>(_ merge: MergePolicy<Model>, in store: any Store) throws {
    let kind: Kind
    switch merge.resolved(in: store).kind {
    case .replace, .storeDefault: kind = .replace
    case .skippingNil: kind = .skippingNil
    case .insertOnly: kind = .insertOnly
    case .only(let names):
      let description = Model.entity.description
      let links = names.filter { description.relationship(named: $0) != nil }
      let entity = description.lowered()
      let columns = try entity.columns(only: names.filter { !links.contains($0) })
      kind = .only(Set(links + columns.map { entity.columns[$0].attribute }))
    case .invalid(let error): throw error
    }
    self.init(kind, root: Model.entity.declared.name)
  }
}
