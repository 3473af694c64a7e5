internal import ORMCore

extension WriteTransaction {
  /// Notes that a row of a plan's entity was put.
  @usableFromInline
  func didPut<Model: Persistable>(_ plan: ModelPlan<Model>) {
    if hasPut(plan) { return }
    didChange(plan.entity)
    lastPut = ObjectIdentifier(plan)
  }

  /// Returns whether a row of a plan's entity was put and not undone since.
  @usableFromInline
  func hasPut<Model: Persistable>(_ plan: ModelPlan<Model>) -> Bool {
    lastPut == ObjectIdentifier(plan)
  }
}
