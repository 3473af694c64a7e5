internal import Foundation
internal import ORM
internal import ORMCoordinator
internal import ORMCore

/// A store whose answers are checked with the number of rows that it reads for them.
struct AskedRows {
  let context: ConformanceContext
  let store: any Store
  /// The number of rows of all entities: a coordinator whose members have a part of the entities each
  /// reads no more than each of them once, unless it is said otherwise.
  let everyRow: Int

  /// True if the numbers of rows are printed, by which limits are set.
  private static let printsRows = ProcessInfo.processInfo.environment["STRATA_ROWS"] == "1"

  /// Checks the rows of a query, and that the store reads at most as many rows as stated for them, if
  /// it counts them.
  ///
  /// - Parameters:
  ///   - most: the most rows that are read.
  ///   - mostInCore: the most where core tests a condition; `most` unless given.
  ///   - mostAcross: the most where members of a coordinator have a part of the entities each.
  ///   - once: whether related rows are looked for first; nil where either will do.
  func answers<M: PrimaryKeyed>(
    _ query: Query<M>, _ keys: [M.ID], reading most: Int, inCore mostInCore: Int? = nil,
    across mostAcross: Int? = nil, once: Bool? = nil, line: Int = #line
  ) throws where M.ID: Comparable {
    try context.expectEqual(try store.fetch(query).map(\.id).sorted(), keys, line: line)
    try reads(
      try store.explain(query, analyze: true), most, inCore: mostInCore, across: mostAcross,
      once: once, line: line)
  }

  /// Checks the number of rows that were read for an explanation.
  func reads(
    _ explanation: Explanation, _ most: Int, inCore mostInCore: Int? = nil,
    across mostAcross: Int? = nil, once: Bool? = nil, line: Int = #line
  ) throws {
    guard let read = explanation.rowsRead else { return }
    let isAcross = isAcross(explanation)
    let most =
      isAcross
      ? mostAcross ?? everyRow : explanation.coreConditions.isEmpty ? most : mostInCore ?? most
    if Self.printsRows {
      print(
        "\(read) rows, at most \(most): \(context.provider.name), \(context.name), line \(line)")
    }
    try context.expect(
      read <= most, "\(read) rows read, at most \(most): \(explanation)", line: line)
    if let once, !isAcross {
      try context.expectEqual(
        explanation.related.contains(where: \.isOnce), once, "\(explanation)", line: line)
    }
  }

  /// Returns whether members of a coordinator answer a request together.
  private func isAcross(_ explanation: Explanation) -> Bool {
    store is StoreCoordinator
      && explanation.related.contains {
        $0.explanation.detail.contains("in the configuration")
      }
  }
}
