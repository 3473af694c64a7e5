/// The temporary keys of inserted objects, shared by a session and its children.
package final class TemporaryKeys {
  /// The number of integers above the smallest that are temporary keys.
  private static var count: Int64 { 1 << 32 }
  private var last = Int64.min

  package init() {}

  package func next() -> Int64 {
    last += 1
    return last
  }

  package static func contains(_ key: Int64) -> Bool { key < .min + count }
}
