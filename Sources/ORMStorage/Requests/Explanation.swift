/// A description of how a store answers a request, in the same terms for every store.
public struct Explanation: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The method by which the rows are reached.
  public var access: Access
  /// The index used, by its stored name; nil for the primary key and for scans.
  public var index: String?
  /// The ranges read of the key or index, as conditions a person can read.
  public var ranges: [String]
  /// The keys and indexes read, where there are several (`union`, `intersection`).
  public var parts: [Part]
  /// The conditions that the engine itself tests beside the ranges, in a form a person can read.
  public var engineConditions: [String]
  /// The conditions that core's evaluator tests.
  public var coreConditions: [String]
  /// True if the order comes from the key or index read, without sorting.
  public var isOrderFromAccess: Bool
  /// True if rows are read; false where a key or index alone answers the request.
  public var readsRows = true
  /// The component that forms groups, and when; nil if the request has no groups.
  public var groups: Groups?
  /// The number of rows that were looked at in a run: those of keys, of indexes and of whole scans,
  /// in the entity asked for and in those that its condition, order and values name.
  ///
  /// An entry of an index and the row it leads to count once. Nil without a run.
  public var rowsRead: Int?
  /// The instructions given to the engine: SQL text or a printed plan.
  public var detail: String
  /// The explanations of how rows of other entities are reached, which the condition, the order or
  /// the values name.
  ///
  /// Those that are looked for once, before the rows, come first. Then comes one request a step,
  /// made for each row that is asked about, in the order in which they are named.
  public var related: [Related]

  /// Makes an explanation.
  public init(
    access: Access, index: String? = nil, ranges: [String] = [], parts: [Part] = [],
    engineConditions: [String] = [], coreConditions: [String] = [], isOrderFromAccess: Bool,
    detail: String, related: [Related] = []
  ) {
    self.access = access
    self.index = index
    self.ranges = ranges
    self.parts = parts
    self.engineConditions = engineConditions
    self.coreConditions = coreConditions
    self.isOrderFromAccess = isOrderFromAccess
    self.detail = detail
    self.related = related
  }

  /// One of several keys or indexes that are read.
  public struct Part: Hashable, Codable, Sendable {
    /// The method by which rows are reached by it.
    public var access: Access
    /// The index, by its stored name; nil for the primary key.
    public var index: String?
    /// The ranges read of it, as conditions a person can read.
    public var ranges: [String]

    /// Makes a part.
    public init(access: Access, index: String? = nil, ranges: [String] = []) {
      self.access = access
      self.index = index
      self.ranges = ranges
    }
  }

  /// An explanation of how the rows of another entity are reached.
  public struct Related: Hashable, Codable, Sendable {
    /// The entity's stored name.
    public var entity: String
    /// The explanation of how its rows are reached.
    public var explanation: Explanation
    /// True if they are looked for once, before the rows, and not for each row.
    public var isOnce: Bool

    /// Makes the explanation of one step.
    public init(entity: String, _ explanation: Explanation, isOnce: Bool = false) {
      self.entity = entity
      self.explanation = explanation
      self.isOnce = isOnce
    }
  }

  /// A description of where groups are formed, and when.
  public struct Groups: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The component that forms them.
    public var component: Component
    /// True if rows come group after group, by the key or index read: then each group is complete, and can be
    /// returned, before the next begins, and a page ends the reading.
    ///
    /// Otherwise every row is read before the first group is returned.
    public var areInOrder: Bool

    /// Makes a description.
    public init(_ component: Component, areInOrder: Bool) {
      self.component = component
      self.areInOrder = areInOrder
    }

    /// A component that forms groups.
    public enum Component: String, Hashable, Codable, Sendable {
      /// The engine beneath the store, as SQL does with GROUP BY.
      ///
      /// When a sum of integers overflows on its way, core forms the groups after all.
      case engine
      /// Core, to which the store adds every row or entry that it reads.
      case core
    }

    /// A line for a person.
    public var description: String {
      "in \(component == .core ? "core" : "the engine"), "
        + (areInOrder ? "one after another" : "of all rows")
    }
  }

  /// A method by which rows are reached.
  public enum Access: String, Hashable, Codable, Sendable {
    /// Single rows by their whole primary key.
    case keyLookup
    /// A range of the primary key.
    case keyRange
    /// A range, or single values, of an index.
    case indexRange
    /// Several keys or indexes, and each row that one of them leads to (`parts`).
    case union
    /// Several keys or indexes, and the rows that all of them lead to (`parts`).
    case intersection
    /// Every row.
    case scan
    /// An access without rows: the condition can never hold.
    case nothing
  }

  /// Several lines for a person.
  public var description: String {
    var lines = ["access: \(access.rawValue)" + (index.map { " by \($0)" } ?? "")]
    if !ranges.isEmpty { lines.append("ranges: " + ranges.joined(separator: "; ")) }
    for part in parts {
      let name = part.access.rawValue + (part.index.map { " by \($0)" } ?? "")
      let ranges = part.ranges.isEmpty ? "" : ": " + part.ranges.joined(separator: "; ")
      lines.append("  " + name + ranges)
    }
    if !engineConditions.isEmpty {
      lines.append("in the engine: " + engineConditions.joined(separator: "; "))
    }
    if !coreConditions.isEmpty {
      lines.append("in core: " + coreConditions.joined(separator: "; "))
    }
    lines.append("order: " + (isOrderFromAccess ? "from the access" : "sorted"))
    if let groups { lines.append("groups: \(groups)") }
    if let rowsRead { lines.append("rows read: \(rowsRead)") }
    if !readsRows { lines.append("keys and indexes alone") }
    lines.append(detail)
    for related in related {
      lines.append("\(related.isOnce ? "first" : "for each row"), \(related.entity):")
      lines += related.explanation.description.split(separator: "\n").map { "  " + $0 }
    }
    return lines.joined(separator: "\n")
  }
}
