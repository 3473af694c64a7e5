/// Rows one after another, in constant memory.
package protocol StreamVerbs {
  /// Every row of the indexed table, in the order of keys; each is seen once and let go.
  func stream() throws -> Int
}
