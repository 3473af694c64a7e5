@_spi(Records) internal import ORMStorage

/// A reader of an ordered store.
final class OrderedStoreReader: RestartableReader, CountingReader {
  /// The view: variable only so that others who have it can be noticed.
  private var owned: StoreView
  /// The same without a reference that each find would count: never another than `owned`, which lives
  /// as long as the reader.
  private let current: Unmanaged<StoreView>
  private let source: ReaderSource

  init(_ view: StoreView, _ source: ReaderSource) {
    owned = view
    current = .passUnretained(view)
    self.source = source
  }

  deinit { end() }

  var view: StoreView { owned }

  var rowsRead: Int { owned.rowsRead }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor { try view.cursor(request) }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try current._withUnsafeGuaranteedRef { try $0.visit(request, &visitor) }
  }

  func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws {
    found = try current._withUnsafeGuaranteedRef { try $0.record(shape, binding: binding) }
  }

  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws {
    try current._withUnsafeGuaranteedRef { try $0.visit(shape, binding: binding, &visitor) }
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try view.explain(request, analyze: analyze)
  }

  func greatestKey(of entity: String) throws -> Int64? { try view.greatestKey(of: entity) }

  func verify(_ found: (StoreError) throws -> Void) throws { try view.verify(found) }

  func end() { current._withUnsafeGuaranteedRef { $0.end() } }

  func restart(_ turn: borrowing ReadTurn) throws -> Bool {
    try source.check()
    // A cursor that outlives it must find its view ended.
    guard isKnownUniquelyReferenced(&owned) else { return false }
    return try current._withUnsafeGuaranteedRef { try $0.restart(source.layouts) }
  }
}
