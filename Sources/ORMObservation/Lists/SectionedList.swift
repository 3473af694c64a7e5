public import ORMCore

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
  let parts: ListSections<Section>
  private let index = ListIndex<Model>()

  /// Makes a list of rows.
  ///
  /// - Parameter previous: the list before, whose sections are used again.
  init(
    _ rows: ListRows<Model>, by sectioning: ListSectioning<Section>, after previous: Self? = nil
  ) throws {
    self.rows = rows
    parts = try ListSections(rows, by: sectioning, after: previous?.parts)
  }

  /// Makes a list without rows.
  init(emptyBy sectioning: ListSectioning<Section>) {
    rows = ListRows([])
    parts = ListSections(emptyBy: sectioning)
  }

  /// The sections, in the order of the query.
  public var sections: [ListSection<Section>] { parts.all }

  var outline: ListOutline { parts.outline }

  /// The keys and contents of all rows.
  var layout: ListLayout<Model.ID> {
    ListLayout(keys: rows.keys, digests: rows.digests, outline: outline)
  }

  /// The number of rows in all sections.
  public var count: Int { rows.count }

  /// True if no section has rows.
  public var isEmpty: Bool { rows.isEmpty }

  /// The row at a position, by the position of its section and its position there.
  ///
  /// - Precondition: the section and the row exist.
  public subscript(section: Int, row: Int) -> Model {
    guard let position = parts.row(at: ListPosition(section: section, row: row)) else {
      preconditionFailure("the list has no such row")
    }
    return rows[position]
  }

  /// The row at a position.
  ///
  /// - Precondition: the section and the row exist.
  public subscript(position: ListPosition) -> Model { self[position.section, position.row] }

  /// The rows of a section of this list.
  public subscript(section section: ListSection<Section>) -> Slice<ListRows<Model>> {
    rows[section.range]
  }

  /// Returns the position of the row with a key; nil if the list does not have it.
  ///
  /// The first call builds an index of all keys. Later calls take constant time in a list without
  /// sections, and logarithmic time in the number of sections.
  public func position(of key: Model.ID) -> ListPosition? {
    index.row(of: key, in: rows.keys).map(outline.position)
  }
}
