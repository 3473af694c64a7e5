internal import ORMCore

/// The changes of one stored entity's rows in a transaction, in the order of the writes.
struct RowLog: Sendable {
  /// One written row.
  struct Entry: Sendable {
    let kind: RowChange.Kind
    /// The positions in `values` of the images before and after; negative where there is none.
    let old: Int
    let new: Int
  }

  let entity: RecordedEntity
  let level: ChangeLevel
  /// The number of values of an image.
  let width: Int
  private(set) var entries: [Entry] = []
  private(set) var values: [StoredValue] = []
  /// True if the rows that changed are not known.
  private(set) var isEverything = false
  /// The keys of rows that were written more than once and are as they were; known below level
  /// `attributes` alone, where there are no images to compare.
  var unchangedKeys: Set<GroupKey> = []

  init(_ entity: RecordedEntity, level: ChangeLevel) {
    self.entity = entity
    self.level = level
    width = entity.columns(at: level).count
  }

  /// A position that the log can return to.
  struct Mark {
    fileprivate let entries: Int
    fileprivate let values: Int
    fileprivate let isEverything: Bool
  }

  var mark: Mark {
    Mark(entries: entries.count, values: values.count, isEverything: isEverything)
  }

  /// Forgets what was added since the mark; everything without one.
  mutating func undo(to mark: Mark?) {
    entries.removeLast(entries.count - (mark?.entries ?? 0))
    values.removeLast(values.count - (mark?.values ?? 0))
    isEverything = mark?.isEverything ?? false
  }

  /// Adds the change of a row, by its images.
  mutating func add(
    _ kind: RowChange.Kind, old: [StoredValue]?, new: [StoredValue]?, limit: Int
  ) {
    add(kind, old: old.map { add($0) } ?? -1, new: new.map { add($0) } ?? -1, limit: limit)
  }

  /// Adds the change of a row, by the positions of its images.
  mutating func add(_ kind: RowChange.Kind, old: Int, new: Int, limit: Int) {
    if isEverything { return }
    if entries.count < limit {
      entries.append(Entry(kind: kind, old: old, new: new))
    } else {
      isEverything = true
    }
  }

  /// Adds an image, and returns its position; a negative one if images are not needed any more.
  mutating func add(_ image: [StoredValue]) -> Int {
    if isEverything { return -1 }
    values.append(contentsOf: image)
    return values.count - image.count
  }

  /// Adds the image of a row by the columns that it has, and returns its position; a negative one if
  /// images are not needed any more.
  mutating func add<R: RowReader & ~Copyable>(_ row: borrowing R, _ columns: [Int]) throws -> Int {
    if isEverything { return -1 }
    let position = values.count
    for column in columns { values.append(try row.value(at: column)) }
    return position
  }

  /// Sets a value of an image.
  mutating func set(_ value: StoredValue, at position: Int) { values[position] = value }

  /// Removes an image that no entry has, if it is the last.
  mutating func drop(_ image: Int) {
    if image + width == values.count { values.removeLast(width) }
  }

  /// Notes that any row may have changed.
  mutating func addEverything() { isEverything = true }

  /// The image at a position.
  func image(_ position: Int) -> ArraySlice<StoredValue> { values[position..<position + width] }

  /// The key of an entry.
  func key(_ entry: Entry) -> ArraySlice<StoredValue> {
    image(entry.new >= 0 ? entry.new : entry.old).prefix(entity.entity.key.count)
  }

  /// Calls `body` with the first and the last write of each row, in the order of the keys, and with
  /// the number of its writes.
  func forEachRow(_ body: (_ first: Entry, _ last: Entry, _ count: Int) throws -> Void) rethrows {
    let isSorted = zip(entries.indices, entries.indices.dropFirst()).allSatisfy {
      order(entries[$0], entries[$1]) < 0
    }
    if isSorted {
      for entry in entries { try body(entry, entry, 1) }
      return
    }
    let positions = entries.indices.sorted { a, b in
      let order = order(entries[a], entries[b])
      return order == 0 ? a < b : order < 0
    }
    var start = 0
    while start < positions.count {
      let first = entries[positions[start]]
      var end = start + 1
      while end < positions.count, order(first, entries[positions[end]]) == 0 { end += 1 }
      try body(first, entries[positions[end - 1]], end - start)
      start = end
    }
  }

  private func order(_ a: Entry, _ b: Entry) -> Int {
    for (a, b) in zip(key(a), key(b)) {
      let order = StoredValue.order(a, b)
      if order != 0 { return order }
    }
    return 0
  }
}

extension RowLog {
  /// Adds the net changes of the rows to those of the program's entities.
  func add(to changes: inout [String: [RowChange]]) {
    forEachRow { first, last, _ in
      // A first update below level `attributes` has no image before it, and a delete always has.
      let before = first.old >= 0 ? first.old : last.old
      let old = before >= 0 ? image(before) : nil
      let new = last.new >= 0 ? image(last.new) : nil
      switch (first.kind == .inserted, last.kind == .deleted) {
      case (true, true): return
      case (true, false): add(.inserted, nil, new, to: &changes)
      case (false, true): add(.deleted, old, nil, to: &changes)
      case (false, false): addUpdate(old, new, to: &changes)
      }
    }
  }

  private func addUpdate(
    _ old: ArraySlice<StoredValue>?, _ new: ArraySlice<StoredValue>?,
    to changes: inout [String: [RowChange]]
  ) {
    guard let new else { return }
    // Keys too: zeros of both signs are one key, and a put can change the sign.
    let changed = entity.columns(at: level).indices.filter { place in
      guard let old else { return false }
      return !old[old.startIndex + place].isIdentical(to: new[new.startIndex + place])
    }
    if level >= .attributes {
      if changed.isEmpty { return }
    } else if changed.isEmpty,
      unchangedKeys.contains(GroupKey(Array(new.prefix(entity.entity.key.count))))
    {
      return
    }
    if let old, let before = entity.view(of: old, at: level),
      let after = entity.view(of: new, at: level), before.entity != after.entity
    {
      add(.deleted, old, nil, to: &changes)
      add(.inserted, nil, new, to: &changes)
      return
    }
    var kind = RowChange.Kind.updated
    if let old, let place = entity.hiddenPlace(at: level) {
      let was = old[old.startIndex + place].isNull
      let isNow = new[new.startIndex + place].isNull
      if was != isNow { kind = isNow ? .restored : .hidden }
    }
    add(kind, old, new, changed: Set(changed), to: &changes)
  }

  private func add(
    _ kind: RowChange.Kind, _ old: ArraySlice<StoredValue>?, _ new: ArraySlice<StoredValue>?,
    changed: Set<Int> = [], to changes: inout [String: [RowChange]]
  ) {
    // The key as the row had it first: zeros of both signs are one key.
    guard let image = old ?? new else { return }
    if entity.entity.isInternal { return addLinks(kind, image, to: &changes) }
    guard let view = entity.view(of: image, at: level) else { return }
    let isWhole = level >= .attributes
    func row(_ image: ArraySlice<StoredValue>?) -> [StoredValue]? {
      guard let image, isWhole else { return nil }
      return view.places.map { image[image.startIndex + $0] }
    }
    let attributes =
      isWhole && !changed.isEmpty
      ? zip(view.names, view.places).filter { changed.contains($1) }.map(\.0) : []
    changes[view.entity, default: []].append(
      RowChange(
        kind, key: Array(image.prefix(view.keyCount)), attributes: attributes,
        names: isWhole ? view.names : [], old: row(old), new: row(new)))
  }

  /// Adds the change of a row between two objects to the relationships of both.
  private func addLinks(
    _ kind: RowChange.Kind, _ image: ArraySlice<StoredValue>,
    to changes: inout [String: [RowChange]]
  ) {
    for link in entity.links {
      let change: RowChange.Kind
      switch kind {
      case .inserted: change = .linked
      case .deleted: change = .unlinked
      default:
        guard link.isOrdered else { continue }
        change = .moved
      }
      changes[link.owner, default: []].append(
        RowChange(
          change, key: link.here.map { image[image.startIndex + $0] },
          relationship: link.relationship, target: link.there.map { image[image.startIndex + $0] }))
    }
  }
}
