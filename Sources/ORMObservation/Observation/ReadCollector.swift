internal import FoundationEssentials
internal import ORMCore
internal import Synchronization

/// A flag that ends a fetch whose observation has ended.
final class FetchCancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }
  func cancel() { flag.store(true, ordering: .relaxed) }

  /// - Throws: `CancellationError`.
  func check() throws { if isCancelled { throw CancellationError() } }
}

/// A digest of everything that was read for a value: equal for equal rows, to the bit.
struct ReadDigest: Hashable, Sendable {
  let first: Int
  let second: Int
}

/// A collector of a transaction's reads: its requests, and a digest of their rows.
final class ReadCollector {
  private let shapes: ShapeFootprints
  private let schema: StoredSchema
  let cancellation: FetchCancellation
  /// True if the sort keys of the rows are wanted, for a maintained result.
  private let wantsKeys: Bool
  /// The most requests whose values are stored apart.
  private static let capacity = 4_096

  private let begin = Date()
  private let timestamps = RequestTimestamps()
  private var requests: [RequestFootprint] = []
  private var known: Set<FetchRequest> = []
  private var keys: [StoredValue] = []
  private var readsUnknown = false
  private var hashers: (BitHasher, BitHasher)
  private var visible: [String: [Int]] = [:]

  init(_ store: any Store, wantsKeys: Bool, _ cancellation: FetchCancellation) throws {
    shapes = try store.shapeFootprints()
    schema = store.schema
    self.wantsKeys = wantsKeys
    self.cancellation = cancellation
    hashers = (BitHasher(), BitHasher())
    hashers.1.add(tag: 199)
  }

  // MARK: - Requests

  /// Runs the fetch whose requests are collected.
  func collecting<Value>(_ fetch: () throws -> Value) rethrows -> Value {
    try timestamps.counting(fetch)
  }

  /// Adds a request, and returns its position; nil if it was made before.
  func add(_ request: FetchRequest) throws -> Int? {
    try cancellation.check()
    guard known.insert(request).inserted else { return nil }
    if requests.count == Self.capacity {
      readsUnknown = true
      return nil
    }
    requests.append(
      RequestFootprint(
        shape: try shapes[request.shape], bindings: request.bindings, limit: request.limit,
        offset: request.offset, isTimed: isTimed(request)))
    return requests.count - 1
  }

  /// Adds a read of rows that no request describes.
  func addUnknown() { readsUnknown = true }

  /// Returns whether a request may mean other rows at another time: with a timestamp of the fetch, of
  /// the library's or of a block's own making.
  private func isTimed(_ request: FetchRequest) -> Bool {
    if timestamps.count > 0 { return true }
    let now = Date()
    func isTimed(_ value: StoredValue) -> Bool {
      switch value {
      case .date(let date): date >= begin && date <= now
      case .array(let elements): elements.contains(where: isTimed)
      default: false
      }
    }
    return request.bindings.contains(where: isTimed)
  }

  /// The order by which the rows of a request are to be added; nil if no keys of it are needed.
  func order(of number: Int) throws -> [BoundSortTerm]? {
    let request = requests[number]
    guard request.isOwn, case .rows = request.shape.shape.output,
      wantsKeys && number == 0 || request.limit != nil
    else { return nil }
    return try request.shape.order?.map { try $0.bound(to: request.bindings) }
  }

  /// Returns whether the sort keys of a request's row are needed.
  ///
  /// - Parameter number: the number of the request's rows so far, this one included.
  func needsKeys(of request: Int, number: Int) -> Bool {
    wantsKeys && request == 0 || requests[request].limit == number
  }

  /// Adds a row of a request, by its sort keys.
  func add(_ keys: [StoredValue], of request: Int, number: Int) {
    if wantsKeys, request == 0 { self.keys += keys }
    if requests[request].limit == number { requests[request].end = keys }
  }

  // MARK: - Digest

  /// The columns of an entity's whole rows that its models see.
  func visibleColumns(of entity: String) -> [Int]? {
    if let known = visible[entity] { return known }
    guard let stored = schema[entity] else { return nil }
    let columns = stored.visibleColumns
    visible[entity] = columns
    return columns
  }

  /// Adds a row that was read; of some columns, all without any.
  func add<R: RowReader & ~Copyable>(_ row: borrowing R, _ columns: [Int]?) throws {
    try cancellation.check()
    add(tag: 200)
    if let columns {
      for column in columns { add(try row.value(at: column)) }
    } else {
      for column in 0..<row.columnCount { add(try row.value(at: column)) }
    }
  }

  /// Adds the beginning of a request's rows.
  func addBeginning() { add(tag: 201) }

  private func add(tag: UInt8) {
    hashers.0.add(tag: tag)
    hashers.1.add(tag: tag)
  }

  private func add(_ value: StoredValue) {
    hashers.0.add(value)
    hashers.1.add(value)
  }

  // MARK: - Result

  /// The digest of all rows so far.
  var digest: ReadDigest {
    ReadDigest(first: hashers.0.finalize(), second: hashers.1.finalize())
  }

  /// The footprint of all requests so far.
  var footprint: ReadFootprint {
    var names: Set<String> = []
    var isKnown = !readsUnknown
    for request in requests {
      let shape = request.shape
      if shape.readsUnknown { isKnown = false }
      for entity in [shape.entity].compactMap(\.self) + shape.related.map(\.entity) {
        if entity.entities.isEmpty { isKnown = false }
        names.formUnion(entity.entities)
      }
    }
    return ReadFootprint(
      requests: requests, keys: wantsKeys && requests.count == 1 ? keys : nil,
      names: isKnown ? names : nil)
  }
}

@available(*, unavailable)
extension ReadCollector: Sendable {}

extension StoredEntity {
  /// The columns that models of the entity see.
  var visibleColumns: [Int] {
    columns.indices.filter {
      !columns[$0].isInternal && !(keySource == .hidden && key.contains($0))
    }
  }
}
