internal import ORMCore

/// The rows of a put on their way, with their state before and after it.
final class RecordedPut {
  struct Change {
    let kind: RowChange.Kind
    let old: [StoredValue]?
    let new: [StoredValue]
  }

  /// The request with the reports that are needed here.
  let request: PutRequest
  let reportsOutcomes: Bool
  let reportsOldRows: Bool
  /// The position in an image of each column of the entity.
  let places: [Int?]
  private(set) var changes: [Change] = []
  /// True if more rows changed than may be recorded.
  private(set) var isExceeded = false
  private let limit: Int
  private let entity: StoredEntity
  private let columns: [Int]
  private let defaults: [StoredValue]
  /// True for the positions of an image that the source sets.
  private let isSet: [Bool]
  /// The images that the source gave, from `next` on not reported yet.
  private var given: [[StoredValue]] = []
  private var next = 0
  private var old: [StoredValue]?

  init(_ recorded: RecordedEntity, _ level: ChangeLevel, _ request: PutRequest, limit: Int) {
    let entity = recorded.entity
    let columns = recorded.columns(at: level)
    self.entity = entity
    self.columns = columns
    self.limit = limit
    reportsOutcomes = request.reports.contains(.outcomes)
    reportsOldRows = request.reports.contains(.oldRows)
    places = entity.columns.indices.map { columns.firstIndex(of: $0) }
    defaults = columns.map { entity.columns[$0].defaultValue ?? .null }
    isSet = columns.map { column in
      request.columns?.contains(column)
        ?? !(entity.keySource == .hidden && entity.key.contains(column))
    }
    var asked = request
    asked.reports.insert(.outcomes)
    let mayReplace = request.mode == .update || request.mode == .upsert
    if mayReplace, columns.count > entity.key.count { asked.reports.insert(.oldRows) }
    self.request = asked
  }

  /// An image with nothing set.
  var blank: [StoredValue] { Array(repeating: .null, count: columns.count) }

  func give(_ image: [StoredValue]) { given.append(image) }

  /// The source begins again.
  func rewind() {
    given = []
    next = 0
    old = nil
  }

  /// The put starts over.
  func forget() {
    changes = []
    isExceeded = false
  }

  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    var image: [StoredValue] = []
    image.reserveCapacity(columns.count)
    for column in columns { image.append(try row.value(at: column)) }
    old = image
  }

  func put(_ outcome: PutOutcome, key: Int64) {
    guard given.indices.contains(next) else { return }
    var image = given[next]
    given[next] = []
    next += 1
    defer { old = nil }
    switch outcome {
    case .unchanged: return
    case .updated:
      for place in image.indices where !isWritten(place, image[place]) {
        if let old { image[place] = old[place] }
      }
      add(Change(kind: .updated, old: old, new: image))
    case .inserted:
      let isFresh = entity.generatesKeys && (image[0].isNull || image[0] == .int(0))
      for place in image.indices where !isWritten(place, image[place]) {
        image[place] = defaults[place]
      }
      if isFresh { image[0] = .int(key) }
      add(Change(kind: .inserted, old: nil, new: image))
    }
  }

  private func add(_ change: Change) {
    if isExceeded { return }
    if changes.count < limit { return changes.append(change) }
    isExceeded = true
    changes = []
  }

  private func isWritten(_ place: Int, _ value: StoredValue) -> Bool {
    isSet[place] && !(request.nilKeeps && value.isNull)
  }
}

@available(*, unavailable)
extension RecordedPut: Sendable {}

/// Passes the rows of a source on, and keeps their images.
///
/// It points at the source and is valid for the call alone in which it was made.
struct RecordedPutSource<Base: RowSource>: RowSource {
  let base: UnsafeMutablePointer<Base>
  let put: RecordedPut

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    let image = try withUnsafeMutablePointer(to: &row) { row -> [StoredValue]? in
      var writer = KeepingWriter(row: row, places: put.places, values: put.blank)
      return try base.pointee.next(into: &writer) ? writer.values : nil
    }
    guard let image else { return false }
    put.give(image)
    return true
  }

  mutating func rewind() {
    base.pointee.rewind()
    put.rewind()
  }
}

/// Keeps the outcomes of rows, and passes on those that were asked for.
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
