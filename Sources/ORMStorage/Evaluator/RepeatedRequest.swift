package import ORMValues

/// A request that is asked again and again with other values, as related rows are for one row after
/// another.
package protocol RepeatedRequest: AnyObject {
  /// The most rows that are counted where a count of rows is asked for.
  var mostCounted: Int { get set }

  /// Visits everything asked for with these bindings; only those that were said to change differ
  /// from the ones that it was made with.
  func visit<V: RowVisitor>(_ bindings: [StoredValue], _ visitor: inout V) throws
}

/// A reader that retains state between two runs of one request.
///
/// Other readers run each request anew.
package protocol RepeatingReader: StoreReader {
  /// True if the rows that it reads never change, so that its results can be cached.
  var isFixed: Bool { get }

  /// Returns the memo of a path on the snapshot, which others that follow it share; asked for only if
  /// ``isFixed`` is true.
  func memo(of key: RelatedMemoKey) -> RelatedMemo

  /// Makes a request that is asked again and again.
  ///
  /// - Parameters:
  ///   - shape: the request's shape, without an order or a limit.
  ///   - bindings: the values of its parameters.
  ///   - changing: the number of first bindings that change between runs; the condition compares an attribute
  ///     with each of them once, in a part that must hold.
  ///   - isPresence: true if only the existence of the first row matters, and none of its values.
  func repeated(
    _ shape: FetchShape, bindings: [StoredValue], changing: Int, isPresence: Bool
  ) throws -> any RepeatedRequest
}
