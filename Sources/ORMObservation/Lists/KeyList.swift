public import ORMCore

/// The keys of a list's rows in sections, as one commit left them, and the rows of a window of it.
///
/// ```swift
/// let players = store.observeList(Player.all.sorted(by: .ascending(\.name))).keysOnly(window: 100)
/// for try await change in players {
///   let list = change.list
///   print(list.count, list.keys.first ?? 0, list[0, 0]?.name ?? "is fetched")
/// }
/// ```
///
/// A row outside of the window is nil. To look at it moves the window there: a change follows that has
/// the row, and names the rows that came into the window as updated.
public struct KeyList<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  /// The keys of the rows of all sections, in the order of the query.
  public let keys: ListRows<Model.ID>
  /// The positions in ``keys`` of the rows that are held.
  public let window: Range<Int>
  let parts: ListSections<Section>
  /// The rows of the window, with their digests; nil for one that is still to be fetched.
  let rows: [WindowRow<Model>?]
  private let location: ListWindow
  private let index = ListIndex<Model>()

  init(
    _ keys: ListRows<Model.ID>, _ parts: ListSections<Section>, _ window: Range<Int>,
    _ rows: [WindowRow<Model>?], _ location: ListWindow
  ) {
    self.keys = keys
    self.parts = parts
    self.window = window
    self.rows = rows
    self.location = location
  }

  /// The sections, in the order of the query.
  public var sections: [ListSection<Section>] { parts.all }

  /// The number of rows in all sections.
  public var count: Int { keys.count }

  /// True if no section has rows.
  public var isEmpty: Bool { keys.isEmpty }

  /// The row at a position, by the position of its section and its position there.
  ///
  /// Nil for a row that is not held, which is then fetched, and for a position without a row.
  public subscript(section: Int, row: Int) -> Model? {
    self[ListPosition(section: section, row: row)]
  }

  /// The row at a position.
  ///
  /// Nil for a row that is not held, which is then fetched, and for a position without a row.
  public subscript(position: ListPosition) -> Model? {
    guard let row = parts.row(at: position) else { return nil }
    if let held = held(row) { return held.model }
    location.ask(for: row)
    return nil
  }

  /// Returns the key of the row at a position; nil if there is none.
  public func key(at position: ListPosition) -> Model.ID? {
    parts.row(at: position).map { keys[$0] }
  }

  /// Returns the position of the row with a key; nil if the list does not have it.
  ///
  /// The first call builds an index of all keys. Later calls take constant time in a list without
  /// sections, and logarithmic time in the number of sections.
  public func position(of key: Model.ID) -> ListPosition? {
    index.row(of: key, in: Array(keys)).map(parts.outline.position)
  }

  /// The row at a position among all rows, if it is held.
  func held(_ row: Int) -> WindowRow<Model>? {
    window.contains(row) ? rows[row - window.lowerBound] : nil
  }

  /// The keys of all rows without their contents.
  var layout: ListLayout<Model.ID> {
    ListLayout(
      keys: Array(keys), digests: Array(repeating: 0, count: count), outline: parts.outline)
  }
}

/// A row of a window, with a digest of its visible values.
struct WindowRow<Model: PrimaryKeyed>: Sendable {
  let model: Model
  let digest: Int
}

/// Rows of a window by their keys, as stores distinguish these.
struct WindowRows<Model: PrimaryKeyed> {
  private var positions = KeyPositions(of: Model.self)
  private var rows: [WindowRow<Model>] = []

  /// Adds a row, unless one with its key is there.
  mutating func add(_ row: WindowRow<Model>) {
    if positions.insert(row.model.id, at: rows.count) == rows.count { rows.append(row) }
  }

  /// The row with a key.
  subscript(id: Model.ID) -> WindowRow<Model>? { positions.position(of: id).map { rows[$0] } }
}

/// The location of a list's window, which looking at a row moves.
final class ListWindow: Sendable {
  private struct State {
    /// The position of the row that was looked at last, and is not held.
    var asked: Int?
    var wake: (@Sendable () -> Void)?
  }

  /// The most rows of the window.
  let size: Int
  private let state = Lock(State())

  init(size: Int) { self.size = size }

  /// Sets the function that lets the consumer have the list again.
  func onAsk(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  /// Asks for the row at a position.
  func ask(for row: Int) {
    let wake = state.withLock { state in
      defer { state.asked = row }
      // Rows of one screen are looked at together.
      return state.asked == nil ? state.wake : nil
    }
    wake?()
  }

  /// Returns the positions of the rows to hold.
  ///
  /// - Parameters:
  ///   - start: the position of the first row that was held.
  ///   - count: the number of rows of the list.
  func rows(from start: Int, of count: Int) -> Range<Int> {
    let asked = state.withLock { state in
      defer { state.asked = nil }
      return state.asked
    }
    var start = start
    if let asked, !(start..<start + size).contains(asked) { start = asked - size / 2 }
    start = max(0, min(start, count - size))
    return start..<min(count, start + size)
  }
}
