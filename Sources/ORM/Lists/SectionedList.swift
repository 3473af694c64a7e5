public import ORMCore

/// One section of a list.
public struct ListSection<Value: Sendable>: Sendable {
  /// The value that the rows of the section share.
  public let value: Value
  /// The value as a text for a heading; empty for nil.
  public let title: String
  /// The positions of the section's rows in ``SectionedList/rows``.
  public let range: Range<Int>
  /// The number of rows.
  public var count: Int { range.count }
}

extension ListSection {
  /// Makes a section of the same value with other rows.
  fileprivate init(_ section: Self, _ range: Range<Int>) {
    self.init(value: section.value, title: section.title, range: range)
  }
}

/// The rows of a query in sections, as one commit left them.
///
/// ```swift
/// for try await change in store.observeList(
///   Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name)), sectionedBy: \.taste)
/// {
///   let list = change.list
///   for section in list.sections { print(section.title, list[section: section].map(\.name)) }
/// }
/// ```
///
/// Rows are identified by their keys, and sections by their values. Sections have rows; a list without
/// sections has one section, which may be empty.
public struct SectionedList<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  /// The rows of all sections, in the order of the query.
  public let rows: ListRows<Model>
  /// The sections, in the order of the query.
  public let sections: [ListSection<Section>]
  let outline: ListOutline
  private let index: ListIndex<Model.ID>

  /// Makes a list of rows.
  ///
  /// - Parameter previous: the list before, whose sections are used again.
  init(
    _ rows: ListRows<Model>, by sectioning: ListSectioning<Section>, after previous: Self? = nil
  ) throws {
    if let whole = sectioning.whole {
      self.init(rows, whole: whole)
      return
    }
    var starts: [Int] = []
    var values: [StoredValue] = []
    for (chunk, start) in zip(rows.chunks, rows.starts) {
      for row in chunk.sectionStarts {
        if row == 0, let last = values.last, last.isSameSection(as: chunk.sections[0]) { continue }
        starts.append(start + row)
        values.append(chunk.sections[row])
      }
    }
    starts.append(rows.count)
    var sections: [ListSection<Section>] = []
    var keys: [GroupKey] = []
    sections.reserveCapacity(values.count)
    keys.reserveCapacity(values.count)
    var next = 0
    for (number, value) in values.enumerated() {
      let range = starts[number]..<starts[number + 1]
      if let previous, let known = previous.section(value, near: next) {
        sections.append(ListSection(previous.sections[known], range))
        keys.append(previous.outline.sections[known])
        next = known + 1
      } else {
        sections.append(
          ListSection(
            value: try sectioning.decode(value), title: value.sectionTitle, range: range))
        keys.append(GroupKey([value]))
      }
    }
    self.init(rows, sections, ListOutline(sections: keys, starts: starts))
  }

  /// Makes a list without rows.
  init(emptyBy sectioning: ListSectioning<Section>) {
    if let whole = sectioning.whole {
      self.init(ListRows([]), whole: whole)
    } else {
      self.init(ListRows([]), [], ListOutline(sections: [], starts: [0]))
    }
  }

  private init(_ rows: ListRows<Model>, whole: Section) {
    self.init(
      rows, [ListSection(value: whole, title: "", range: rows.indices)],
      ListOutline(sections: [GroupKey([])], starts: [0, rows.count]))
  }

  private init(
    _ rows: ListRows<Model>, _ sections: [ListSection<Section>], _ outline: ListOutline
  ) {
    self.rows = rows
    self.sections = sections
    self.outline = outline
    index = ListIndex()
  }

  /// The section with a value to the bit, if it is the one at a place or the next.
  private func section(_ value: StoredValue, near place: Int) -> Int? {
    for place in place..<min(place + 2, sections.count)
    where outline.sections[place].values.first?.isIdentical(to: value) ?? false {
      return place
    }
    return nil
  }

  /// The keys and contents of all rows.
  var layout: ListLayout<Model.ID> {
    ListLayout(keys: rows.keys, digests: rows.digests, outline: outline)
  }

  /// The number of rows in all sections.
  public var count: Int { rows.count }

  /// True if no section has rows.
  public var isEmpty: Bool { rows.isEmpty }

  /// The row at a place, by the position of its section and its position there.
  ///
  /// - Precondition: the section and the row exist.
  public subscript(section: Int, row: Int) -> Model {
    let range = sections[section].range
    precondition(row >= 0 && row < range.count, "the section has no such row")
    return rows[range.lowerBound + row]
  }

  /// The row at a place.
  ///
  /// - Precondition: the section and the row exist.
  public subscript(position: ListPosition) -> Model { self[position.section, position.row] }

  /// The rows of a section of this list.
  public subscript(section section: ListSection<Section>) -> Slice<ListRows<Model>> {
    rows[section.range]
  }

  /// Returns the place of the row with a key; nil if the list does not have it.
  ///
  /// The first call builds an index of all keys. Later calls take constant time in a list without
  /// sections, and logarithmic time in the number of sections.
  public func position(of key: Model.ID) -> ListPosition? {
    index.row(of: key, in: rows.keys).map(outline.position)
  }
}

/// The rows of a list by their keys, built when the first is looked up.
private final class ListIndex<Key: Hashable & Sendable>: Sendable {
  private let rows = Lock<[Key: Int]?>(nil)

  func row(of key: Key, in keys: @autoclosure () -> [Key]) -> Int? {
    rows.withLock { rows in
      if let rows { return rows[key] }
      let keys = keys()
      var made: [Key: Int] = [:]
      made.reserveCapacity(keys.count)
      for (row, key) in keys.enumerated() { made[key] = row }
      rows = made
      return made[key]
    }
  }
}

extension StoredValue {
  /// The text by which a section is headed.
  fileprivate var sectionTitle: String {
    switch self {
    case .null: ""
    case .string(let text): text
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .date(let value): "\(value)"
    case .uuid(let value): "\(value)"
    default: "\(self)"
    }
  }
}
