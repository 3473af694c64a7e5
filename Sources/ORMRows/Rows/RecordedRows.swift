@_spi(Records) internal import ORMStorage

/// The images that a layer takes of the rows of a put: some of their columns, before the put and after it.
struct PutImages {
  /// The request with the reports that the images need.
  let request: PutRequest
  /// True if the visitor of the put asked for outcomes, and for old rows.
  let reportsOutcomes: Bool
  let reportsOldRows: Bool
  /// The columns of an image.
  let columns: [Int]
  /// The position in an image of each column of the entity.
  let positions: [Int?]
  /// The value at each position of an image of a new row whose column the source does not set.
  let defaults: [StoredValue]
  /// True if the source sets every position.
  let setsAll: Bool
  private let generatesKeys: Bool
  /// True for the positions that the source sets.
  private let isSet: [Bool]

  /// Makes the images of a put.
  ///
  /// - Parameter needsOldRows: true if a row's image before the put is needed where it may be replaced.
  init(
    of entity: StoredEntity, _ columns: [Int], _ request: PutRequest, needsOldRows: Bool
  ) {
    self.columns = columns
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
    if mayReplace, needsOldRows { asked.reports.insert(.oldRows) }
    self.request = asked
  }

  /// An image with nothing set.
  var blank: [StoredValue] { Array(repeating: .null, count: columns.count) }

  /// Returns whether the put writes a value that an image has at a position.
  func isWritten(_ position: Int, _ value: StoredValue) -> Bool {
    isSet[position] && !(request.nilKeeps && value.isNull)
  }

  /// Returns whether the store generates the key of a new row whose image begins with a value.
  func isGenerated(_ key: StoredValue) -> Bool { generatesKeys && (key.isNull || key == .int(0)) }
}

/// A record of the rows of a put.
///
/// The put's source and visitor record here the rows and outcomes that pass, in the store's order.
protocol RecordedRows: AnyObject {
  var images: PutImages { get }

  /// Takes the image of the next row, and empties it for the one after.
  func give(_ image: inout [StoredValue])
  /// Takes the next row.
  func give<R: RowReader & ~Copyable>(_ row: borrowing R) throws
  /// Takes the row that is about to be replaced.
  func replace<R: RowReader & ~Copyable>(_ row: borrowing R) throws
  /// Takes the outcome of the next row that was given.
  func put(_ outcome: PutOutcome, key: Int64)
  /// Forgets the rows that were given: the source begins again.
  func rewind()
  /// Forgets the reports of the store: the put starts over.
  func forget()
}

extension RecordedRows {
  /// Makes the put through a writer, and records its rows.
  func run<S: RowSource, O: PutVisitor>(
    through writer: any StoreWriter, from source: inout S, to visitor: inout O
  ) throws {
    try withUnsafeMutablePointer(to: &source) { source in
      try withUnsafeMutablePointer(to: &visitor) { visitor in
        // The pointers are valid for the length of the call, which is that of the put.
        var source = RecordedSource(source, self)
        var visitor = RecordingVisitor(visitor, self)
        try writer.put(images.request, from: &source, to: &visitor)
      }
    }
  }
}

/// A source that forwards the rows of another, and records their images.
///
/// It points at the source and is valid for the call alone in which it was made.
private struct RecordedSource<Base: RowSource, Rows: RecordedRows>: RowSource {
  private let base: UnsafeMutablePointer<Base>
  private let rows: Rows
  private let positions: [Int?]
  /// An image with nothing set, for the next row.
  private var blank: [StoredValue]

  init(_ base: UnsafeMutablePointer<Base>, _ rows: Rows) {
    let images = rows.images
    self.base = base
    self.rows = rows
    positions = images.positions
    blank = images.blank
  }

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    // Only the writer has the image while the row is written, so that it is not copied.
    var image: [StoredValue] = []
    swap(&image, &blank)
    let hasRow = try withUnsafeMutablePointer(to: &row) { row in
      var writer = KeepingWriter(row: row, positions: positions, values: image)
      image = []
      let hasRow = try base.pointee.next(into: &writer)
      swap(&image, &writer.values)
      return hasRow
    }
    if hasRow { rows.give(&image) }
    swap(&image, &blank)
    return hasRow
  }

  mutating func next(record: inout RecordWriter) throws -> Bool {
    guard try base.pointee.next(record: &record) else { return false }
    try record.withReader { try rows.give($0) }
    return true
  }

  mutating func rewind() {
    base.pointee.rewind()
    rows.rewind()
    blank = rows.images.blank
  }
}

/// A visitor that records the outcomes of rows, and forwards those that were asked for.
///
/// It points at the visitor and is valid for the call alone in which it was made.
struct RecordingVisitor<Base: PutVisitor, Rows: RecordedRows>: PutVisitor {
  private let base: UnsafeMutablePointer<Base>
  private let rows: Rows
  private let reportsOutcomes: Bool
  private let reportsOldRows: Bool

  init(_ base: UnsafeMutablePointer<Base>, _ rows: Rows) {
    let images = rows.images
    self.base = base
    self.rows = rows
    reportsOutcomes = images.reportsOutcomes
    reportsOldRows = images.reportsOldRows
  }

  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {
    rows.put(outcome, key: key)
    if reportsOutcomes { try base.pointee.didPut(outcome, key: key) }
  }

  mutating func didRewind() {
    rows.forget()
    base.pointee.didRewind()
  }

  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {
    try rows.replace(old)
    if reportsOldRows { try base.pointee.willReplace(old) }
  }
}
