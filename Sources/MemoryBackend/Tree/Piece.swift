/// A node or a blob, seen as memory that is to be freed: both begin with their birth.
// Lock: none. Only the owner of the list that holds a piece may free it.
struct Piece: @unchecked Sendable {
  let base: UnsafeMutableRawPointer

  var birth: UInt64 { base.load(as: UInt64.self) }

  func deallocate() { base.deallocate() }

  /// Memory for a piece.
  ///
  /// As words, not as bytes with an alignment: the latter takes the allocator's slow path.
  static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let words = (byteCount + 7) / 8
    return UnsafeMutableRawPointer(UnsafeMutablePointer<UInt64>.allocate(capacity: words))
  }
}
