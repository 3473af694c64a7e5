/// Rows one after another, in constant memory.
package protocol StreamOperations {
  /// Every row of the indexed table, in the order of keys; each is seen once and let go.
  func stream() throws -> Int
}
