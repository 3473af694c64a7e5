package import ORMStorage

/// The rows that a set-based change selects, before it and after it.
///
/// The outermost layer that needs them reads them before the change. The first layer that needs the rows
/// after it reads those, and every layer above uses them too.
package final class RowDelta {
  package let entity: StoredEntity
  /// The columns of an image; those of the key are among them.
  let columns: [Int]
  /// The rows before the change.
  package let old: [[StoredValue]]
  private var known: [[StoredValue]?]?
  private let keyPositions: [Int]

  /// Makes a delta of rows that were read, with their values in some columns.
  package init(of entity: StoredEntity, columns: [Int], old: [[StoredValue]]) {
    self.entity = entity
    self.columns = columns
    self.old = old
    keyPositions = entity.key.compactMap { columns.firstIndex(of: $0) }
  }

  /// The key of an image.
  private func key(of image: [StoredValue]) -> [StoredValue] { keyPositions.map { image[$0] } }

  /// The rows after the change, in the order of those before it, and nil for those that are gone.
  ///
  /// Read at the first call, which comes after the change.
  package func new(in reader: any StoreReader) throws -> [[StoredValue]?] {
    if let known { return known }
    let new = try reader.rows(of: entity, keys: old.map(key(of:)), columns: columns)
    known = new
    return new
  }

  /// Passes the rows before the change, in some of the columns.
  func forEachOld(in wanted: [Int], _ body: ([StoredValue]) -> Void) {
    let positions = positions(of: wanted)
    for image in old { body(positions.map { image[$0] }) }
  }

  /// Passes each row that is still there before and after the change, in some of the columns.
  func forEachPair(
    in wanted: [Int], _ reader: any StoreReader,
    _ body: (_ old: [StoredValue], _ new: [StoredValue]) -> Void
  ) throws {
    let positions = positions(of: wanted)
    for (image, after) in zip(old, try new(in: reader)) {
      guard let after else { continue }
      body(positions.map { image[$0] }, positions.map { after[$0] })
    }
  }

  private func positions(of wanted: [Int]) -> [Int] {
    wanted.compactMap { columns.firstIndex(of: $0) }
  }

  /// Returns whether an image has all of some columns.
  func has(_ wanted: [Int]) -> Bool { wanted.allSatisfy { columns.contains($0) } }
}

/// The deltas that the layers of a write transaction share, so that each change reads its rows once before
/// and once after it.
package final class RowDeltas {
  /// Returns the columns that a layer needs of the rows of a change, and the most rows that it takes.
  package typealias Needs = (StoreChange) -> (columns: [Int], rows: Int)

  private var needs: [Needs] = []
  private var offered: RowDelta?

  /// Makes the deltas of a transaction.
  package init() {}

  /// Adds the needs of a layer, which are asked for by the layers above it.
  func add(_ needs: @escaping Needs) { self.needs.append(needs) }

  /// The number of rows of a change that a layer above has read; nil if none did.
  func count(of entity: StoredEntity) -> Int? {
    offered.flatMap { $0.entity.name == entity.name ? $0.old.count : nil }
  }

  /// Takes the rows of a change that a layer above has read; nil if none did in all of these columns.
  func take(of entity: StoredEntity, columns: [Int]) -> RowDelta? {
    defer { offered = nil }
    guard let offered, offered.entity.name == entity.name, offered.has(columns) else { return nil }
    return offered
  }

  /// Reads the rows of a change before it, in the columns that this layer and those beneath need.
  ///
  /// If there are more rows than those beneath take, it reads the columns of this layer alone.
  func read(
    _ change: StoreChange, of request: FetchRequest, _ entity: StoredEntity, columns: [Int],
    in reader: any StoreReader
  ) throws -> RowDelta {
    let own = entity.key + columns.filter { !entity.key.contains($0) }
    var all = own
    var most = Int.max
    for need in needs.map({ $0(change) }) {
      let more = need.columns.filter { !all.contains($0) }
      if more.isEmpty { continue }
      all += more
      most = min(most, need.rows)
    }
    if all.count > own.count {
      var collector = BoundedCollector(limit: most)
      try reader.visit(request.selecting(all, of: entity), &collector)
      if !collector.isExceeded { return RowDelta(of: entity, columns: all, old: collector.rows) }
    }
    return RowDelta(
      of: entity, columns: own, old: try reader.rows(of: request.selecting(own, of: entity)))
  }

  /// Makes a change whose rows the layers beneath may take.
  package func offering<Result>(_ delta: RowDelta?, _ body: () throws -> Result) rethrows -> Result
  {
    offered = delta
    defer { offered = nil }
    return try body()
  }
}

/// Collects rows up to a number.
struct BoundedCollector: RowVisitor {
  let limit: Int
  var rows: [[StoredValue]] = []
  var isExceeded = false

  /// Makes a collector of at most `limit` rows.
  init(limit: Int) { self.limit = limit }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    guard rows.count < limit else {
      isExceeded = true
      rows = []
      return .stop
    }
    rows.append(try BufferedRow(copying: row).values)
    return .next
  }
}
