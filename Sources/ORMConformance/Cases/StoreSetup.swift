internal import ORM
internal import ORMCore

/// A store that a case has filled, with the expectations of its content.
protocol StoreSetup {
  var context: ConformanceContext { get }
  var store: any Store { get }
}

extension StoreSetup {
  /// Expects the keys of the visible rows, and of the hidden ones.
  func expect<Model: PrimaryKeyed>(
    _ model: Model.Type, _ visible: [Model.ID], hidden: [Model.ID] = [],
    file: String = #fileID, line: Int = #line
  ) throws {
    try context.expectEqual(
      try store.fetch(Model.all).map(\.id), visible, "visible \(model)", file: file, line: line)
    try context.expectEqual(
      try store.fetch(Model.all.onlyDeleted()).map(\.id), hidden, "hidden \(model)", file: file,
      line: line)
  }
}
