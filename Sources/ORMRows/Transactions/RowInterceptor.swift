package import ORMStorage

/// A function that returns the failures of a put's row, by its position, besides its attributes'.
package typealias RowFailures = (Int) throws -> [StoreError]

/// The outermost layer of a write transaction, where entities have rules, hooks, managed or derived
/// attributes.
package protocol RowInterceptor: StoreWriter {
  /// True if code of the program runs with writes.
  var hasHooks: Bool { get }
  /// The layer beneath that keeps derived attributes; nil where there are none.
  var derived: DerivedWriter? { get }
  /// The transaction around, which hooks are given; set by it.
  var transaction: WriteTransaction? { get set }
  /// Puts rows.
  ///
  /// - Parameter failures: finds failures of a row besides those of its attributes, which are reported
  ///   together with the rules that the row breaks.
  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O, failures: RowFailures?
  ) throws
  /// Takes rows as they are for the length of a body.
  func bypassingRules<Result>(_ body: () throws -> Result) rethrows -> Result
}
