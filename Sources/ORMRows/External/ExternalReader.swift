internal import FoundationEssentials
internal import ORMStorage

/// A view of a store that gives values which are stored outside of its rows.
class ExternalReader: ForwardingReader, LinkedReading {
  private let base: any StoreReader
  let layer: ExternalLayer
  /// The number by which contents are retained for this view's snapshot.
  private var epoch: UInt64?

  /// A view around the engine's.
  init(_ base: any StoreReader, _ layer: ExternalLayer, epoch: UInt64?) {
    self.base = base
    self.layer = layer
    self.epoch = epoch
  }

  deinit { leave() }

  private func leave() {
    if let epoch { layer.files?.lock.leave(epoch) }
    epoch = nil
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    let cursor = try base.cursor(request)
    guard let output = layer.output(of: request.shape) else { return cursor }
    return ExternalCursor(cursor, output, self)
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    guard let output = layer.output(of: request.shape) else {
      return try base.visit(request, &visitor)
    }
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      var whole = ExternalVisitor(visitor: pointer, output: output, view: self)
      try base.visit(request, &whole)
    }
  }

  /// Forwards a page, and linked requests, that hold no external values.
  func linkedFetch(
    of page: FetchRequest, _ linked: () throws -> [LinkedRequest]
  ) throws -> (any LinkedFetch)? {
    guard let base = base as? any LinkedReading, layer.output(of: page.shape) == nil else {
      return nil
    }
    return try base.linkedFetch(of: page) {
      let linked = try linked()
      return linked.allSatisfy { layer.output(of: $0.request.shape) == nil } ? linked : []
    }
  }

  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      var whole = ExternalResultVisitor(visitor: pointer, view: self)
      let result = whole.result
      try base.runningQueries.visit(
        sql: query,
        columns: { names in
          let found = try columns(names)
          result.output = ExternalOutput(of: found, entity: query.firstEntity ?? "")
          return found
        }, &whole)
    }
  }

  var forwardedReader: any StoreReader { base }

  func isTransparent(for shape: FetchShape) -> Bool { layer.output(of: shape) == nil }

  func verify(_ found: (StoreError) throws -> Void) throws {
    try base.verify(found)
    try ExternalVerification(base, self).run(found)
  }

  func end() {
    base.end()
    leave()
  }

  /// A content that a row refers to.
  ///
  /// - Throws: `corrupt`.
  func content(of reference: ExternalReference) throws -> Data {
    if let files = layer.files { return try files.folder.content(of: reference) }
    guard let content = try ExternalCounts(base).content(of: reference) else {
      throw StoreError(.corrupt, "the file of its external content is missing")
    }
    guard content.withUnsafeBytes({ reference.fits($0) }) else {
      throw StoreError(.corrupt, "the file of its external content is damaged")
    }
    return content
  }
}
