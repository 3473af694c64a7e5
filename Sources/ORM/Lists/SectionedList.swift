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
  public let rows: [Model]
  /// The sections, in the order of the query.
  public let sections: [ListSection<Section>]
  let layout: ListLayout<Model.ID>
  private let index: ListIndex<Model.ID>

  init(_ content: ListContent<Model>, by sectioning: ListSectioning<Section>) throws {
    var starts: [Int] = []
    var values: [StoredValue] = []
    for (row, value) in content.sections.enumerated() {
      if let last = values.last, last.isSameSection(as: value) { continue }
      starts.append(row)
      values.append(value)
    }
    starts.append(content.models.count)
    let sections = try values.enumerated().map { number, value in
      ListSection(
        value: try sectioning.decode(value), title: value.sectionTitle,
        range: starts[number]..<starts[number + 1])
    }
    if let whole = sectioning.whole {
      self.init(content, whole: whole)
    } else {
      self.init(content, sections, values.map { GroupKey([$0]) }, starts)
    }
  }

  /// Makes a list without rows.
  init(emptyBy sectioning: ListSectioning<Section>) {
    let content = ListContent<Model>(models: [], digests: [], sections: [])
    if let whole = sectioning.whole {
      self.init(content, whole: whole)
    } else {
      self.init(content, [], [], [0])
    }
  }

  private init(_ content: ListContent<Model>, whole: Section) {
    let rows = content.models.indices
    self.init(
      content, [ListSection(value: whole, title: "", range: rows)], [GroupKey([])],
      [0, rows.count])
  }

  private init(
    _ content: ListContent<Model>, _ sections: [ListSection<Section>], _ values: [GroupKey],
    _ starts: [Int]
  ) {
    rows = content.models
    self.sections = sections
    layout = ListLayout(
      keys: Model.keys(of: rows), digests: content.digests, sections: values, starts: starts)
    index = ListIndex()
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
  public subscript(section section: ListSection<Section>) -> ArraySlice<Model> {
    rows[section.range]
  }

  /// Returns the place of the row with a key; nil if the list does not have it.
  ///
  /// The first call builds an index of all keys. Later calls take constant time in a list without
  /// sections, and logarithmic time in the number of sections.
  public func position(of key: Model.ID) -> ListPosition? {
    index.row(of: key, in: layout.keys).map { layout.position(of: $0) }
  }
}

/// The rows of a list by their keys, built when the first is looked up.
private final class ListIndex<Key: Hashable & Sendable>: Sendable {
  private let rows = Lock<[Key: Int]?>(nil)

  func row(of key: Key, in keys: [Key]) -> Int? {
    rows.withLock { rows in
      if let rows { return rows[key] }
      var made: [Key: Int] = [:]
      made.reserveCapacity(keys.count)
      for (row, key) in keys.enumerated() { made[key] = row }
      rows = made
      return made[key]
    }
  }
}

extension StoredValue {
  /// Returns whether two values that are neighbours in an order are one section.
  fileprivate func isSameSection(as other: StoredValue) -> Bool {
    isIdentical(to: other) || StoredValue.order(self, other) == 0
  }

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
