internal import ORMCore

/// One section of a list.
public struct ListSection<Value: Sendable>: Sendable {
  /// The value that the rows of the section share.
  public let value: Value
  /// The value as a text for a heading; empty for nil.
  public let title: String
  /// The positions of the section's rows among all rows of the list.
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

/// The sections of a list, with their outline, by which two lists are compared.
struct ListSections<Section: Sendable>: Sendable {
  let all: [ListSection<Section>]
  let outline: ListOutline

  /// Finds the sections of a list's rows.
  ///
  /// - Parameter previous: the sections of the list before, which are used again.
  init<Element>(
    _ rows: ListRows<Element>, by sectioning: ListSectioning<Section>, after previous: Self? = nil
  ) throws {
    if let whole = sectioning.whole {
      self.init(whole: whole, count: rows.count)
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
        sections.append(ListSection(previous.all[known], range))
        keys.append(previous.outline.sections[known])
        next = known + 1
      } else {
        sections.append(
          ListSection(
            value: try sectioning.decode(value), title: value.sectionTitle, range: range))
        keys.append(GroupKey([value]))
      }
    }
    self.init(sections, ListOutline(sections: keys, starts: starts))
  }

  /// Makes the sections of a list without rows.
  init(emptyBy sectioning: ListSectioning<Section>) {
    if let whole = sectioning.whole {
      self.init(whole: whole, count: 0)
    } else {
      self.init([], ListOutline(sections: [], starts: [0]))
    }
  }

  private init(whole: Section, count: Int) {
    self.init(
      [ListSection(value: whole, title: "", range: 0..<count)],
      ListOutline(sections: [GroupKey([])], starts: [0, count]))
  }

  private init(_ all: [ListSection<Section>], _ outline: ListOutline) {
    self.all = all
    self.outline = outline
  }

  /// The section with a value to the bit, if it is the one at an index or the next.
  private func section(_ value: StoredValue, near index: Int) -> Int? {
    for index in index..<min(index + 2, all.count)
    where outline.sections[index].values.first?.isIdentical(to: value) ?? false {
      return index
    }
    return nil
  }

  /// Returns the position among all rows of the row at a position; nil if there is none.
  func row(at position: ListPosition) -> Int? {
    guard all.indices.contains(position.section) else { return nil }
    let range = all[position.section].range
    guard position.row >= 0, position.row < range.count else { return nil }
    return range.lowerBound + position.row
  }
}

/// The rows of a list by their keys, built when the first is looked up.
final class ListIndex<Model: PrimaryKeyed>: Sendable {
  private let rows = Lock<KeyPositions<Model.ID>?>(nil)

  func row(of key: Model.ID, in keys: @autoclosure () -> [Model.ID]) -> Int? {
    rows.withLock { rows in
      if let rows { return rows.position(of: key) }
      let keys = keys()
      var made = KeyPositions(of: Model.self)
      made.reserve(keys.count)
      for (row, key) in keys.enumerated() { _ = made.insert(key, at: row) }
      rows = made
      return made.position(of: key)
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
