/// A model that takes notice of being read from a store; not where it is embedded in another.
///
/// ```swift
/// extension Folder: LoadHook {
///   mutating func didLoad() throws { print("read", id) }
/// }
/// ```
public protocol LoadHook: Persistable {
  /// Called once on each object that an operation reads from a store, before it is returned; may change
  /// it, which writes nothing.
  ///
  /// Links that a query prefetches are not there yet. Projections, groups, dynamic rows and rows that a write
  /// reads are not objects and call nothing.
  ///
  /// - Throws: any error; the operation fails with it.
  mutating func didLoad() throws
}
