public import ORMCore

/// The result of `Store.check(decoding:)`: the row counts and the faults of a store.
///
/// ```swift
/// let report = try store.check()
/// for row in report.rows { print(row.entity, row.count) }
/// for fault in report.faults { print(fault) }
/// ```
public struct StoreReport: Hashable, Codable, Sendable {
  /// The number of rows each entity has, those that core keeps links in among them.
  public var rows: [EntityCount] = []
  /// The faults, the first of them all; each names entity, key and attributes as far as they are
  /// known.
  public var faults: [StoreError] = []
  /// The number of faults found.
  ///
  /// `faults` lists only the first ones, so this may be greater than the number listed there.
  public var faultCount = 0
  /// The number of links to rows that do not exist, left by the rule `noAction` (clause 2.9): no faults.
  public var danglingLinks = 0
  /// The number of files of contents that lie beside the store that no row refers to: no faults;
  /// `sweepExternalData()` removes them when no reader can see them any longer.
  public var unusedContents = 0
  /// The number of contents stored outside of rows that are counted more often than rows refer to
  /// them, and so may stay for ever: no faults, since they may be those of attributes that the
  /// program does not declare, or of rows that a program deleted which did not declare them.
  public var overcountedContents = 0

  /// The number of faults that are listed.
  static let listed = 1000

  /// True if there is no fault.
  public var isSound: Bool { faultCount == 0 }

  mutating func add(_ fault: StoreError) {
    faultCount += 1
    if faults.count < Self.listed { faults.append(fault) }
  }

  /// The rows of one entity.
  public struct EntityCount: Hashable, Codable, Sendable {
    /// The entity's name in the program.
    public var entity: String
    /// The number of rows that could be reached.
    public var count: Int
  }
}

extension StoreReport: CustomStringConvertible {
  /// Several lines for a person; no stored value.
  public var description: String {
    var lines = rows.map { "\($0.entity): \($0.count) \($0.count == 1 ? "row" : "rows")" }
    if danglingLinks > 0 {
      lines.append(
        "dangling links left by the delete rule noAction: \(danglingLinks)")
    }
    if unusedContents > 0 {
      lines.append(
        "external contents that no row refers to: \(unusedContents)")
    }
    if overcountedContents > 0 {
      lines.append("external contents with too high a reference count: \(overcountedContents)")
    }
    lines.append(isSound ? "no faults" : "faults: \(faultCount)")
    lines += faults.map { "- \($0)" }
    if faultCount > faults.count { lines.append("- and \(faultCount - faults.count) more") }
    return lines.joined(separator: "\n")
  }
}
