internal import ORMCore

extension ReadTransaction {
  /// The plan of a model in the store.
  @usableFromInline
  package func plan<Model: Persistable>(of model: Model.Type) throws -> ModelPlan<Model> {
    try cachedPlan(of: model)._withUnsafeGuaranteedRef { $0 }
  }

  /// The plan of a model, which the store keeps as long as it lives: readers side by side would
  /// otherwise fight for its count of references.
  @usableFromInline
  func cachedPlan<Model: Persistable>(
    of model: Model.Type
  ) throws -> Unmanaged<ModelPlan<Model>> {
    // Plans cached by a model's type are plans of the model: nothing else asks by that type.
    if let last = runtime.lastPlan(ofModel: model) { return .fromOpaque(last) }
    return .passUnretained(try store.plan(of: model))
  }
}
