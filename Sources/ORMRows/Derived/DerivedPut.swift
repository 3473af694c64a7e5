internal import ORMStorage

/// A put of rows that others are derived of, with its differences.
final class DerivedPut: RecordedRows {
  let images: PutImages
  private let feeds: DerivedFeeds
  /// The images that the source gave; those from `next` on are not recorded yet.
  private var given: [[StoredValue]] = []
  private var next = 0
  private var old: [StoredValue]?
  private(set) var changes: DerivedChanges

  init(_ feeds: DerivedFeeds, _ request: PutRequest) {
    self.feeds = feeds
    changes = DerivedChanges(feeds)
    let needsOldRows = request.columns?.contains { feeds.isRead($0) } ?? feeds.feeds
    images = PutImages(of: feeds.entity, feeds.columns, request, needsOldRows: needsOldRows)
  }

  func give(_ image: inout [StoredValue]) {
    given.append(image)
    image = images.blank
  }

  func give<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    given.append(try self.image(of: row))
  }

  func rewind() {
    given = []
    next = 0
    old = nil
  }

  func forget() { changes = DerivedChanges(feeds) }

  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws { old = try image(of: row) }

  private func image<R: RowReader & ~Copyable>(of row: borrowing R) throws -> [StoredValue] {
    var image: [StoredValue] = []
    image.reserveCapacity(images.columns.count)
    for column in images.columns { image.append(try row.value(at: column)) }
    return image
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
      fill(&image, from: old)
      changes.note(old, image)
    case .inserted:
      let isFresh = images.isGenerated(image[0])
      fill(&image, from: images.defaults)
      if isFresh { image[0] = .int(key) }
      if feeds.feeds { changes.note(nil, image, isFresh: isFresh) }
      if !feeds.own.isEmpty, !isFresh {
        changes.noteInserted(Array(image.prefix(feeds.entity.key.count)))
      }
    }
  }

  /// Sets the positions of an image that the put did not write.
  private func fill(_ image: inout [StoredValue], from values: [StoredValue]) {
    for position in image.indices where !images.isWritten(position, image[position]) {
      image[position] = values[position]
    }
  }
}

@available(*, unavailable)
extension DerivedPut: Sendable {}
