internal import ORMStorage

/// A record of the rows of a put, with their state before and after it.
///
/// The put's source and visitor record here the rows and outcomes that pass, in the store's order.
final class PutRecord {
  private let feeds: DerivedFeeds
  /// The request, which asks for all reports that are needed here.
  let request: PutRequest
  /// True if the visitor of the put asked for outcomes, and for old rows.
  let reportsOutcomes: Bool
  let reportsOldRows: Bool
  /// The position in an image of each column of the entity.
  let positions: [Int?]
  /// The value at each position of an image whose column the source does not set.
  private let defaults: [StoredValue]
  /// True if the source sets a position of an image.
  private let isSet: [Bool]
  /// The images that the source gave; those from `next` on are not recorded yet.
  private var given: [[StoredValue]] = []
  private var next = 0
  private var old: [StoredValue]?
  private(set) var changes: DerivedChanges

  init(_ feeds: DerivedFeeds, _ request: PutRequest) {
    self.feeds = feeds
    let entity = feeds.entity
    reportsOutcomes = request.reports.contains(.outcomes)
    reportsOldRows = request.reports.contains(.oldRows)
    positions = entity.columns.indices.map { feeds.columns.firstIndex(of: $0) }
    defaults = feeds.columns.map { entity.columns[$0].defaultValue ?? .null }
    isSet = feeds.columns.map { column in
      request.columns?.contains(column)
        ?? !(entity.keySource == .hidden && entity.key.contains(column))
    }
    changes = DerivedChanges(feeds)
    var asked = request
    asked.reports.insert(.outcomes)
    let mayReplace = request.mode == .update || request.mode == .upsert
    if mayReplace, request.columns.map({ $0.contains { feeds.isRead($0) } }) ?? feeds.feeds {
      asked.reports.insert(.oldRows)
    }
    self.request = asked
  }

  /// An image with nothing set.
  var blank: [StoredValue] { Array(repeating: .null, count: feeds.columns.count) }

  func give(_ image: [StoredValue]) { given.append(image) }

  /// The source begins again.
  func rewind() {
    given = []
    next = 0
    old = nil
  }

  /// Forgets the reports of the store.
  func forget() { changes = DerivedChanges(feeds) }

  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    var image: [StoredValue] = []
    image.reserveCapacity(feeds.columns.count)
    for column in feeds.columns { image.append(try row.value(at: column)) }
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
      guard let old else { return }
      for position in image.indices where !isWritten(position, image[position]) {
        image[position] = old[position]
      }
      changes.note(old, image)
    case .inserted:
      let isFresh =
        feeds.entity.generatesKeys && (image[0].isNull || image[0] == .int(0))
      for position in image.indices where !isWritten(position, image[position]) {
        image[position] = defaults[position]
      }
      if isFresh { image[0] = .int(key) }
      if feeds.feeds { changes.note(nil, image, isFresh: isFresh) }
      if !feeds.own.isEmpty, !isFresh {
        changes.noteInserted(Array(image.prefix(feeds.entity.key.count)))
      }
    }
  }

  private func isWritten(_ position: Int, _ value: StoredValue) -> Bool {
    isSet[position] && !(request.nilKeeps && value.isNull)
  }
}

@available(*, unavailable)
extension PutRecord: Sendable {}

/// A source that records the rows of a put.
struct RecordedSource<Base: RowSource>: RowSource {
  private(set) var base: Base
  private let record: PutRecord

  init(_ base: Base, _ record: PutRecord) {
    self.base = base
    self.record = record
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    let image = try withUnsafeMutablePointer(to: &row) { row -> [StoredValue]? in
      var writer = KeepingWriter(row: row, positions: record.positions, values: record.blank)
      return try base.next(into: &writer) ? writer.values : nil
    }
    guard let image else { return false }
    record.give(image)
    return true
  }

  mutating func rewind() {
    base.rewind()
    record.rewind()
  }
}

/// A visitor that records the outcomes of rows and forwards those that were asked for.
struct RecordingVisitor<Base: PutVisitor>: PutVisitor {
  private(set) var base: Base
  private let record: PutRecord

  init(_ base: Base, _ record: PutRecord) {
    self.base = base
    self.record = record
  }

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    record.put(outcome, key: key)
    if record.reportsOutcomes { try base.didPut(outcome, key: key) }
  }

  mutating func didRewind() {
    record.forget()
    base.didRewind()
  }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try record.replace(old)
    if record.reportsOldRows { try base.willReplace(old) }
  }
}
