/// A position of a row in a list: its section, and its position there.
public struct ListPosition: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The position of the section, from 0.
  public var section: Int
  /// The position of the row in its section, from 0.
  public var row: Int

  /// Makes a position.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Orders positions by section, then by row.
  public static func < (a: ListPosition, b: ListPosition) -> Bool {
    (a.section, a.row) < (b.section, b.row)
  }

  /// The position as `section/row`.
  public var description: String { "\(section)/\(row)" }
}

/// A section or a row that both lists have, by its position in each.
public struct ListMove<Position: Hashable & Sendable>: Hashable, Sendable {
  /// The position in the list before.
  public var from: Position
  /// The position in the list after.
  public var to: Position

  /// Makes a move.
  public init(from: Position, to: Position) {
    self.from = from
    self.to = to
  }
}

extension ListMove: CustomStringConvertible {
  /// The positions as `from→to`.
  public var description: String { "\(from)→\(to)" }
}

extension ListMove: Codable where Position: Codable {}

/// The difference of two lists: the meaning of each change.
///
/// Deletions count positions of the list before, insertions those of the list after. Each array is in
/// ascending order. A row that changed its section is a move, also if its section came or went. The
/// rows of deleted and inserted sections are listed too. No smaller number of moves gives the list
/// after.
public struct ListSteps: Hashable, Sendable, Codable {
  /// The sections of the list before that are not in the list after.
  public var deletedSections: [Int] = []
  /// The sections of the list after that are not in the list before.
  public var insertedSections: [Int] = []
  /// The sections that changed their position among those in both lists, by their position after.
  public var movedSections: [ListMove<Int>] = []
  /// The rows of the list before that are not in the list after.
  public var deletedRows: [ListPosition] = []
  /// The rows of the list after that are not in the list before.
  public var insertedRows: [ListPosition] = []
  /// The rows that changed their section, or their position in it, by their position after.
  public var movedRows: [ListMove<ListPosition>] = []
  /// The rows whose content changed, moved or not, by their position after.
  public var updatedRows: [ListMove<ListPosition>] = []

  /// Makes an empty difference.
  public init() {}

  /// True if both lists are equal.
  public var isEmpty: Bool { self == ListSteps() }
}
