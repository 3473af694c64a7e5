/// Saving objects with their links set, which only Strata has.
package protocol GraphSavingOperations {
  /// Deletes everything.
  func clear() throws
  /// Saves one club with so many members as one graph.
  func save(members: Int) -> Action
}
