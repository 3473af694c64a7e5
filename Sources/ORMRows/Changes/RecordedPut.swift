internal import ORMStorage

/// A put whose rows a log records, as they were before it and after it.
final class RecordedPut: RecordedRows {
  let images: PutImages
  private let box: ChangeRecorder.LogBox
  private let mark: RowLog.Mark
  /// The most changes that the log takes.
  private let limit: Int
  /// True if the images have no more than ``RecordedEntity/keyColumns``.
  private let isShort: Bool
  /// True if the store reports all that an image has: the key.
  let usesReportedKeys: Bool
  /// The positions in the log of the images that the source gave, from `next` on not reported yet;
  /// negative for an image that the log does not need.
  private var given: [Int] = []
  private var next = 0
  /// The position in the log of the row that is about to be replaced; negative without one.
  private var old = -1

  init(_ box: ChangeRecorder.LogBox, _ request: PutRequest, limit: Int) {
    let entity = box.log.entity.entity
    // An insert needs its key alone below level `values`, unless the row may have been there before.
    let insertsOnly = request.mode == .insert || request.mode == .insertMissing
    isShort =
      box.log.level == .keys
      || box.log.level == .attributes && insertsOnly && !box.log.hasDeletes
    let columns = box.log.entity.columns(at: isShort ? .keys : box.log.level)
    usesReportedKeys = columns == entity.key && entity.hasIntegerKey
    self.box = box
    self.limit = limit
    mark = box.log.mark
    images = PutImages(
      of: entity, columns, request, needsOldRows: columns.count > entity.key.count)
  }

  func give(_ image: inout [StoredValue]) {
    given.append(box.log.add(image))
    for position in image.indices { image[position] = .null }
  }

  func give<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    given.append(try box.log.add(row, images.columns))
  }

  func rewind() {
    given = []
    next = 0
    old = -1
  }

  func forget() { box.log.undo(to: mark) }

  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    old = try box.log.add(row, images.columns)
  }

  func put(_ outcome: PutOutcome, key: Int64) {
    if usesReportedKeys {
      if outcome == .unchanged { return }
      let kind: RowChange.Kind = outcome == .inserted ? .inserted : .updated
      return box.log.add(kind, key: key, isShort: isShort, limit: limit)
    }
    guard next < given.count else { return }
    let image = given[next]
    next += 1
    if next == given.count {
      given.removeAll(keepingCapacity: true)
      next = 0
    }
    defer { old = -1 }
    if image < 0 { return }
    switch outcome {
    case .unchanged: box.log.drop(image, width: images.columns.count)
    case .updated:
      if !images.setsAll, old >= 0 { fill(image) { box.log.values[old + $0] } }
      box.log.add(.updated, old: old, new: image, isShort: isShort, limit: limit)
    case .inserted:
      let first = box.log.values[image]
      if !images.setsAll { fill(image) { images.defaults[$0] } }
      if images.isGenerated(first) { box.log.set(.int(key), at: image) }
      box.log.add(.inserted, old: -1, new: image, isShort: isShort, limit: limit)
    }
  }

  /// Sets the positions of an image that the put did not write.
  private func fill(_ image: Int, _ value: (Int) -> StoredValue) {
    for position in images.columns.indices
    where !images.isWritten(position, box.log.values[image + position]) {
      box.log.set(value(position), at: image + position)
    }
  }
}

@available(*, unavailable)
extension RecordedPut: Sendable {}

extension StoredEntity {
  /// True if the primary key is one integer, which stores report of each row that is put.
  fileprivate var hasIntegerKey: Bool { key.count == 1 && columns[key[0]].type.kind == .int }
}
