@_spi(Records) internal import ORMStorage

/// A source whose rows a log records, as they were before the put and after it.
final class RecordedPut {
  /// The request with the reports that are needed here.
  let request: PutRequest
  let reportsOutcomes: Bool
  let reportsOldRows: Bool
  /// The position in an image of each column of the entity.
  let positions: [Int?]
  /// An image with nothing set, taken while a row is written.
  var blank: [StoredValue]
  private let box: ChangeRecorder.LogBox
  private let mark: RowLog.Mark
  /// The most changes that the log takes.
  private let limit: Int
  private let columns: [Int]
  private let defaults: [StoredValue]
  private let generatesKeys: Bool
  /// True for the positions of an image that the source sets.
  private let isSet: [Bool]
  /// True if the source sets every position.
  private let setsAll: Bool
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
    self.columns = columns
    self.limit = limit
    mark = box.log.mark
    blank = Array(repeating: .null, count: columns.count)
    reportsOutcomes = request.reports.contains(.outcomes)
    reportsOldRows = request.reports.contains(.oldRows)
    positions = entity.columns.indices.map { columns.firstIndex(of: $0) }
    defaults = columns.map { entity.columns[$0].defaultValue ?? .null }
    generatesKeys = entity.generatesKeys
    isSet = columns.map { column in
      request.columns?.contains(column)
        ?? !(entity.keySource == .hidden && entity.key.contains(column))
    }
    setsAll = !request.nilKeeps && isSet.allSatisfy(\.self)
    var asked = request
    asked.reports.insert(.outcomes)
    let mayReplace = request.mode == .update || request.mode == .upsert
    if mayReplace, columns.count > entity.key.count { asked.reports.insert(.oldRows) }
    self.request = asked
  }

  /// Takes the image of the next row, and empties it for the one after.
  func give(_ image: inout [StoredValue]) {
    given.append(box.log.add(image))
    for position in image.indices { image[position] = .null }
  }

  /// Takes the next row.
  func give<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    given.append(try box.log.add(row, columns))
  }

  /// The source begins again.
  func rewind() {
    blank = Array(repeating: .null, count: columns.count)
    given = []
    next = 0
    old = -1
  }

  /// The put starts over.
  func forget() { box.log.undo(to: mark) }

  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    old = try box.log.add(row, columns)
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
    case .unchanged: box.log.drop(image, width: columns.count)
    case .updated:
      if !setsAll, old >= 0 { fill(image) { box.log.values[old + $0] } }
      box.log.add(.updated, old: old, new: image, isShort: isShort, limit: limit)
    case .inserted:
      let first = box.log.values[image]
      if !setsAll { fill(image) { defaults[$0] } }
      if generatesKeys, first.isNull || first == .int(0) {
        box.log.set(.int(key), at: image)
      }
      box.log.add(.inserted, old: -1, new: image, isShort: isShort, limit: limit)
    }
  }

  /// Sets the positions of an image that the source did not.
  private func fill(_ image: Int, _ value: (Int) -> StoredValue) {
    for position in columns.indices {
      let isWritten =
        isSet[position] && !(request.nilKeeps && box.log.values[image + position].isNull)
      if !isWritten { box.log.set(value(position), at: image + position) }
    }
  }
}

@available(*, unavailable)
extension RecordedPut: Sendable {}

extension StoredEntity {
  /// True if the primary key is one integer, which stores report of each row that is put.
  fileprivate var hasIntegerKey: Bool { key.count == 1 && columns[key[0]].type.kind == .int }
}

/// A source that forwards the rows of another, and records their images.
///
/// It points at the source and is valid for the call alone in which it was made.
struct RecordedPutSource<Base: RowSource>: RowSource {
  let base: UnsafeMutablePointer<Base>
  let put: RecordedPut

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    var image: [StoredValue] = []
    swap(&image, &put.blank)
    let hasRow = try withUnsafeMutablePointer(to: &row) { row in
      var writer = KeepingWriter(row: row, positions: put.positions, values: image)
      image = []
      let hasRow = try base.pointee.next(into: &writer)
      swap(&image, &writer.values)
      return hasRow
    }
    if hasRow { put.give(&image) }
    swap(&image, &put.blank)
    return hasRow
  }

  mutating func next(record: inout RecordWriter) throws -> Bool {
    guard try base.pointee.next(record: &record) else { return false }
    try record.withReader { try put.give($0) }
    return true
  }

  mutating func rewind() {
    base.pointee.rewind()
    put.rewind()
  }
}

/// A visitor that records the outcomes of rows, and forwards those that were asked for.
///
/// It points at the visitor and is valid for the call alone in which it was made.
struct RecordedPutVisitor<Base: PutVisitor>: PutVisitor {
  let base: UnsafeMutablePointer<Base>
  let put: RecordedPut

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    put.put(outcome, key: key)
    if put.reportsOutcomes { try base.pointee.didPut(outcome, key: key) }
  }

  mutating func didRewind() {
    put.forget()
    base.pointee.didRewind()
  }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try put.replace(old)
    if put.reportsOldRows { try base.pointee.willReplace(old) }
  }
}
